"""The files codeintel puts into a project, and the copier that does it.

This module is the public face: sibling packages import from here, never from a module below (held by import-linter).
A name is loaded when it is first used, so that importing the package costs nothing.
"""

from codeintel_contract import load_on_use

TYPE_CHECKING = False  # `typing` would be paid for at every call of a client's hook
if TYPE_CHECKING:
    from codeintel_templates.cli import (
        install_into as install_into,
        uninstall_from as uninstall_from,
        upgrade_in as upgrade_in,
    )
    from codeintel_templates.clients import CLIENTS as CLIENTS, all_clients as all_clients, find_client as find_client
    from codeintel_templates.clients.client import SKILL as SKILL, Client as Client, Event as Event
    from codeintel_templates.copy import Plan as Plan, apply as apply
    from codeintel_templates.errors import TemplatesError as TemplatesError
    from codeintel_templates.manifest import READER as READER, RECORD as RECORD
    from codeintel_templates.planning import plan as plan, read_entry as read_entry, read_record as read_record
    from codeintel_templates.proposals import NO_DOCS as NO_DOCS, Proposals as Proposals, Suite as Suite
    from codeintel_templates.record import Record as Record
    from codeintel_templates.texts import (
        read_template as read_template,
        template_body as template_body,
        template_names as template_names,
    )

__getattr__ = load_on_use(globals())

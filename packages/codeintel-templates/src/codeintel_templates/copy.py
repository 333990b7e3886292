"""Plan, apply, take back: the only module that writes into a user's project.

Everything is read and decided first, so that what cannot be done is known before the first write. Each
file is then replaced in one step and the record follows it at once: a run that dies in between is
finished by the next one.
"""

from pathlib import Path

from . import files_io
from .errors import StalePlan
from .manifest import RECORD
from .planning import plan, plan_upgrade
from .removal import plan_uninstall
from .results import Action, Kind, Plan, Report

__all__ = [
    "Action",
    "Kind",
    "Plan",
    "Report",
    "apply",
    "plan",
    "plan_uninstall",
    "plan_upgrade",
    "take_back",
    "uninstall",
]


def apply(plan: Plan) -> Report:
    """Do what a plan says.

    Raises:
        StalePlan: a file changed since the plan was made; nothing was written.
    """
    _check_fresh(plan)
    kept = plan.after.model_copy(update={"files": plan.before.files})
    for action in plan.actions:
        if action.path == RECORD:
            continue
        if action.content is not None:
            files_io.write(plan.target, action.written, action.content)
        changed = kept.with_file(action.path, action.entry)
        if changed != kept and action.kind is not Kind.KEEP:
            files_io.write(plan.target, RECORD, changed.dump())
        kept = changed
    if any(action.path == RECORD and action.kind is not Kind.KEEP for action in plan.actions):
        files_io.write(plan.target, RECORD, kept.dump())
    return Report(plan.actions, plan.notices)


def uninstall(target: Path) -> Report:
    """Take back exactly what was put: unchanged files, our entries, folders made for them. Raises as `plan`."""
    return take_back(plan_uninstall(target))


def take_back(plan: Plan) -> Report:
    """Do what a plan of `plan_uninstall` says.

    Raises:
        StalePlan: a file changed since the plan was made; nothing was written.
    """
    _check_fresh(plan)
    for action in plan.actions:
        if action.kind is Kind.REMOVE:
            files_io.remove(plan.target, action.path)
        elif action.content is not None:
            files_io.write(plan.target, action.path, action.content)
    for folder in sorted(plan.before.directories, reverse=True):
        files_io.remove_folder_if_empty(plan.target, folder)
    return Report(plan.actions, plan.notices)


def _check_fresh(plan: Plan) -> None:
    for action in plan.actions:
        if files_io.read(plan.target, action.path) != action.current:
            raise StalePlan(action.path)

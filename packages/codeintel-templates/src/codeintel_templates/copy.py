"""Plan, apply, revert: the only module that writes into a user's project.

Everything is read and decided first, so that what cannot be done is known before the first write. Each
file is then replaced in one step and the record goes with it: a run that dies in between is
finished by the next one.
"""

from . import files_io
from .errors import StalePlan
from .manifest import HOME, RECORD
from .planning import plan, plan_upgrade
from .record import Record
from .removal import plan_uninstall
from .results import Action, Kind, Plan

__all__ = ["Action", "Kind", "Plan", "apply", "plan", "plan_uninstall", "plan_upgrade", "take_back"]


def apply(plan: Plan) -> Plan:
    """Do what a plan says, and return it.

    Raises StalePlan: a file changed since the plan was made; nothing was written.
    """
    _check_fresh(plan)
    known = plan.after.model_copy(update={"files": plan.before.files})
    for action in plan.actions:
        if action.path != RECORD:
            known = _carry_out(plan, action, known)
    if known != plan.before:
        files_io.write(plan.target, RECORD, known.dump())
    return plan


def take_back(plan: Plan) -> Plan:
    """Remove exactly what was put, as a plan of `plan_uninstall` says, and return the plan.

    Raises StalePlan: a file changed since the plan was made; nothing was written.
    """
    _check_fresh(plan)
    for action in plan.actions:
        if action.kind is Kind.REMOVE:
            files_io.remove(plan.target, action.path)
        elif action.content is not None:
            files_io.write(plan.target, action.path, action.content)
    for path in plan.purged:
        files_io.remove_whole(plan.target, path)
    for folder in sorted({*plan.before.directories, *([HOME] if plan.purged else [])}, reverse=True):
        files_io.remove_folder_if_empty(plan.target, folder)
    return plan


def _carry_out(plan: Plan, action: Action, known: Record) -> Record:
    """Write one file and the record of it, in the order that the next run can finish from.

    A file of ours is known by its content, so the record can follow. That an entry in a file of another
    tool's is ours only the record can tell, so there it goes first.
    """
    after = known.with_file(action.path, action.entry)
    if action.content is None:
        return after
    first = action.entry is not None and action.entry.value is not None and action.path not in known.files
    if first:
        files_io.write(plan.target, RECORD, after.dump())
    files_io.write(plan.target, action.written, action.content)
    if not first:
        files_io.write(plan.target, RECORD, after.dump())
    return after


def _check_fresh(plan: Plan) -> None:
    for action in plan.actions:
        if files_io.read(plan.target, action.path) != action.current:
            raise StalePlan(action.path)

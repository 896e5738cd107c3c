"""A calendar has each UID once: another event may have taken that of what an undo would restore."""

from kalends import errors
from kalends.changes.record import Records
from kalends.context import Context
from kalends.events import by_uid
from kalends.i18n import gettext


def lock(ctx: Context, records: Records) -> None:
    """Let nobody else take one of the UIDs until the transaction ends. As in imports, this comes before the events are locked."""
    for calendar_id in sorted({calendar_id for calendar_id, _ in _find_names(records)}):
        by_uid.lock(ctx, calendar_id)


def require_free(ctx: Context, records: Records) -> None:
    """Raise Conflict if the UID of a deleted event or series is taken."""
    own_ids = {record.key[0] for record in records.all if record.kind == "event"}
    names = _find_names(records)
    for calendar_id in sorted({calendar_id for calendar_id, _ in names}):
        if by_uid.find_taken(ctx, calendar_id, [uid for each, uid in names if each == calendar_id]) - own_ids:
            raise errors.Conflict(
                gettext(
                    "Another event on the calendar has the uid of one that this would restore. Delete that event, then undo this. "
                    "Nothing was changed."
                )
            )


def _find_names(records: Records) -> set[tuple[int, str]]:
    """The home calendar and the UID of each event that was deleted, or of its series if that was deleted with it."""
    names = set()
    for (kind, _), content in records.deleted.items():
        if kind == "event" and ("calendar", content["calendar_id"]) not in records.deleted:
            named = content if content["series_id"] is None else records.deleted.get(("series", content["series_id"]), {})
            if named.get("uid"):
                names.add((content["calendar_id"], named["uid"]))
    return names

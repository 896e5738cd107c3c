"""The calendars of an account that is deleted, on their way to the trash."""

from kalends.core.i18n import gettext
from kalends.core.records.calendar import DeletedCalendar
from kalends.core.records.people import User
from kalends.core.values.text import fold_case
from kalends.features.admin.deleted_calendars import store as deleted_calendars
from kalends.features.calendars import ownership_store
from kalends.features.calendars import store as calendars
from kalends.features.changes import trash_store as store
from kalends.features.events.placements import store as placements
from kalends.features.users import erasure_store as erasure
from kalends.http.context import Context, new_set_id


class Trash:
    """The calendars of the account that nobody else edits. The journal records the deletion of each as a request of its own, so that an
    undo brings back this calendar alone."""

    def __init__(self, user: User):
        self._user = user
        self._sets: dict[int, int] = {}

    @property
    def set_ids(self) -> list[int]:
        return list(self._sets.values())

    def put_most_events(self, ctx: Context, calendar_id: int) -> None:
        """Delete most events of the calendar, in several transactions."""
        with ctx.record_apart(self._set_of(calendar_id)):
            placements.remove_in_batches(ctx, [calendar_id])

    def put(self, ctx: Context, calendar_ids: list[int]) -> None:
        """Delete the calendars with the rest of their events."""
        rest_id = ctx.author().set_id
        for name in {self._user.user_name, self._user.name or self._user.user_name, self._user.email_address}:
            erasure.rename_calendars(ctx, calendar_ids, name, gettext("Calendar"))
        erasure.empty_descriptions(ctx, calendar_ids, self._user.email_address)
        for calendar_id in calendar_ids:
            set_id = self._set_of(calendar_id)
            name = ownership_store.find_name(ctx, calendar_id) or ""
            with ctx.record_apart(set_id):
                placements.remove_all(ctx, calendar_id)
                calendars.delete(ctx, calendar_id)
            store.keep_deletions(ctx, set_id, rest_id)
            store.erase_person(ctx, set_id, self._user.id, self._address)
            events = store.erase_orphans(ctx, set_id)
            if events or store.has_files(ctx, calendar_id):
                deleted_calendars.insert(ctx, DeletedCalendar(calendar_id, self._user.id, name, events, set_id, ctx.now))
            else:
                del self._sets[calendar_id]

    def clean(self, ctx: Context) -> None:
        """Drop what is left of events whose text has the address of the account, when this was erased from the history."""
        for calendar_id, set_id in self._sets.items():
            with ctx.write():
                deleted_calendars.update_events(ctx, calendar_id, store.erase_orphans(ctx, set_id))

    @property
    def _address(self) -> str | None:
        """The address, if it is proved to be that of the person."""
        return fold_case(self._user.email_address) if self._user.verified_at is not None else None

    def _set_of(self, calendar_id: int) -> int:
        if calendar_id not in self._sets:
            self._sets[calendar_id] = new_set_id()
        return self._sets[calendar_id]

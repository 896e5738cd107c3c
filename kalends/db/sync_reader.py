"""Reads which calendars and users the newest entries of changes concern, in all processes and servers."""

from kalends.db.database import Database

Position = tuple[int, int]

# A new or changed calendar concerns its owner, who may not follow it yet.
_TOPICS = """
SELECT DISTINCT s.calendar_id, s.user_id, c.owner_id
FROM sync_entries s LEFT JOIN calendars c ON c.id = s.record_id AND s.kind = 'calendar'
WHERE s.id > :floor AND (s.tx, s.id) > (:tx, :id) AND (s.tx, s.id) <= (:end_tx, :end_id)
"""


class SyncReader:
    """Reads on from the position at which it was.

    The statement finds entries by their ids, but on PostgreSQL an entry with a low id may be committed late. All entries up to the id
    `_floor` have been read: it is an id that was the highest one when all transactions that ran then, and a little later, were over.
    """

    def __init__(self) -> None:
        self.position: Position | None = None
        self._floor: int | None = None
        self._newest_id: int | None = None
        self._next_floor: tuple[int, int] | None = None

    def read(self, db: Database) -> set[str] | None:
        """The topics of the entries since the last call, such as `calendar 5` and `user 7`; None if it may be any."""
        with db.read() as tx:
            sql = f"SELECT * FROM ({db.last_sync_entry()}) AS final_entry, ({db.newest_sync_entry()}) AS newest_entry"
            [(*last, newest_id, next_tx)] = tx.rows(sql)
            begin, end = self.position, (last[0], last[1])
            topics: set[str] | None = None
            if begin is not None and self._floor is not None:
                topics = set()
                if end > begin and newest_id > self._floor:
                    params = {"floor": self._floor, "tx": begin[0], "id": begin[1], "end_tx": end[0], "end_id": end[1]}
                    for calendar_id, user_id, owner_id in tx.rows(_TOPICS, **params):
                        topics |= {f"calendar {calendar_id}", f"user {user_id}", f"user {owner_id}"}
        self._move_floor(end[0], newest_id, next_tx)
        self.position = end if begin is None else max(begin, end)
        return topics

    def _move_floor(self, final_tx: int, newest_id: int, next_tx: int) -> None:
        if self._next_floor is None:
            self._next_floor = None if self._newest_id is None else (self._newest_id, next_tx)
        elif final_tx >= self._next_floor[1]:
            self._floor, self._next_floor = self._next_floor[0], None
        self._newest_id = newest_id

"""The reply of a request with an Idempotency-Key is stored by the transaction scope; actions do not know of it."""

from uuid import uuid4

import pytest
from msgspec import Struct

from kalends.core import errors
from kalends.db import Database
from kalends.features.idempotency import store
from kalends.http.context import Context
from tests.cast import Cast
from tests.http.conftest import Stage, act


class Renaming(Struct):
    """The new name of a user."""

    user_id: int
    name: str


def _rename_twice(ctx: Context, params: Renaming) -> dict[str, str]:
    """An action that opens its own transactions, with slow work in between."""
    with ctx.write(is_last=False):
        _rename(ctx, params.user_id, "between")
    with ctx.write():
        _rename(ctx, params.user_id, params.name)
    return {"name": params.name}


def _rename(ctx: Context, user_id: int, name: str) -> None:
    ctx.tx.run("UPDATE users SET name = :name WHERE id = :user_id", user_id=user_id, name=name)


def _name(db: Database, user_id: int) -> object:
    with db.read() as tx:
        return tx.value("SELECT name FROM users WHERE id = :user_id", user_id=user_id)


@pytest.mark.parametrize("fails", [False, True])
def test_the_last_write_of_an_action_and_its_reply_are_committed_together(
    cast: Cast, stage: Stage, db: Database, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    def fail(*args: object) -> None:
        raise errors.Conflict("The reply cannot be stored.")

    if fails:
        monkeypatch.setattr(store, "insert", fail)
    client = stage(act("POST", "/api/things", _rename_twice, transaction=False, guests=True))
    reply = client.post("/api/things", json={"user_id": cast.alice.id, "name": "last"}, headers={"Idempotency-Key": uuid4().hex})
    assert (reply.status, _name(db, cast.alice.id)) == ((409, "between") if fails else (200, "last"))


def test_an_error_after_the_last_write_of_an_action_leaves_it_committed(cast: Cast, stage: Stage, db: Database) -> None:
    def rename_and_fail(ctx: Context, params: Renaming) -> dict[str, str]:
        """It fails after its transaction."""
        _rename_twice(ctx, params)
        raise errors.Conflict("Too late.")

    client = stage(act("POST", "/api/things", rename_and_fail, transaction=False, guests=True))
    key = uuid4().hex
    for name in ("first", "second"):
        # The key is still free, or the second request would get 422.
        assert client.post("/api/things", json={"user_id": cast.alice.id, "name": name}, headers={"Idempotency-Key": key}).status == 409
        assert _name(db, cast.alice.id) == name

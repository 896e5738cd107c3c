"""Rows become Structs, and a count says how many were changed."""

import pytest
from msgspec import Struct, structs

from kalends.db import Database, columns


class Pebble(Struct):
    id: int
    name: str | None
    smooth: bool
    wet: bool | None


class Quick(Pebble, array_like=True):
    """One whose lists are made at once."""


def _beach(db: Database, *pebbles: Pebble) -> None:
    flag = db.types["flag"]
    with db.write() as tx:
        tx.script(f"CREATE TABLE pebbles (id INTEGER PRIMARY KEY, name TEXT, smooth {flag} NOT NULL, wet {flag})")
        for pebble in pebbles:
            tx.run(
                "INSERT INTO pebbles (id, name, smooth, wet) VALUES (:id, :name, :smooth, :wet)",
                id=pebble.id,
                name=pebble.name,
                smooth=pebble.smooth,
                wet=pebble.wet,
            )


GREY = Pebble(1, "grey", True, None)
BLUE = Pebble(2, None, False, True)
DRY = Pebble(3, "0", False, False)


@pytest.mark.parametrize("kind", [Pebble, Quick])
def test_all_loads_every_row_with_its_flags(fresh: Database, kind: type[Pebble]) -> None:
    _beach(fresh, GREY, BLUE, DRY)
    with fresh.read() as tx:
        pebbles = tx.all(kind, f"SELECT {columns(kind)} FROM pebbles ORDER BY id")
    assert [type(p) for p in pebbles] == [kind] * 3
    assert [structs.astuple(p) for p in pebbles] == [structs.astuple(p) for p in (GREY, BLUE, DRY)]
    assert [(type(p.smooth), type(p.wet)) for p in pebbles] == [(bool, type(None)), (bool, bool), (bool, bool)]


def test_one_loads_the_first_row_or_none(fresh: Database) -> None:
    _beach(fresh, GREY, BLUE)
    with fresh.read() as tx:
        assert tx.one(Pebble, f"SELECT {columns(Pebble, 'p')} FROM pebbles p ORDER BY id") == GREY
        assert tx.one(Pebble, f"SELECT {columns(Pebble)} FROM pebbles WHERE id = :id", id=9) is None


def test_value_is_the_first_column_or_none(fresh: Database) -> None:
    _beach(fresh, GREY)
    with fresh.read() as tx:
        assert tx.value("SELECT name, id FROM pebbles") == "grey"
        assert tx.value("SELECT name FROM pebbles WHERE id = :id", id=9) is None


def test_run_returns_the_number_of_changed_rows(fresh: Database) -> None:
    _beach(fresh, GREY, BLUE)
    with fresh.write() as tx:
        assert tx.run("UPDATE pebbles SET name = :name", name="wet") == 2
        assert tx.run("DELETE FROM pebbles WHERE id = :id", id=1) == 1
        assert tx.run("DELETE FROM pebbles WHERE id = :id", id=1) == 0
        assert tx.run("INSERT INTO pebbles (id, smooth) VALUES (2, :flag) ON CONFLICT DO NOTHING", flag=True) == 0


def test_columns_are_the_fields_of_the_struct() -> None:
    assert columns(Pebble) == "id, name, smooth, wet"
    assert columns(Pebble, "p") == "p.id, p.name, p.smooth, p.wet"


def test_columns_replace_fields_with_expressions_in_the_order_of_the_struct() -> None:
    assert columns(Pebble, "p", name="upper(o.name)") == columns(Pebble, "p").replace("p.name", "upper(o.name)")


def test_an_expression_for_an_unknown_field_is_an_error() -> None:
    with pytest.raises(AssertionError, match="Pebble has no field nmae"):
        columns(Pebble, "p", nmae="upper(o.name)")

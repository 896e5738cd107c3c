"""SQL with :name parameters means the same on both databases, whatever else the statement contains."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.db import Database

# PostgreSQL stores any text but NUL and lone surrogates.
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("SELECT :name", ("Ana",)),
        ("SELECT :name, :name", ("Ana", "Ana")),
        ("SELECT CAST(:number AS TEXT)", ("7",)),
        ("SELECT 'at :noon', :name", ("at :noon", "Ana")),
        ("SELECT 'it''s :noon', :name", ("it's :noon", "Ana")),
        ("SELECT 'half past 12:30', :number", ("half past 12:30", 7)),
        ("SELECT :name || ':name'", ("Ana:name",)),
        ("SELECT :number -- not :this\n", (7,)),
        ('SELECT x.":name" FROM (SELECT :name AS ":name") x', ("Ana",)),
        ("SELECT :number % 4, '100 %', '%s %(name)s'", (3, "100 %", "%s %(name)s")),
        ("SELECT '%'", ("%",)),
        ("SELECT CASE WHEN :name LIKE 'A%' THEN 'yes' ELSE 'no' END", ("yes",)),
        ("SELECT (:number)", (7,)),
        ("SELECT 1 WHERE :number=7", (1,)),
    ],
)
def test_a_parameter_is_distinguished_from_strings_names_and_comments(db: Database, sql: str, row: tuple[Any, ...]) -> None:
    with db.read() as tx:
        assert tx.rows(sql, name="Ana", number=7) == [row]


def test_a_cast_is_not_a_parameter(postgres: Database) -> None:
    with postgres.read() as tx:
        assert tx.rows("SELECT '7'::int, :number::text", number=7) == [(7, "7")]


@given(text=texts)
def test_any_text_is_returned_unchanged(db: Database, text: str) -> None:
    with db.read() as tx:
        assert tx.value("SELECT CAST(:text AS TEXT)", text=text) == text


@given(text=texts)
def test_a_statement_may_contain_any_text(db: Database, text: str) -> None:
    literal = text.replace("'", "''")
    with db.read() as tx:
        assert tx.rows(f"SELECT '{literal}', CAST(:other AS TEXT)", other="other") == [(text, "other")]


@pytest.mark.parametrize("value", [True, None, 2**63 - 1, -(2**63), b"\0\xff", ""])
def test_a_value_of_each_type_is_returned_unchanged(db: Database, value: object) -> None:
    with db.read() as tx:
        assert tx.value("SELECT :value", value=value) == value


def test_a_missing_parameter_is_an_error(db: Database) -> None:
    with pytest.raises(Exception, match="name"), db.read() as tx:
        tx.rows("SELECT :name", number=7)

"""Identities as records, without a provider."""

from contextlib import closing
from uuid import uuid4

from kalends.core.settings import Settings
from kalends.db import open_database
from kalends.features.identities import store
from kalends.http.context import Context
from kalends.http.paging import Paging
from tests.cast import Person
from tests.conftest import NOON


def an_identity(settings: Settings, owner: Person) -> str:
    """The id of a new identity of the user."""
    subject = uuid4().hex
    with closing(open_database(settings)) as db:
        ctx = Context(db, settings, NOON)
        with ctx.write():
            store.insert(ctx, owner.id, "https://id.example.org", subject)
        with ctx.read():
            return next(each.id for each in store.index(ctx, owner.id, Paging(limit=100)) if each.subject == subject)

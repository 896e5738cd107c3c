"""The composition root: every module that declares endpoints, made into the application."""

import gc
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType

import kalends.features
import kalends.web
from kalends.core import log, settings, tokens, tracing
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.dav import serve as dav
from kalends.db import Database, open_database
from kalends.features.idempotency import store as idempotent_responses
from kalends.features.reference import api as reference
from kalends.features.sessions.steps.access import require_access
from kalends.features.sessions.store import authenticate
from kalends.http.endpoint import endpoints_of
from kalends.http.server import Application, TracedApplication
from kalends.http.serving.edge import Edge
from kalends.web import failures
from kalends.web.render import collect_pages, limit_inputs


def _find_features() -> Iterator[ModuleType]:
    """The modules that may declare endpoints: `api` and `pages`, and those whose names end so."""
    for package in (kalends.features, kalends.web):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.split(".")[-1].split("_")[-1] in ("api", "pages"):
                yield import_module(module.name)


FEATURES = list(_find_features())
ENDPOINTS = endpoints_of(FEATURES)
reference.describe(ENDPOINTS)
limit_inputs(ENDPOINTS)
collect_pages(ENDPOINTS)


def application(db: Database, settings: Settings, clock: Callable[[], int] = timestamps.now) -> Application:
    """The service, with all its endpoints."""
    parts = (ENDPOINTS, db, settings, authenticate, require_access, idempotent_responses, clock, failures.reply, dav.mounts)
    if tracer := tracing.start(settings):
        return TracedApplication(tracer, *parts)
    return Application(*parts)


def rsgi() -> Edge:
    """The service as Granian runs it, in each server process, with the settings from the environment."""
    loaded = settings.load()
    log.configure(loaded)
    tokens.ensure_secret(loaded)
    db = open_database(loaded)
    edge = Edge(application(db, loaded), loaded, db)
    # Exclude the objects of the start from garbage collection, since they live as long as the process.
    gc.freeze()
    return edge

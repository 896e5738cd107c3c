"""Traces of OpenTelemetry: a span for each request and each job of the worker, if `KALENDS_TRACES` names a collector."""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from kalends.core.settings import Settings

if TYPE_CHECKING:
    from kalends.core.tracer import Tracer

_tracer: "Tracer | None" = None


def start(settings: Settings) -> "Tracer | None":
    """Send the spans of this process from now on; None if traces are off."""
    global _tracer
    if not settings.traces:
        return None
    # Imported here because an extra installs its libraries.
    from kalends.core.tracer import Tracer

    _tracer = Tracer(settings)
    return _tracer


def stop() -> None:
    """Send what has not been sent yet."""
    global _tracer
    if _tracer:
        _tracer.close()
        _tracer = None


def job(name: str) -> AbstractContextManager[None]:
    """A span of what runs in the block."""
    return _tracer.job(name) if _tracer else nullcontext()

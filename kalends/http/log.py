"""Log lines: JSON for machines, colours for a terminal, secrets never."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import msgspec
import structlog

from kalends.settings import Settings

METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

log = structlog.get_logger()


def configure(settings: Settings) -> None:
    """Set the log up once per process."""
    console = for_people(settings)
    processors: list[Any] = [structlog.processors.add_log_level, structlog.processors.TimeStamper("iso", utc=True)]
    if console:
        # Its default prints the values of all variables beside a traceback, passwords among them.
        processors.append(structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.RichTracebackFormatter(show_locals=False)))
    else:
        processors += [structlog.processors.format_exc_info, _render]
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr) if console else structlog.BytesLoggerFactory(sys.stderr.buffer),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(handlers=[_Relay()], level=logging.WARNING, force=True)


def for_people(settings: Settings) -> bool:
    """Whether people read the log, on a terminal, rather than machines."""
    return settings.log_format == "console" or (settings.log_format == "auto" and sys.stderr.isatty())


def endpoint_name(method: str, template: str | None = None) -> str:
    """What a request is called, here and in the figures: one of a few names, whatever methods a client invents."""
    return f"{method if method in METHODS else 'OTHER'} {template or '-'}"


class _Relay(logging.Handler):
    """What libraries log, among our own lines."""

    def emit(self, record: logging.LogRecord) -> None:
        log.log(record.levelno, record.getMessage(), logger=record.name, exc_info=record.exc_info)


def _render(logger: object, method: str, event: MutableMapping[str, Any]) -> bytes:
    return msgspec.json.encode(event, enc_hook=str)

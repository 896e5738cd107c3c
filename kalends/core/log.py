"""Logging with stdlib loggers: events with fields, as JSON for machines or in colour for a terminal."""

import json
import logging
import sys
from collections.abc import MutableMapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from kalends.core.settings import Settings

METHODS = frozenset(
    {"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "PROPPATCH", "REPORT", "MKCALENDAR", "MKCOL", "COPY", "MOVE"}
)

_COLORS = {"info": "\x1b[32m", "warning": "\x1b[33m", "error": "\x1b[31m"}
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_ARGUMENTS = frozenset({"exc_info", "stack_info", "stacklevel"})


class EventLogger(logging.LoggerAdapter[logging.Logger]):
    """Logs an event with its fields: `log.warning("login_failed", kind="password")`."""

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        fields = {name: value for name, value in kwargs.items() if name not in _ARGUMENTS}
        return msg, {name: kwargs[name] for name in _ARGUMENTS & kwargs.keys()} | {"extra": {"fields": fields}}


def get_logger(name: str) -> EventLogger:
    return EventLogger(logging.getLogger(name), {})


def configure(settings: Settings) -> None:
    """Log to stderr: our events, and the warnings of libraries."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ConsoleFormatter() if for_people(settings) else JsonFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("kalends").setLevel(logging.INFO)


def for_people(settings: Settings) -> bool:
    """Whether people read the log, on a terminal, rather than machines."""
    return settings.log_format == "console" or (settings.log_format == "auto" and sys.stderr.isatty())


def endpoint_name(method: str, template: str | None = None) -> str:
    """The name of a request in the log and in the metrics. Methods that clients invent share one name."""
    return f"{method if method in METHODS else 'OTHER'} {template or '-'}"


def line_of(record: logging.LogRecord) -> dict[str, Any]:
    """The fields of a log line. A traceback has no values of variables, which may be passwords."""
    line: dict[str, Any] = {**record.fields} if hasattr(record, "fields") else {"logger": record.name}
    line["event"] = record.getMessage()
    line["level"] = "error" if record.levelno >= logging.ERROR else "warning" if record.levelno >= logging.WARNING else "info"
    line["timestamp"] = datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z")
    if record.exc_info and record.exc_info[1]:
        line["exception"] = logging.Formatter().formatException(record.exc_info)
    return line


class JsonFormatter(logging.Formatter):
    """One JSON object in one line."""

    def format(self, record: logging.LogRecord) -> str:
        line = line_of(record)
        try:
            return msgspec.json.encode(line, enc_hook=str).decode()
        except UnicodeEncodeError:
            # A lone surrogate in the text of an error, which the standard library writes in ASCII.
            return json.dumps(line, default=str)


class ConsoleFormatter(logging.Formatter):
    """One line in colour, followed by the traceback of an error."""

    def format(self, record: logging.LogRecord) -> str:
        line = line_of(record)
        level, event, trace = line.pop("level"), line.pop("event"), line.pop("exception", "")
        time = line.pop("timestamp")[:19]
        fields = " ".join(f"{_DIM}{name}={_PLAIN}{_escape(str(value))}" for name, value in line.items())
        head = f"{_DIM}{time}Z{_PLAIN} {_COLORS[level]}{level:8}{_PLAIN}{_escape(event):8} {fields}"
        return f"{head}\n{_escape(trace, lines=True)}" if trace else head


def _escape(value: str, *, lines: bool = False) -> str:
    """The value without line breaks and control sequences of the terminal."""
    return "".join(c if c.isprintable() or (lines and c == "\n") else c.encode("unicode_escape").decode() for c in value)

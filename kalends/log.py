"""Log lines: JSON for machines, colours for a terminal, secrets never."""

import json
import logging
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from traceback import format_exception
from typing import Any

import msgspec

from kalends.settings import Settings

METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

_COLORS = {"info": "\x1b[32m", "warning": "\x1b[33m", "error": "\x1b[31m"}
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"

_writing = threading.Lock()

Line = dict[str, Any]


class Log:
    """What happened, each time in one line."""

    def __init__(self, write: Callable[[Line], None]):
        self.write = write

    def info(self, event: str, **fields: Any) -> None:
        self.say("info", event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        self.say("warning", event, fields)

    def error(self, event: str, exc_info: BaseException | None = None, **fields: Any) -> None:
        self.say("error", event, fields, exc_info)

    def exception(self, event: str, **fields: Any) -> None:
        """An error, with the exception that is being handled."""
        self.say("error", event, fields, sys.exc_info()[1])

    def say(self, level: str, event: str, fields: Line, error: BaseException | None = None) -> None:
        line = fields | {"event": event, "level": level, "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z")}
        # Without the values of variables, passwords among them.
        self.write(line | {"exception": "".join(format_exception(error))} if error else line)


def configure(settings: Settings) -> None:
    """Set the log up once per process."""
    log.write = _write_for_people if for_people(settings) else _write
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
        level = "error" if record.levelno >= logging.ERROR else "warning"
        log.say(level, record.getMessage(), {"logger": record.name}, record.exc_info[1] if record.exc_info else None)


def _write(line: Line) -> None:
    try:
        written = msgspec.json.encode(line, enc_hook=str)
    except UnicodeEncodeError:
        # Half a character, in the words of an error. The standard library writes it in ASCII.
        written = json.dumps(line, default=str).encode()
    _put(written + b"\n")


def _write_for_people(line: Line) -> None:
    level, event, trace = line["level"], line["event"], line.get("exception", "")
    others = [name for name in line if name not in ("level", "event", "timestamp", "exception")]
    fields = " ".join(f"{_DIM}{name}={_PLAIN}{_shown(str(line[name]))}" for name in others)
    written = (
        f"{_DIM}{line['timestamp'][:19]}Z{_PLAIN} {_COLORS[level]}{level:8}{_PLAIN}{_shown(event):8} {fields}\n{_shown(trace, lines=True)}"
    )
    _put(written.encode())


def _shown(value: str, *, lines: bool = False) -> str:
    """The value as a terminal may show it: what would make a new line or speak to the terminal is written out."""
    return "".join(c if c.isprintable() or (lines and c == "\n") else c.encode("unicode_escape").decode() for c in value)


def _put(content: bytes) -> None:
    with _writing:
        sys.stderr.buffer.write(content)
        sys.stderr.buffer.flush()


log = Log(_write)

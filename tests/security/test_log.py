"""The log: each event is one line whatever its values, and a terminal shows it as text."""

import json
import logging

import pytest

from kalends.core import log

HOSTILE = 'x\r\n{"event":"forged"}\n\x1b[2J\x1b]0;title\x07\x00\x85\u2028 \ud800'


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_no_value_makes_a_line_of_its_own_or_speaks_to_the_terminal(capfdbinary: pytest.CaptureFixture[bytes], log_format: str) -> None:
    record = logging.makeLogRecord({"name": "kalends.http", "levelno": logging.WARNING, "msg": "unavailable"})
    record.fields = {"cause": HOSTILE, "endpoint": "GET /x"}
    formatter = log.ConsoleFormatter() if log_format == "console" else log.JsonFormatter()
    handler = logging.StreamHandler()
    handler.setFormatter(formatter)
    handler.handle(record)
    output = capfdbinary.readouterr().err
    assert output.count(b"\n") == 1
    if log_format == "json":
        assert json.loads(output)["event"] == "unavailable"
    else:
        assert b"\x1b[2J" not in output
        assert b"\x1b]" not in output
        assert b"\x00" not in output
    assert b"forged" in output

"""Outcomes of a delivery attempt, each with one line of text for the event's owner."""

from kalends.core.values.text import replace_control_characters

MAX_LENGTH = 200
# The error of a message that counts as sent and reached nobody.
WRITTEN = "No service is set up to send it. It was written to a file."


class Outcome(Exception):
    """Why a message was not sent. The text never contains a password."""


class Undeliverable(Outcome):
    """A permanent failure: no retry."""


class AddressRefused(Undeliverable):
    """A permanent failure: the mail server takes no mail for this address."""


class TryAgain(Outcome):
    """A temporary failure: retry later."""


class Unknown(Outcome):
    """The message may have been sent, so it is not retried."""


def redact(text: str, *secrets: str) -> str:
    """A server's reply as one short line, without secrets that it may echo."""
    for secret in filter(None, secrets):
        text = text.replace(secret, "…")
    line = replace_control_characters(text).strip()
    return line if len(line) <= MAX_LENGTH else line[: MAX_LENGTH - 1] + "…"

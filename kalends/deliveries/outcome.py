"""What can become of an attempt to send, said in one line for the event's owner."""

from kalends.values.text import replace_control_characters

MOST = 200


class Outcome(Exception):
    """Why a message was not sent. Its words never hold a password."""


class Undeliverable(Outcome):
    """It will never arrive: no attempt can change that."""


class TryAgain(Outcome):
    """It was not sent now, and may be later."""


class Unknown(Outcome):
    """Nobody knows whether it went out, so it must not go out again."""


def said(words: str, *secrets: str) -> str:
    """What a server said, as one short line without our secrets, should it echo them."""
    for secret in filter(None, secrets):
        words = words.replace(secret, "…")
    line = replace_control_characters(words).strip()
    return line if len(line) <= MOST else line[: MOST - 1] + "…"

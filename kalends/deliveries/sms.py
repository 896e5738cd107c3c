"""SMS: handed to an HTTP interface like Twilio's, or written to a file."""

import ssl
from base64 import b64encode
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from kalends import __version__
from kalends.deliveries import outbox_files
from kalends.deliveries.outcome import Outcome, TryAgain, Undeliverable, Unknown, said
from kalends.net.deadline import Deadline
from kalends.settings import Settings
from kalends.transports import Twilio, twilio

SECONDS: float = 10
MOST_READ = 64 * 2**10
OPERATOR = "The operator of this service must mend that."
# The request was not taken on: too many, not now, or it never arrived whole.
NOT_NOW = (408, 429, 503)
# What is wrong is the account or the address in the settings, not the message.
OPERATORS = (401, 403, 404)


def send(settings: Settings, number: str, text: str, delivery_id: int | str, *, seconds: float = SECONDS) -> None:
    """Hand the text over. What may have gone out already is Unknown: a second SMS costs money, and annoys."""
    interface = twilio(settings.sms)
    if interface is None:
        outbox_files.write(settings, f"{delivery_id}.sms.txt", f"To: {number}\n\n{text}\n".encode())
        return
    with Deadline(seconds, seconds) as deadline:
        connection = _connected(interface, deadline)
        try:
            _post(connection, interface, number, text)
            answer = connection.getresponse()
            failed = _outcome(interface, answer)
        except (HTTPException, OSError, ValueError):
            raise Unknown(
                "The SMS service broke the connection off, or did not answer in time. Nobody knows whether it was sent."
            ) from None
        finally:
            connection.close()
    if failed is not None:
        raise failed


def _connected(interface: Twilio, deadline: Deadline) -> HTTPConnection:
    """By hand, to know of each failure whether anything was sent before it."""
    try:
        made = deadline.connect(interface.host, interface.port, tls=interface.scheme == "https")
    except ssl.SSLError:
        raise TryAgain(f"No safe connection to the SMS service can be made. {OPERATOR}") from None
    except OSError:
        raise TryAgain("The SMS service cannot be reached.") from None
    kind = HTTPSConnection if interface.scheme == "https" else HTTPConnection
    connection = kind(interface.host, interface.port)
    connection.sock = made
    # A line that breaks before the request is through must not be mended by a second one.
    connection.auto_open = 0
    return connection


def _post(connection: HTTPConnection, interface: Twilio, number: str, text: str) -> None:
    credential = b64encode(f"{interface.sid}:{interface.token}".encode()).decode()
    connection.request(
        "POST",
        f"/2010-04-01/Accounts/{quote(interface.sid, safe='')}/Messages.json",
        urlencode({"To": number, "From": interface.sender, "Body": text}),
        {
            "Authorization": f"Basic {credential}",
            "Content-Type": "application/x-www-form-urlencoded",
            "User-Agent": f"Kalends/{__version__}",
            "Accept": "application/json",
            "Connection": "close",
        },
    )


def _outcome(interface: Twilio, answer: HTTPResponse) -> Outcome | None:
    status = answer.status
    if 200 <= status < 300:
        return None
    if status in NOT_NOW:
        return TryAgain(f"The SMS service cannot take it now ({status}).")
    if status in OPERATORS or 300 <= status < 400:
        return TryAgain(f"The SMS service refused this service's account ({status}). {OPERATOR}")
    if 400 <= status < 500:
        return Undeliverable(f"The SMS service answered {status}: {said(_message(answer), interface.token)}")
    return Unknown(f"The SMS service failed ({status}). It may have been sent.")


def _message(answer: HTTPResponse) -> str:
    """What the interface says for people."""
    try:
        found: Any = msgspec.json.decode(answer.read(MOST_READ))
        return str(found["message"])
    except (HTTPException, OSError, ValueError, KeyError, TypeError):
        return "it gave no reason"

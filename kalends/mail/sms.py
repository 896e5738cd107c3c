"""Send SMS through an HTTP API like Twilio's, or write them to a file."""

import ssl
from base64 import b64encode
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from kalends.core.net.deadline import Deadline
from kalends.core.net.http_connection import Connection
from kalends.core.settings import Settings
from kalends.core.transports import Twilio, twilio
from kalends.core.version import __version__
from kalends.features.deliveries.rules.outcome import Outcome, TryAgain, Undeliverable, Unknown, redact
from kalends.mail import mail

SECONDS: float = 10
MAX_READ = 64 * 2**10
OPERATOR = "The operator of this service must fix this."
# The request was not accepted: rate limited, unavailable, or incomplete.
NOT_NOW = (408, 429, 503)
# The account or the URL in the settings is wrong, not the message.
OPERATORS = (401, 403, 404)


def send(settings: Settings, number: str, text: str, delivery_id: int | str, *, seconds: float = SECONDS) -> None:
    """Send the text. If it may have been sent, raise Unknown: a second SMS costs money and annoys."""
    interface = twilio(settings.sms)
    if interface is None:
        mail.write_file(settings, f"{delivery_id}.sms.txt", f"To: {number}\n\n{text}\n".encode())
        return
    with Deadline(seconds, seconds) as deadline:
        connection = _connect(interface, deadline)
        try:
            _post(connection, interface, number, text)
            response = connection.getresponse()
            failed = _outcome(interface, response)
        except (HTTPException, OSError, ValueError):
            raise Unknown(
                "The SMS service closed the connection, or did not reply in time. It is not known whether the message was sent."
            ) from None
        finally:
            connection.close()
    if failed is not None:
        raise failed


def _connect(interface: Twilio, deadline: Deadline) -> Connection:
    """Connect in a step of its own, to tell failures before the request from later ones."""
    connection = Connection(interface.scheme, interface.host, interface.port, deadline)
    try:
        connection.open()
    except ssl.SSLError:
        raise TryAgain(f"No safe connection to the SMS service can be made. {OPERATOR}") from None
    except OSError:
        raise TryAgain("The SMS service cannot be reached.") from None
    return connection


def _post(connection: Connection, interface: Twilio, number: str, text: str) -> None:
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


def _outcome(interface: Twilio, response: HTTPResponse) -> Outcome | None:
    status = response.status
    if 200 <= status < 300:
        return None
    if status in NOT_NOW:
        return TryAgain(f"The SMS service cannot take it now ({status}).")
    if status in OPERATORS or 300 <= status < 400:
        return TryAgain(f"The SMS service refused this service's account ({status}). {OPERATOR}")
    if 400 <= status < 500:
        return Undeliverable(f"The SMS service replied {status}: {redact(_message(response), interface.token)}")
    return Unknown(f"The SMS service failed ({status}). It may have been sent.")


def _message(response: HTTPResponse) -> str:
    """The error message in the response."""
    try:
        reply: Any = msgspec.json.decode(response.read(MAX_READ))
        return str(reply["message"])
    except (HTTPException, OSError, ValueError, KeyError, TypeError):
        return "it gave no reason"

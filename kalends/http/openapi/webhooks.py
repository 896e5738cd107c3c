"""The requests that webhooks send, as OpenAPI describes them."""

import inspect
import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from kalends.http.openapi.derived import REF

# Standard Webhooks.
PARAMETERS = {
    "webhook-id": "Id of the delivery, the same in each attempt.",
    "webhook-timestamp": "When it was sent, in Unix time.",
    "webhook-signature": "Its signatures, separated by spaces: `v1,` and the HMAC-SHA256 in base64.",
}


def webhooks(messages: Sequence[type[Struct]]) -> dict[str, Any]:
    """The request for each kind of message."""
    return {_name(message): {"post": _operation(message)} for message in messages}


def _name(message: type[Struct]) -> str:
    return message.__name__.removesuffix("Message").lower()


def _operation(message: type[Struct]) -> dict[str, Any]:
    return {
        "operationId": f"webhook_{_name(message)}",
        "summary": re.sub(r"\s+", " ", inspect.getdoc(message) or ""),
        "tags": ["webhooks"],
        "parameters": [
            {"name": name, "in": "header", "required": True, "description": meaning, "schema": {"type": "string"}}
            for name, meaning in PARAMETERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": REF.format(name=message.__name__)}}},
        },
        "responses": {
            "2XX": {"description": "Received. With any other status it is sent again."},
            "410": {"description": "Nothing more is to be sent: the webhook is disabled."},
        },
    }

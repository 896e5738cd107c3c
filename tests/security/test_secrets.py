"""Secrets that were sent in the wrong place or shape are in no reply: neither in an error nor in a form that comes back."""

from collections.abc import Iterator
from typing import Any

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from kalends.http.endpoint import Endpoint
from tests.cast import Cast
from tests.test_policy import REQUEST_FIELDS, Scene

CANARY = "canary-9f3b1c"
SECRETS = ("password", "current_password", "wkey", "digest", "token", "access_token", "shared_secret", "secret")
OURS = {"Sec-Fetch-Site": "same-origin"}
# With a credential that could be one, an import would ask the provider; what it does with it is tested beside it.
WRITES = [
    endpoint for endpoint in ENDPOINTS if endpoint.writes and not endpoint.path.endswith(("/contacts/import", "/contacts/import/token"))
]


def _name(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.url}"


SHAPES: list[Any] = [CANARY, CANARY * 200, f"{CANARY}\x00", [CANARY], {CANARY: CANARY}]


def _fields(*, soak: bool) -> Iterator[dict[str, Any]]:
    """Every secret in each shape; by itself in its usual shape, and with `--soak` in every one."""
    for shape in SHAPES:
        yield dict.fromkeys(SECRETS, shape)
    for secret in SECRETS:
        for shape in SHAPES if soak else SHAPES[:1]:
            yield {secret: shape}


@pytest.mark.on_one_database
@pytest.mark.parametrize("endpoint", WRITES, ids=_name)
def test_no_reply_repeats_a_secret(cast: Cast, settings: Settings, endpoint: Endpoint, soak: bool) -> None:
    scene = Scene(cast, settings, "public")
    name = _name(endpoint)
    path, good = scene.path(endpoint.url), REQUEST_FIELDS[name](scene) if name in REQUEST_FIELDS else {}
    every = list(_fields(soak=soak))
    # A guest who may not call is refused before the body is parsed.
    for fields in every if soak or endpoint.guests else every[:1]:
        for headers in (OURS, OURS | {"Accept": "text/html", "Prefer": "handling=strict"}):
            reply = cast.anonymous.request(endpoint.method, path, json=good | fields, headers=headers)
            assert CANARY not in reply.text, (fields, reply)
            assert CANARY not in str(reply.headers)


@pytest.mark.on_one_database
def test_a_wrong_credential_is_not_repeated(cast: Cast) -> None:
    for headers in (
        {"Authorization": f"Bearer {CANARY}"},
        {"Authorization": f"Basic {CANARY}"},
        {"Authorization": CANARY},
        {"Cookie": f"kalends_session={CANARY}"},
    ):
        for endpoint in ENDPOINTS:
            if not endpoint.variables:
                reply = cast.anonymous.request(endpoint.method, endpoint.url, headers=headers)
                assert CANARY not in reply.text + str(reply.headers), (headers, endpoint.url)

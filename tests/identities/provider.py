"""A provider of OpenID Connect that does what the test wants, also what no honest one would."""

import json
from functools import cache
from typing import Any, Self
from urllib.parse import parse_qs, parse_qsl, urlsplit
from uuid import uuid4

from joserfc import jwt
from joserfc.jwk import RSAKey
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.identities.steps import provider_documents
from tests.client import Client, Reply
from tests.conftest import NOON, Clock
from tests.contacts.providers.stand import Request, Stand

CLIENT = "kalends"
START = "/sign-in/oidc/club"


@cache
def rsa_key(kid: str) -> RSAKey:
    """A key with this id, generated once: that takes longer than the login."""
    return RSAKey.generate_key(2048, {"kid": kid}, auto_kid=False)


class HostileProvider:
    """Its tokens have these claims and this header; `keys` are what it publishes."""

    def __init__(self) -> None:
        self.stand = Stand(self._reply)
        self.key = rsa_key("first")
        self.keys = [self.key]
        # Nobody else's, also where an earlier test had the same port.
        self.claims: dict[str, Any] = {"sub": uuid4().hex, "email": f"{uuid4().hex}@club.example"}
        self.header: dict[str, Any] = {}
        self.discovery: dict[str, Any] = {}
        self.token: str | None = None
        self.used: set[str] = set()
        self.nonce = ""
        self.sent: list[dict[str, str]] = []

    def __enter__(self) -> Self:
        self.stand.__enter__()
        provider_documents.forget()
        return self

    def __exit__(self, *error: object) -> None:
        self.stand.__exit__(*error)

    @property
    def issuer(self) -> str:
        return self.stand.url

    def table(self, name: str = "club", **more: Any) -> str:
        """Its table of the setting."""
        values = {"issuer": self.issuer, "client_id": CLIENT, "client_secret": "s3cret", "label": "Club account", "sign_up": "yes"} | more
        return f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())

    def count(self, path: str) -> int:
        return sum(request.target.startswith(path) for request in self.stand.requests)

    def id_token(self) -> str:
        claims = {
            **{"iss": self.issuer, "aud": CLIENT, "nonce": self.nonce, "iat": NOON, "exp": NOON + 300},
            **{"email_verified": True, "name": "Alice Club", "preferred_username": "alice.club"},
            **self.claims,
        }
        header = {"alg": "RS256", "kid": "first"} | self.header
        return jwt.encode(header, {name: value for name, value in claims.items() if value is not None}, self.key)

    def _reply(self, request: Request) -> None:
        if request.target == "/.well-known/openid-configuration":
            document = {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
            }
            request.reply(200, json.dumps(document | self.discovery))
        elif request.target == "/keys":
            request.reply(200, json.dumps({"keys": [key.as_dict(private=False) for key in self.keys]}))
        elif request.target == "/token":
            self._exchange(request)
        else:
            request.reply(404)

    def _exchange(self, request: Request) -> None:
        form = dict(parse_qsl(request.body.decode()))
        self.sent.append(form | {"head": request.head})
        if form["code"] in self.used:
            request.reply(400, json.dumps({"error": "invalid_grant"}))
            return
        self.used.add(form["code"])
        request.reply(200, json.dumps({"access_token": "a", "token_type": "Bearer", "id_token": self.token or self.id_token()}))


class Browser:
    """A browser's cookies, for a login from its start to its end."""

    def __init__(self, client: Client, cookies: dict[str, str] | None = None):
        self.client = client
        self.cookies = dict(cookies or {})

    def get(self, path: str) -> Reply:
        header = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        reply = self.client.get(path, headers={"Accept": "text/html"} | ({"Cookie": header} if header else {}))
        self.cookies |= reply.cookies
        self.cookies = {name: value for name, value in self.cookies.items() if value}
        return reply

    def start(self, path: str = START) -> dict[str, str]:
        """Go to the provider; the query that it gets."""
        reply = self.get(path)
        assert reply.status == 303, reply
        return {name: values[0] for name, values in parse_qs(urlsplit(reply.headers["Location"]).query).items()}

    def sign_in(self, provider: HostileProvider, path: str = START, code: str = "", **query: str) -> Reply:
        """The whole login; query: what the provider sends back instead."""
        asked = self.start(path)
        provider.nonce = asked["nonce"]
        return self.come_back({"state": asked["state"], "code": code or asked["state"][:20]} | query)

    def come_back(self, query: dict[str, str], path: str = START) -> Reply:
        pairs = "&".join(f"{name}={value}" for name, value in query.items())
        return self.get(f"{path.partition('?')[0]}/callback?{pairs}")

    @property
    def me(self) -> dict[str, Any] | None:
        """The user who is signed in here."""
        if "kalends_session" not in self.cookies:
            return None
        user: dict[str, Any] = self.client.signed_in(self.cookies["kalends_session"]).get("/api/users/current").json
        return user


def site(db: Database, settings: Settings, clock: Clock, *tables: str, **more: str) -> Client:
    """A guest of the site whose people sign in by these providers."""
    return Client(application(db, structs.replace(settings, oidc="\n".join(tables), **more), clock))

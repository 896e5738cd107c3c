"""An authenticator in software: what a phone or a security key would answer."""

import json
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

from tests.cast import Person
from tests.client import Client, Reply

ORIGIN = "http://testserver"
FLAG = AuthenticatorData.FLAG


class Authenticator:
    """It has one passkey, counts its signatures, and verifies its user unless it is told not to."""

    def __init__(self, origin: str = ORIGIN, *, counts: bool = True):
        self.origin, self.counts, self.counter = origin, counts, 0
        self.verifies_user = True
        self.credential_id = uuid4().bytes
        self._key = ec.generate_private_key(ec.SECP256R1())

    def create(self, options: str) -> str:
        """A passkey, as the answer to the options."""
        credential = AttestedCredentialData.create(Aaguid.NONE, self.credential_id, _public(self._key))
        data = AuthenticatorData.create(self._rp_hash(), self._flags() | FLAG.AT, self._count(), credential)
        client_data = self._client_data(CollectedClientData.TYPE.CREATE, options)
        return self._answer(client_data, attestationObject=bytes(AttestationObject.create("none", data, {})))

    def get(self, options: str) -> str:
        """A signature, as the answer to the options."""
        data = AuthenticatorData.create(self._rp_hash(), self._flags(), self._count())
        client_data = self._client_data(CollectedClientData.TYPE.GET, options)
        signature = self._key.sign(data + client_data.hash, ec.ECDSA(SHA256()))
        return self._answer(client_data, authenticatorData=bytes(data), signature=signature)

    def _rp_hash(self) -> bytes:
        return sha256((urlsplit(self.origin).hostname or "").encode()).digest()

    def _flags(self) -> Any:
        return FLAG.UP | FLAG.UV if self.verifies_user else FLAG.UP

    def _count(self) -> int:
        self.counter += self.counts
        return self.counter

    def _client_data(self, kind: str, options: str) -> CollectedClientData:
        return CollectedClientData.create(kind, websafe_decode(json.loads(options)["challenge"]), self.origin)

    def _answer(self, client_data: CollectedClientData, **fields: bytes) -> str:
        credential_id = websafe_encode(self.credential_id)
        response = {name: websafe_encode(value) for name, value in {"clientDataJSON": bytes(client_data), **fields}.items()}
        return json.dumps({"id": credential_id, "rawId": credential_id, "type": "public-key", "response": response})


def _public(key: ec.EllipticCurvePrivateKey) -> ES256:
    public: ES256 = ES256.from_cryptography_key(key.public_key())  # type: ignore[no-untyped-call]
    return public


def a_passkey(person: Person, authenticator: Authenticator | None = None) -> dict[str, Any]:
    """A passkey of the person, on the authenticator."""
    reply = person.post("/api/passkeys", json=registration(person, authenticator))
    assert reply.status == 201, reply
    passkey: dict[str, Any] = reply.json
    return passkey


def registration(person: Person, authenticator: Authenticator | None = None) -> dict[str, str]:
    """The fields of a new passkey."""
    options = person.post("/api/passkeys/options")
    assert options.status == 200, options
    return {"name": "phone", "passkey": (authenticator or Authenticator()).create(options.json["options"])}


def options_to_sign_in(guest: Client) -> str:
    reply = guest.post("/api/session/passkey_options")
    assert reply.status == 200, reply
    return str(reply.json["options"])


def sign_in(guest: Client, authenticator: Authenticator) -> Reply:
    return guest.post("/api/session", json={"passkey": authenticator.get(options_to_sign_in(guest))})

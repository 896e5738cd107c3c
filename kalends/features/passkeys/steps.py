"""Asking authenticators and verifying what they return. The verification is that of the library fido2, which the first such request
imports. A challenge is signed and not stored, so that any server takes the answer; each is used once."""

import hmac
import json
import secrets
from typing import TYPE_CHECKING, Any

from kalends.core.records.credentials import Passkey
from kalends.core.records.people import User
from kalends.core.tokens import derive
from kalends.http.context import Context
from kalends.policy import site as sites
from kalends.web import sign_in_ways

if TYPE_CHECKING:
    from fido2.server import Fido2Server
    from fido2.webauthn import AuthenticatorData

CHALLENGE_SECONDS = 300
_TIME_BYTES, _NONCE_BYTES = 8, 16
SIGN_IN = "sign in"
# What fido2 and the parsing of JSON raise for answers that are malformed or wrong.
_WRONG = (ValueError, KeyError, TypeError, AttributeError, IndexError)


class WrongAnswer(Exception):
    """The authenticator's answer is malformed, or not an answer to a challenge of ours."""


def ask_to_register(ctx: Context, user: User, existing: list[Passkey]) -> str:
    """The options with which a browser makes a passkey, as JSON."""
    from fido2.webauthn import (
        AttestedCredentialData,
        PublicKeyCredentialUserEntity,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    options, _ = _server(ctx).register_begin(
        PublicKeyCredentialUserEntity(id=str(user.id).encode(), name=user.user_name, display_name=user.name or user.user_name),
        [AttestedCredentialData(each.credential) for each in existing],
        resident_key_requirement=ResidentKeyRequirement.REQUIRED,
        user_verification=UserVerificationRequirement.REQUIRED,
        challenge=_new_challenge(ctx, _registration(user.id)),
    )
    return json.dumps(dict(options)["publicKey"])


def ask_to_sign_in(ctx: Context) -> str:
    """The options with which a browser offers the passkeys for this site, as JSON."""
    from fido2.webauthn import UserVerificationRequirement

    challenge = _new_challenge(ctx, SIGN_IN)
    options, _ = _server(ctx).authenticate_begin(user_verification=UserVerificationRequirement.REQUIRED, challenge=challenge)
    return json.dumps(dict(options)["publicKey"])


def verify_registration(ctx: Context, user_id: int, answer: str) -> "tuple[AuthenticatorData, str]":
    """The data of a new passkey, and its challenge, which the caller marks as used."""
    from fido2.webauthn import RegistrationResponse

    try:
        response = RegistrationResponse.from_dict(json.loads(answer))
        state, challenge = _state(ctx, _registration(user_id), response.response.client_data.challenge)
        return _server(ctx).register_complete(state, response), challenge
    except _WRONG as error:
        raise WrongAnswer(str(error)) from None


def credential_id_of(answer: str) -> bytes:
    """The id of the passkey that answered, which the signature has not proved yet."""
    from fido2.utils import websafe_decode

    try:
        return websafe_decode(json.loads(answer)["rawId"])
    except _WRONG as error:
        raise WrongAnswer(str(error)) from None


def verify_sign_in(ctx: Context, passkey: Passkey, answer: str) -> tuple[int, str]:
    """The counter of the passkey, and the challenge, which the caller marks as used."""
    from fido2.webauthn import AttestedCredentialData, AuthenticationResponse

    try:
        response = AuthenticationResponse.from_dict(json.loads(answer))
        state, challenge = _state(ctx, SIGN_IN, response.response.client_data.challenge)
        _server(ctx).authenticate_complete(state, [AttestedCredentialData(passkey.credential)], response)
        return response.response.authenticator_data.counter, challenge
    except _WRONG as error:
        raise WrongAnswer(str(error)) from None


def _server(ctx: Context) -> "Fido2Server":
    from fido2.server import Fido2Server
    from fido2.webauthn import PublicKeyCredentialRpEntity

    site = PublicKeyCredentialRpEntity(id=sign_in_ways.host_of(ctx.settings), name=sites.get(ctx).name)
    return Fido2Server(site, verify_origin=lambda origin: origin == ctx.settings.url)


def _registration(user_id: int) -> str:
    return f"register {user_id}"


def _new_challenge(ctx: Context, purpose: str) -> bytes:
    """The time, a random part, and a MAC over both and what the challenge is for."""
    head = ctx.now.to_bytes(_TIME_BYTES, "big") + secrets.token_bytes(_NONCE_BYTES)
    return head + _mac(ctx, purpose, head)


def _state(ctx: Context, purpose: str, challenge: bytes) -> tuple[dict[str, Any], str]:
    """The state for fido2, and the challenge as text; raises ValueError for one that is not ours, or is older than five minutes."""
    from fido2.utils import websafe_encode
    from fido2.webauthn import UserVerificationRequirement

    length = _TIME_BYTES + _NONCE_BYTES
    head, mac = challenge[:length], challenge[length:]
    issued_at = int.from_bytes(head[:_TIME_BYTES], "big")
    if not hmac.compare_digest(mac, _mac(ctx, purpose, head)) or not issued_at <= ctx.now < issued_at + CHALLENGE_SECONDS:
        raise ValueError("The challenge is not ours, or too old.")
    text = websafe_encode(challenge)
    return {"challenge": text, "user_verification": UserVerificationRequirement.REQUIRED}, text


def _mac(ctx: Context, purpose: str, head: bytes) -> bytes:
    return derive(ctx.settings, "passkey challenge", f"{purpose} {head.hex()}").encode()

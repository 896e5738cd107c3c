"""The OpenID Connect providers by which people sign in, as the setting `oidc` lists them: TOML with a table for each."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, structs

# It is a segment of URLs.
_NAME = re.compile(r"[a-z0-9-]{1,40}")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Provider(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A provider. The names of its fields are those in TOML."""

    name: str = ""
    issuer: str
    client_id: str
    client_secret: str = ""
    client_secret_file: str = ""
    # On the button; by default the name.
    label: str = ""
    scopes: str = "openid email profile"
    # The claim of the ID token that lists groups, the group that everybody must be in, and that of the admins.
    groups_claim: str = "groups"
    required_group: str = ""
    admin_group: str = ""
    # Whether people without an account here get one.
    sign_up: Literal["yes", "approval", "no"] = "no"
    # Whether an account with the same address is theirs, if the provider and this site have both verified the address.
    link_by_email: bool = False


@cache
def read(text: str) -> dict[str, Provider]:
    """The providers by name; raises ValueError with a sentence that has no secret."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"is no TOML: {error}") from None
    return {name: _read_table(name, table) for name, table in tables.items()}


def _read_table(name: str, table: object) -> Provider:
    if not _NAME.fullmatch(name) or not isinstance(table, dict) or "name" in table:
        raise ValueError("must have a table such as [keycloak] for each provider, with a name of lower-case letters, digits and hyphens")
    try:
        provider = msgspec.convert(table, Provider)
    except msgspec.ValidationError as error:
        raise ValueError(f"is wrong in [{name}]: {error}") from None
    if not is_safe(provider.issuer):
        raise ValueError(f"is wrong in [{name}]: the issuer must begin with https:// (http:// is for this machine alone)")
    if "openid" not in provider.scopes.split():
        raise ValueError(f"is wrong in [{name}]: scopes must have openid")
    return structs.replace(provider, name=name, label=provider.label or name, client_secret=_secret(provider, name))


def is_safe(url: str) -> bool:
    """Whether requests to this address stay secret: it has https, or is on this machine."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK))


def _secret(provider: Provider, name: str) -> str:
    if not provider.client_secret_file:
        return provider.client_secret
    try:
        return Path(provider.client_secret_file).read_text().strip()
    except (OSError, ValueError):
        raise ValueError(f"is wrong in [{name}]: {provider.client_secret_file} cannot be read") from None

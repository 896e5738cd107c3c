"""The configuration profile that adds the calendars and the contacts of a user to an iPhone, an iPad or a Mac.

It has no password: whoever installs it types the app password of the device. Installed once more, it takes the place of the first one,
since its identifiers are made from the URL of the site and the id of the key."""

import plistlib
from typing import Any
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

from kalends.core.records.credentials import Key

CONTENT_TYPE = "application/x-apple-aspen-config"
# The name of the settings of each account, its type, and what it is called.
_ACCOUNTS = (("CalDAV", "com.apple.caldav.account", "calendars"), ("CardDAV", "com.apple.carddav.account", "contacts"))


def build(site_url: str, site_name: str, user_id: int, user_name: str, key: Key) -> bytes:
    """The profile for the device of this app password."""
    site = urlsplit(site_url)
    accounts = [
        _payload(site_url, key, kind, payload_type, f"{site_name}: {content}")
        | {
            f"{kind}AccountDescription": site_name,
            f"{kind}HostName": site.hostname or "",
            f"{kind}Port": site.port or (443 if site.scheme == "https" else 80),
            f"{kind}UseSSL": site.scheme == "https",
            f"{kind}PrincipalURL": f"{site.path}/dav/users/{user_id}/",
            f"{kind}Username": user_name,
        }
        for kind, payload_type, content in _ACCOUNTS
    ]
    profile = _payload(site_url, key, "profile", "Configuration", f"{site_name} ({key.name})")
    return plistlib.dumps(profile | {"PayloadContent": accounts, "PayloadOrganization": site_name, "PayloadRemovalDisallowed": False})


def _payload(site_url: str, key: Key, part: str, payload_type: str, name: str) -> dict[str, Any]:
    """What every payload has."""
    host = ".".join(reversed((urlsplit(site_url).hostname or "localhost").split(".")))
    return {
        "PayloadType": payload_type,
        "PayloadVersion": 1,
        "PayloadIdentifier": f"{host}.kalends.{key.id}.{part.lower()}",
        "PayloadUUID": str(uuid5(NAMESPACE_URL, f"{site_url}/account/devices/{key.id}#{part}")).upper(),
        "PayloadDisplayName": name,
    }

"""The page that connects devices: an app password, shown once."""

import plistlib
import re
from uuid import UUID

import pytest

from kalends.web.drawings import draw_qr_code
from tests.cast import Cast, a_key
from tests.client import Client
from tests.dav.clients import device, propfind

pytestmark = pytest.mark.on_one_database


def test_a_device_signs_in_with_what_the_page_shows_until_it_is_disconnected(cast: Cast, client: Client) -> None:
    page = cast.alice.post("/account/devices", data={"name": "my <phone>"})
    assert (page.status, page.headers["Cache-Control"]) == (200, "no-store")
    assert "my &lt;phone&gt;" in page.text
    password = re.search(r"\b[0-9a-z]{4}(?:-[0-9a-z]{4}){5}\b", page.text)
    assert password
    # A phone that scans the code gets the same.
    url = f"caldav://{cast.alice.user_name}:{password[0]}@testserver/"
    assert f'href="{url}"' in page.text
    assert str(draw_qr_code(url)) in page.text
    headers = device(cast.alice, password[0])
    assert propfind(client, "/dav/", "D:displayname", **headers).status == 207
    devices = cast.alice.get("/account/devices")
    assert "my &lt;phone&gt;" in devices.text
    assert password[0] not in devices.text
    assert "my &lt;phone&gt;" not in cast.alice.get("/account").text
    delete = re.search(r'href="(/account/keys/\w+/delete)"', devices.text)
    assert delete
    assert cast.alice.post(delete[1]).redirect == ("/account/devices", "deleted")
    assert propfind(client, "/dav/", "D:displayname", **headers).status == 401


def test_a_profile_adds_the_calendars_and_contacts_to_an_apple_device(cast: Cast, client: Client) -> None:
    page = cast.alice.post("/account/devices", data={"name": "iPhone"})
    password = re.search(r"\b[0-9a-z]{4}(?:-[0-9a-z]{4}){5}\b", page.text)
    path = re.search(r'href="(/account/devices/\w+\.mobileconfig)"', page.text)
    assert password and path  # noqa: PT018
    assert str(draw_qr_code(f"http://testserver{path[1]}")) in page.text
    assert path[1] in cast.alice.get("/account/devices").text
    reply = cast.alice.get(path[1])
    assert (reply.status, reply.headers["Content-Type"]) == (200, "application/x-apple-aspen-config")
    assert password[0].encode() not in reply.content
    profile = plistlib.loads(reply.content)
    assert (profile["PayloadType"], profile["PayloadVersion"]) == ("Configuration", 1)
    accounts = {each["PayloadType"]: each for each in profile["PayloadContent"]}
    assert accounts.keys() == {"com.apple.caldav.account", "com.apple.carddav.account"}
    payloads = [profile, *accounts.values()]
    assert len({UUID(each["PayloadUUID"]) for each in payloads}) == len({each["PayloadIdentifier"] for each in payloads}) == 3
    headers = device(cast.alice, password[0])
    for kind, payload in zip(("CalDAV", "CardDAV"), profile["PayloadContent"], strict=True):
        assert (payload[f"{kind}HostName"], payload[f"{kind}Port"], payload[f"{kind}UseSSL"]) == ("testserver", 80, False)
        assert payload[f"{kind}Username"] == cast.alice.user_name
        assert f"{kind}Password" not in payload
        assert propfind(client, payload[f"{kind}PrincipalURL"], "D:displayname", **headers).status == 207
    # Installed again, it takes its own place.
    assert cast.alice.get(path[1]).content == reply.content
    assert cast.bob.get(path[1]).status == 404
    assert client.get(path[1]).status == 401


def test_a_key_of_the_api_has_no_profile(cast: Cast) -> None:
    assert cast.alice.get(f"/account/devices/{a_key(cast.alice)['id']}.mobileconfig").status == 404

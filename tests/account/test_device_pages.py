"""The page that connects devices: an app password, shown once."""

import re

import pytest

from kalends.web.drawings import draw_qr_code
from tests.cast import Cast
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

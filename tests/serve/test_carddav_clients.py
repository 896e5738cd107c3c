"""Address books with real clients: vdirsyncer on two devices, and khard on one of them."""

import base64
import re
from pathlib import Path
from typing import Any

import pytest

from tests.serve.running import Running, bearer
from tests.serve.vdirsyncer import Device

PHOTO = base64.b64encode(bytes(range(256)) * 40).decode()
FOLDED = "\r\n ".join(PHOTO[i : i + 74] for i in range(0, len(PHOTO), 74))
ANA = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:ana-1\r\nN:Lopez;Ana;;;\r\nFN:Ana Lopez\r\nitem1.EMAIL;type=INTERNET;type=pref:ana@example.org\r\n"
    "item1.X-ABLabel:_$!<Work>!$_\r\nTEL;type=CELL:+33 6 12 34 56 78\r\nX-SOCIALPROFILE;type=twitter:http://twitter.com/ana\r\n"
    f"PHOTO;ENCODING=b;TYPE=JPEG:{FOLDED}\r\nEND:VCARD\r\n"
)
GROUP = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:group-1\r\nN:Friends;;;;\r\nFN:Friends\r\nX-ADDRESSBOOKSERVER-KIND:group\r\n"
    "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:ana-1\r\nEND:VCARD\r\n"
)


class AddressBook(Device):
    """A device with khard."""

    def __init__(self, folder: Path, service: Running, user_name: str, password: str):
        super().__init__(folder, service, user_name, password, type="carddav", collections=["contacts"])

    def khard(self, *arguments: str) -> str:
        config = self.folder / "khard.conf"
        config.write_text(f"[addressbooks]\n[[contacts]]\npath = {self.files}\n[general]\neditor = true\nmerge_editor = true\n")
        return self.run("khard", "-c", str(config), *arguments)


class User:
    """A user of the service with two devices."""

    def __init__(self, service: Running, name: str, folder: Path):
        self.service = service
        self.token = bearer(service.sign_up(name))
        self.devices = [self._connect(folder / device, name) for device in ("phone", "laptop")]

    def _connect(self, folder: Path, name: str) -> AddressBook:
        key = self.service.post("/api/keys", {"name": folder.name, "kind": "dav"}, headers=self.token)
        assert key.status == 201, key
        return AddressBook(folder, self.service, name, key.json["wkey"])

    def contacts(self) -> dict[str, dict[str, Any]]:
        items = self.service.get("/api/contacts", headers=self.token).json["contacts"]
        return {str(item["first_name"]): item for item in items}

    def change(self, first_name: str, **fields: Any) -> None:
        reply = self.service.request("PUT", f"/api/contacts/{self.contacts()[first_name]['id']}", fields, self.token)
        assert reply.status == 200, reply


@pytest.mark.soak
def test_two_devices_and_the_page_share_contacts_with_photos_and_groups(service: Running, tmp_path: Path) -> None:
    user = User(service, "ana_owner", tmp_path)
    phone, laptop = user.devices
    (phone.files / "ana.vcf").write_bytes(ANA.encode())
    (phone.files / "group.vcf").write_bytes(GROUP.encode())
    phone.sync()
    assert laptop.sync() == {"ana-1": ANA.encode(), "group-1": GROUP.encode()}
    assert user.contacts()["Ana"]["email_address"] == "ana@example.org"

    # A change on the page leaves the photo, the label and the profile as they were.
    user.change("Ana", email_address="new@example.org")
    cards = laptop.sync()
    assert without_rev(cards["ana-1"].decode()) == ANA.replace("ana@example.org", "new@example.org")
    assert cards["group-1"] == GROUP.encode()

    # khard changes one contact and creates another.
    template = laptop.khard("show", "--format", "yaml", "Ana").replace("Nickname:", "Nickname: Anita")
    laptop.khard("edit", "-i", str(_write(laptop.folder / "ana.yaml", template)), "Ana")
    template = "First name: Max\nLast name: Frisch\nEmail:\n    home: max@example.org\n"
    laptop.khard("new", "-i", str(_write(laptop.folder / "max.yaml", template)))
    laptop.sync()
    assert {name: item["email_address"] for name, item in user.contacts().items()} == {"Ana": "new@example.org", "Max": "max@example.org"}
    # What khard wrote is kept as well when the contact is changed on the page again.
    written = laptop.read()["ana-1"].decode()
    user.change("Ana", email_address="third@example.org")
    cards = laptop.sync()
    assert without_rev(cards["ana-1"].decode()) == without_rev(written.replace("new@example.org", "third@example.org"))
    assert (PHOTO.encode() in cards["ana-1"].replace(b"\r\n ", b""), cards["group-1"]) == (True, GROUP.encode())

    # The phone has changed an older version: vdirsyncer reads the card again, and its rule lets the server win.
    path = phone.find("ana-1")
    path.write_bytes(path.read_bytes().replace(b"+33 6", b"+33 7"))
    cards = phone.sync()
    assert b"NICKNAME:Anita" in cards["ana-1"]
    assert PHOTO in cards["ana-1"].decode().replace("\r\n ", "")
    assert len(cards) == 3

    # Deletions on either device reach the page and the other device.
    laptop.khard("remove", "--force", "Max")
    phone.find("group-1").unlink()
    phone.sync()
    assert laptop.sync().keys() == {"ana-1"}
    assert (set(user.contacts()), set(phone.sync())) == ({"Ana"}, {"ana-1"})


def without_rev(card: str) -> str:
    """The card without the time of its last change."""
    return re.sub(r"^REV:.*\r\n", "", card, flags=re.MULTILINE)


def _write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path

"""Hostile pictures are refused with a message that names the field, or cleaned; the process that opens them has limits."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO

import pytest
from PIL import Image, PngImagePlugin

from kalends.core import errors
from kalends.features.pictures.steps import add as conversion
from kalends.features.pictures.steps import child_process, reencode
from kalends.features.pictures.steps.add import convert
from tests.cast import Cast, an_event
from tests.pictures.files import SMALL_PICTURE, encode, photo, png, upload

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'


def _located() -> bytes:
    """A photo that lies on its side, with the place where it was taken and words in several kinds of metadata."""
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = "canary"
    exif.get_ifd(0x8825)[1] = "N"
    return encode(photo(80, 40), "JPEG", exif=exif, comment=b"canary", xmp=b"<x:xmpmeta>canary</x:xmpmeta>")


def _annotated() -> bytes:
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", "canary", zip=True)
    return encode(photo(80, 40), "PNG", pnginfo=info, icc_profile=b"canary" * 30)


def _animated() -> bytes:
    return encode(
        photo(80, 40), "WEBP", save_all=True, append_images=[Image.new("RGB", (80, 40), (n % 256, n // 256, 9)) for n in range(500)]
    )


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "SVG with a script": (lambda: SVG, "is not a picture that can be read"),
    "GIF": (lambda: encode(photo(), "GIF"), "is not a picture that can be read"),
    "EPS": (lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "is not a picture that can be read"),
    "HTML": (lambda: b"<!doctype html><script>alert(1)</script>", "is not a picture that can be read"),
    "bytes": (lambda: bytes(range(256)), "is not a picture that can be read"),
    "nothing": (lambda: b"", "is not a picture that can be read"),
    "50,000 on a side": (lambda: png(50_000, 50_000, rows=2), "has 50,000 × 50,000 pixels"),
    "a line of a million pixels": (lambda: png(1_000_000, 1, rows=1), "has 1,000,000 × 1 pixels"),
    "cut off": (lambda: encode(photo(900, 600), "JPEG")[:2_000], "is damaged or cut off"),
    "a head alone": (lambda: SMALL_PICTURE[:60], "is damaged or cut off"),
    "broken inside": (lambda: encode(photo(900, 600), "WEBP")[:40] + bytes(4_000), "is damaged or cut off"),
    "too many bytes": (lambda: SMALL_PICTURE + bytes(conversion.MAX_BYTES), "must be at most 8 MiB"),
}
CLEANED: dict[str, Callable[[], bytes]] = {
    "place and words": _located,
    "compressed words and a broken profile": _annotated,
    "a page and a ZIP file behind it": lambda: encode(photo(80, 40), "JPEG") + b"<script>canary</script>PK\x03\x04canary",
    "many frames": _animated,
}


@pytest.mark.on_one_database
@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_file_is_refused_and_the_field_named(cast: Cast, name: str) -> None:
    make, message = REFUSED[name]
    event = an_event(cast.alice)
    reply = upload(cast.alice, event, make(), filename="photo.jpg")
    assert (reply.status, reply.broken) == (422, ["file"])
    assert message in reply.json["errors"][0]["message"]
    assert cast.alice.get(f"/api/events/{event['id']}").json["image"] is None


@pytest.mark.parametrize("name", CLEANED)
def test_only_the_pixels_of_the_first_frame_are_taken_over(name: str) -> None:
    content = CLEANED[name]()
    converted = convert(content)
    for file in converted.files:
        image = Image.open(BytesIO(file))
        assert (image.format, getattr(image, "n_frames", 1), len(image.getexif())) == ("WEBP", 1, 0)
        assert b"canary" not in file
        assert not {"exif", "xmp", "icc_profile", "comment"} & {name for name, value in image.info.items() if value}


def test_a_photo_that_lies_on_its_side_is_turned_upright() -> None:
    converted = convert(_located())
    assert (converted.width, converted.height) == (40, 80)
    pixels = Image.open(BytesIO(converted.files[-1])).convert("RGB")
    top, bottom = pixels.getpixel((20, 5)), pixels.getpixel((20, 75))
    assert isinstance(top, tuple)
    assert isinstance(bottom, tuple)
    assert (top[0] > top[2], bottom[0] > bottom[2]) == (True, False)


def test_transparent_pixels_stay_transparent() -> None:
    converted = convert(encode(Image.new("RGBA", (20, 20), (255, 0, 0, 0)), "PNG"))
    assert Image.open(BytesIO(converted.files[-1])).mode == "RGBA"


def test_a_bomb_stays_within_the_memory_of_its_process() -> None:
    """39 megapixels in a file of 112 KiB. The limit is that of the process, whatever the picture is."""
    bomb = png(7_300, 5_400, rows=5_400)
    assert len(bomb) < 200_000
    converted = convert(bomb)
    assert (converted.width, converted.height) == (1600, 1184)
    program = "from kalends.features.pictures.steps import reencode; reencode.limit_process(); bytes(reencode.MEMORY)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert result.stderr.endswith(b"MemoryError\n")


def test_a_process_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_process, "TIMEOUT_SECONDS", 0.01)
    with pytest.raises(errors.Invalid) as refusal:
        convert(SMALL_PICTURE)
    assert refusal.value.errors[0].message.startswith("takes too long to open")


def test_the_process_has_limits_and_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KALENDS_SECRET", "canary")
    program = f"""
import os, resource, subprocess, sys
from kalends.features.pictures.steps import child_process, reencode
command = [sys.executable, "-c", "import os; print(sorted(os.environ))"]
run = subprocess.run
child_process.subprocess.run = lambda _, **options: run(command, **options)
print(child_process.run("module", b"").decode())
reencode.limit_process()
print(resource.getrlimit(resource.RLIMIT_CPU)[1] == {reencode.CPU_SECONDS}, resource.getrlimit(resource.RLIMIT_FSIZE)[1] == 0)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=dict(os.environ))
    variables, limits = result.stdout.split("\n\n")
    assert "KALENDS_SECRET" not in variables
    assert limits.split() == ["True", "True"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 0

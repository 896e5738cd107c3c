"""A stored picture: its address, and the sizes in which it is served. All follow from its path, which events have as image_url."""

import re

from msgspec import Struct

# Browsers choose one of these widths; a smaller picture is not enlarged.
WIDTHS = (480, 960, 1600)
MAX_HEIGHT = 2400

_PATH = re.compile(r"/pictures/([A-Za-z0-9_-]{43})-([1-9]\d{0,3})x([1-9]\d{0,3})\.webp")


class PictureFile(Struct, frozen=True):
    """A picture in one size."""

    path: str
    width: int
    height: int


class Picture(Struct, frozen=True):
    """A picture, with the size of its largest file."""

    key: str
    width: int
    height: int

    @property
    def path(self) -> str:
        """The path of the largest file."""
        return self.files[-1].path

    @property
    def files(self) -> list[PictureFile]:
        """All files, the smallest first."""
        sizes = scaled_sizes(self.width, self.height)
        return [PictureFile(f"/pictures/{self.key}-{width}x{height}.webp", width, height) for width, height in sizes]

    @property
    def srcset(self) -> str:
        return ", ".join(f"{file.path} {file.width}w" for file in self.files)


def parse_path(path: str | None) -> Picture | None:
    """The picture with this path; None if it is not the path of one."""
    match = _PATH.fullmatch(path) if path else None
    return Picture(match[1], int(match[2]), int(match[3])) if match else None


def parse_url(url: str | None, base: str) -> Picture | None:
    """The picture with this URL; None if it is elsewhere."""
    return parse_path(url.removeprefix(base)) if url else None


def to_path(url: str | None, base: str) -> str | None:
    """The path of a picture of this service, so that it stays valid if the URL of the service changes; else the URL."""
    return url.removeprefix(base) if url and parse_url(url, base) else url


def to_url(path: str | None, base: str) -> str | None:
    """The URL of a picture with this path; one that is elsewhere has a URL already."""
    return f"{base}{path}" if path and path.startswith("/") else path


def scaled_sizes(width: int, height: int) -> list[tuple[int, int]]:
    """The sizes of the files of a picture, of which this is the largest."""
    smaller = [(each, max(1, round(height * each / width))) for each in WIDTHS if each < width]
    return [*smaller, (width, height)]

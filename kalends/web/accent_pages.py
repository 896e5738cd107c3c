"""The style sheets of accent colours: as dark on light pages and as light on dark ones as their contrast needs."""

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.settings import COLOR
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.web.page import page

Color = tuple[float, float, float]

# That of style.css.
DEFAULT_ACCENT = "#9c3318"
BLACK, WHITE = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
# What the accent is read on: the surfaces of style.css that are the hardest for it, on light and on dark pages.
LIGHT_SURFACE, DARK_SURFACE = "#f1ebe2", "#292623"
# Text on buttons of the accent colour.
ON_LIGHT_ACCENT, ON_DARK_ACCENT = "#ffffff", "#141312"
# The share of the accent in the tint of today and of what is chosen.
TINT = 0.1
# More than the 4.5 of WCAG 2.2 AA, since tints are between the accent and the surface.
CONTRAST = 5.6
STEPS = 50


def style_sheet(color: str) -> str:
    """The variables of style.css that follow from the accent colour."""
    light, dark = fit(color, LIGHT_SURFACE, BLACK), fit(color, DARK_SURFACE, WHITE)
    mixed = f"color-mix(in srgb, var(--accent) {TINT:.0%}, var(--card))"
    tint = f"--today: {mixed}; --tint: {mixed}"
    return (
        f":root {{ --accent: {light}; --on-accent: {ON_LIGHT_ACCENT}; {tint}; }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ --accent: {dark}; --on-accent: {ON_DARK_ACCENT}; }} }}\n"
    )


def fit(color: str, surface: str, towards: Color) -> str:
    """The colour, mixed with black or white until it can be read on the surface."""
    parsed, below = parse(color), parse(surface)
    mixed = (mix(parsed, towards, step / STEPS) for step in range(STEPS + 1))
    return _format(next((each for each in mixed if contrast(each, below) >= CONTRAST), towards))


def parse(color: str) -> Color:
    red, green, blue = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


def mix(color: Color, other: Color, share: float) -> Color:
    """The colour with a share of the other one, as color-mix(in srgb) does."""
    red, green, blue = (one * (1 - share) + two * share for one, two in zip(color, other, strict=True))
    return red, green, blue


def contrast(color: Color, other: Color) -> float:
    """The contrast ratio of WCAG 2.2."""
    darker, lighter = sorted((_luminance(color), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Color) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _format(color: Color) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in color)


@page("GET", "/accent/{color_name}", guests=True, transaction=False, credentials=False)
def show(ctx: Context, color_name: str) -> Document:
    """The style sheet of this accent colour: six hexadecimal digits. It follows from its URL alone, so caches may store it."""
    color = f"#{color_name}"
    if not COLOR.fullmatch(color):
        raise errors.NotFound(gettext("There is no such path. Check the URL."))
    ctx.headers["Cache-Control"] = "public, max-age=86400"
    return Document(style_sheet(color.lower()).encode(), "text/css; charset=utf-8")

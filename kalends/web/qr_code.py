"""QR codes as SVG, drawn into a page."""

import segno
from markupsafe import Markup


def draw(text: str) -> Markup:
    """A QR code of the text, black on white in every colour scheme, with the margin that cameras need."""
    code = segno.make(text, error="m", micro=False)
    return Markup(code.svg_inline(border=4, dark="#000", light="#fff", omitsize=True, svgclass="qr"))  # noqa: S704

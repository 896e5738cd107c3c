"""Draw the icons of phones from mark.svg, by Chromium: `python -m tests.web.icons`. They are committed, and change with the mark alone."""

from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.web import chromium

STATIC = Path(__file__).parents[2] / "kalends/web/static"
COLOR = "#a63a1e"
# The size of each file, and how much of it the mark takes: Android cuts a maskable icon to a circle, and iOS rounds its corners itself.
ICONS = {"icon-192.png": (192, 1.0), "icon-512.png": (512, 1.0), "icon-maskable-512.png": (512, 0.8), "apple-touch-icon.png": (180, 1.0)}
FULL = ("icon-maskable-512.png", "apple-touch-icon.png")
COLOURS = 32


def draw() -> None:
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        page = browser.new_page()
        for name in ICONS:
            _draw(page, name)
        browser.close()


def _draw(page: Page, name: str) -> None:
    size, part = ICONS[name]
    side = round(size * part)
    ground = COLOR if name in FULL else "transparent"
    style = f"margin: 0; width: {size}px; height: {size}px; display: grid; place-items: center; background: {ground}"
    mark = (STATIC / "mark.svg").read_text().replace("<svg ", f'<svg width="{side}" height="{side}" ')
    page.set_viewport_size({"width": size, "height": size})
    page.set_content(f'<body style="{style}">{mark}</body>')
    image = Image.open(BytesIO(page.screenshot(omit_background=True)))
    image.quantize(COLOURS, Image.Quantize.FASTOCTREE).save(STATIC / name, optimize=True)
    print(name, (STATIC / name).stat().st_size, "bytes")


if __name__ == "__main__":
    draw()

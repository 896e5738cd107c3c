"""Horizontal bars as SVG, readable on light and on dark pages."""

from html import escape

from msgspec import Struct

WIDTH, LEFT, LONGEST = 760, 110, 480
BAR, GAP, TOP = 18, 22, 76
STYLE = """
text { font: 13px sans-serif; fill: #222 } .title { font-weight: bold; font-size: 15px } .page { fill: #fff }
.bar0 { fill: #9c3318 } .bar1 { fill: #5b6b8c } .bar2 { fill: #9aa0ac } .bar3 { fill: #7a9a6b }
@media (prefers-color-scheme: dark) {
  text { fill: #eee } .page { fill: #16181d } .bar0 { fill: #e07a55 } .bar1 { fill: #8fa3cc } .bar2 { fill: #6a707c }
  .bar3 { fill: #9bbf8a }
}
"""


class Group(Struct, frozen=True):
    """A group of bars, one for each name of the legend; None where nothing was measured."""

    label: str
    values: list[float | None]


def bars(title: str, legend: list[str], groups: list[Group]) -> str:
    """The picture. Each bar has its number, so that short ones can be read too."""
    scale = LONGEST / max(value or 0 for group in groups for value in group.values)
    height = TOP + sum(_height(group) for group in groups)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        '<rect class="page" width="100%" height="100%"/>',
        f'<text class="title" x="16" y="26">{escape(title)}</text>',
        *_legend(legend),
    ]
    y = TOP
    for group in groups:
        parts += _bars(group, y, scale)
        y += _height(group)
    return "\n".join([*parts, "</svg>", ""])


def _height(group: Group) -> int:
    return len(group.values) * GAP + 14


def _legend(names: list[str]) -> list[str]:
    parts, x = [], 16
    for i, name in enumerate(names):
        parts.append(f'<rect class="bar{i}" x="{x}" y="42" width="12" height="12"/>')
        parts.append(f'<text x="{x + 18}" y="53">{escape(name)}</text>')
        x += 42 + 7 * len(name)
    return parts


def _bars(group: Group, y: int, scale: float) -> list[str]:
    parts = [f'<text x="16" y="{y + 14}">{escape(group.label)}</text>']
    for i, value in enumerate(group.values):
        if value is None:
            continue
        top, width = y + i * GAP, max(1.0, value * scale)
        parts.append(f'<rect class="bar{i}" x="{LEFT}" y="{top}" width="{width:.1f}" height="{BAR}"/>')
        parts.append(f'<text x="{LEFT + width + 6:.1f}" y="{top + 14}">{value:,.0f}</text>')
    return parts

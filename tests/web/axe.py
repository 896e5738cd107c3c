"""axe-core: automated checks of WCAG 2.2 and of good practice."""

from functools import cache
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

COLOUR_RULES = ["color-contrast", "link-in-text-block"]
EVERYTHING = {"runOnly": {"type": "tag", "values": "wcag2a wcag2aa wcag21a wcag21aa wcag22aa best-practice".split()}}
COLOURS = {"runOnly": {"type": "rule", "values": COLOUR_RULES}}
COLOURS_AND_TARGETS = {"runOnly": {"type": "rule", "values": [*COLOUR_RULES, "target-size"]}}

# The API reference and the guide say a hundred times the same in other words, and forms list all time zones; a few of them tell what
# can be wrong.
SHORTENED = """() => {
  for (const many of ['article', '.reference details', '.operations li'])
    [...document.querySelectorAll(many)].slice(3).forEach(element => element.remove());
  document.querySelectorAll('datalist option:nth-child(n+4)').forEach(element => element.remove());
  document.querySelectorAll('.reference dl > :nth-child(n+9)').forEach(element => element.remove());
  document.querySelectorAll('.guide tbody tr:nth-child(n+4), .guide li:nth-child(n+4)').forEach(element => element.remove());
}"""

# Most of the time goes into two rules about how elements look. Of elements that look alike, with all that is around them, this many tell
# what can be wrong with them; the others are marked, and left out of these rules.
FEW = 3
CONFIGURE = """() => axe.configure({
  rules: ['color-contrast', 'target-size'].map(id => ({id, selector: '*:not([data-alike])'})),
})"""
MARK = """([within, most]) => {
  const numbers = new Map(), counts = new Map();
  const number = look => numbers.get(look) ?? numbers.set(look, numbers.size).get(look);
  const mark = (element, around) => {
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    const look = number([
      around, element.tagName, style.color, style.backgroundColor, style.backgroundImage, style.fontSize, style.fontWeight, style.opacity,
      style.display, style.position, element.checkVisibility({visibilityProperty: true}), Math.min(box.width, box.height) < 24,
    ].join());
    counts.set(look, (counts.get(look) ?? 0) + 1);
    element.toggleAttribute('data-alike', counts.get(look) > most);
    for (const child of element.children) mark(child, look);
  };
  for (const element of document.querySelectorAll(within)) mark(element, '');
}"""

# Without `preload`, style sheets and sounds are not fetched once more, for two rules: about styles for one orientation of a device, which
# the style sheet does not have, and about sounds that play by themselves, which the content policy blocks.
RUN = "([context, rules]) => axe.run(context, {...rules, resultTypes: ['violations'], preload: false})"


def violations(page: Page, rules: dict[str, Any] = EVERYTHING, within: str = "html", most_alike: int = FEW) -> list[str]:
    """The violations on the page, or in a part of it: a line each."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(SHORTENED)
        page.evaluate(_script())
        page.evaluate(CONFIGURE)
    page.evaluate(MARK, [within, most_alike])
    result = page.evaluate(RUN, [{"include": [[within]]}, rules])
    return [
        f"{page.url} {each['id']}: {' '.join(map(str, node['target']))} {node['html'][:150]} ({node['failureSummary']})"
        for each in result["violations"]
        for node in each["nodes"]
    ]


@cache
def _script() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text()

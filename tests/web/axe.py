"""axe-core: automated checks of WCAG 2.2 and of good practice."""

from functools import cache
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

EVERYTHING = {"type": "tag", "values": "wcag2a wcag2aa wcag21a wcag21aa wcag22aa best-practice".split()}
COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
FIELDS = {"type": "tag", "values": ["cat.forms", "cat.aria"]}
TARGETS = {"type": "rule", "values": ["target-size"]}

# The API reference and the guide say a hundred times the same in other words; a few of them tell what can be wrong.
SHORTENED = """() => {
  [...document.querySelectorAll('article, .operations li')].slice(3).forEach(element => element.remove());
  document.querySelectorAll('.guide tbody tr:nth-child(n+4), .guide li:nth-child(n+4)').forEach(element => element.remove());
}"""


def violations(page: Page, rules: dict[str, Any] = EVERYTHING, within: str = "html") -> list[str]:
    """The violations on the page, or in a part of it, a line each."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(SHORTENED)
        page.evaluate(_script())
    result = page.evaluate("([within, rules]) => axe.run(within, {runOnly: rules, resultTypes: ['violations']})", [within, rules])
    return [
        f"{page.url} {each['id']}: {' '.join(map(str, node['target']))} {node['html'][:150]} ({node['failureSummary']})"
        for each in result["violations"]
        for node in each["nodes"]
    ]


@cache
def _script() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text()

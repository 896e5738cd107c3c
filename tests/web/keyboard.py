"""The way of the keyboard through a page: it reaches each clickable element, in order, with a visible focus."""

from playwright.sync_api import Page

MOST_STEPS = 45

# Moves the focus to the beginning of a part of the page.
BEGIN = """part => {
  const begin = document.querySelector(part);
  begin.tabIndex = -1;
  begin.focus();
  begin.blur();
}"""
# The elements that the keyboard must reach, in the order of the page: one of each group of radio buttons, one of each grid, in which the
# arrow keys go on, and nothing collapsed or hidden.
REACHABLE = """part => {
  const names = new Set();
  return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
    .filter(element => element.tabIndex >= 0 || !element.closest('[role=grid]'))
    .filter(element => element.closest(part) && element.checkVisibility({checkVisibilityCSS: true}) && !element.disabled)
    .filter(element => {
      const group = element.type === 'radio' && `${element.form?.action} ${element.name}`;
      return !group || (!names.has(group) && names.add(group));
    })
    .slice(0, MOST).map((element, number) => { element.dataset.number = number; return element.outerHTML.slice(0, 100); });
}""".replace("MOST", str(MOST_STEPS))

FOCUSED = """() => {
  const element = document.activeElement, style = getComputedStyle(element), box = element.getBoundingClientRect();
  const radio = element.type === 'radio' && (element.form ?? document).querySelector(`[data-number][name="${element.name}"]`);
  return {
    number: Number((radio || element).dataset.number ?? -1), html: element.outerHTML.slice(0, 100),
    is_marked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 || style.boxShadow !== 'none',
    is_seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
}"""


def assert_reaches_everything(page: Page, part: str) -> None:
    """Walk through a part of the page by the tabulator key."""
    page.evaluate(BEGIN, part)
    expected = page.evaluate(REACHABLE, part)
    reached: list[int] = []
    # A date or a time takes several steps, one for each of its parts.
    for _ in range(4 * len(expected) + 10):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused["number"] == -1:
            continue
        if not reached or reached[-1] != focused["number"]:
            assert focused["is_marked"], focused
            assert focused["is_seen"], focused
            reached.append(focused["number"])
        if focused["number"] == len(expected) - 1:
            break
    assert reached == list(range(len(expected))), [expected[number] for number in range(len(expected)) if number not in reached]

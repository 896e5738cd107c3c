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

# Notes what is in focus whenever a key is pressed: what the key before has led to.
WATCH = """() => {
  window.visited = [];
  window.visit = () => {
    const element = document.activeElement, style = getComputedStyle(element), box = element.getBoundingClientRect();
    const radio = element.type === 'radio' && (element.form ?? document).querySelector(`[data-number][name="${element.name}"]`);
    window.visited.push({
      number: Number((radio || element).dataset.number ?? -1), html: element.outerHTML.slice(0, 100),
      is_marked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 || style.boxShadow !== 'none',
      is_seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
    });
  };
  addEventListener('keydown', window.visit, true);
}"""
VISITED = "() => { window.visit(); return window.visited.splice(0); }"


def assert_reaches_everything(page: Page, part: str) -> None:
    """Walk through a part of the page by the tabulator key."""
    page.evaluate(BEGIN, part)
    expected = page.evaluate(REACHABLE, part)
    page.evaluate(WATCH)
    reached: list[int] = []
    # A date or a time takes several steps, one for each of its parts.
    most_steps = 4 * len(expected) + 10
    while most_steps > 0 and len(reached) < len(expected):
        steps = len(expected) - len(reached)
        for _ in range(steps):
            page.keyboard.press("Tab")
        most_steps -= steps
        for focused in page.evaluate(VISITED):
            if focused["number"] in (-1, *reached[-1:]):
                continue
            assert focused["is_marked"], focused
            assert focused["is_seen"], focused
            reached.append(focused["number"])
    assert reached == list(range(len(expected))), [expected[number] for number in range(len(expected)) if number not in reached]

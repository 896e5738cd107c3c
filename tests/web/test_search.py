"""The search in the header: with scripts as someone types, and without them as a page."""

from playwright.sync_api import Route, expect

from tests.web.scene import Scene
from tests.web.windows import ON_PHONE_AND_LAPTOP, PHONE, Windows, go


def test_the_search_finds_ones_own_dentist_on_every_page(looks: Windows, scene: Scene) -> None:
    page = looks.cached(scene.alice)
    for path in ("/", "/calendar"):
        go(page, path)
        page.keyboard.press("/")
        page.keyboard.type("denti")
        panel = page.get_by_role("region", name="Results")
        dentist = panel.get_by_role("link", name="Dentist")
        expect(dentist.get_by_role("img", name="Not public")).to_be_visible()
        page.keyboard.press("ArrowDown")
        assert "Dentist" in page.evaluate("() => document.activeElement.textContent")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        assert page.evaluate("() => document.activeElement.id") == "find"
        page.keyboard.press("Enter")
        page.wait_for_url("**/search?text=denti")
        expect(page.locator("main").get_by_role("link", name="Dentist").first).to_be_visible()


def test_escape_ends_the_search_that_is_under_way(looks: Windows, scene: Scene) -> None:
    page = looks.cached(scene.alice)
    go(page, "/")
    held: list[Route] = []
    page.route("**/search?text=denti", lambda route: held.append(route))
    page.keyboard.press("/")
    page.keyboard.type("dent")
    panel = page.get_by_role("region", name="Results")
    expect(panel.get_by_role("link", name="Dentist")).to_be_visible()
    with page.expect_request("**/search?text=denti"):
        page.keyboard.type("i")
    with page.expect_event("requestfailed", timeout=5_000):
        page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    page.unroute_all()


def test_the_page_of_results_changes_as_someone_types(looks: Windows, scene: Scene) -> None:
    page = looks.cached(scene.alice, width=PHONE)
    go(page, "/")
    page.locator(".top").get_by_role("link", name="Search events").click()
    page.locator("#find").press_sequentially("no-such-thing")
    expect(page.locator("#found")).to_contain_text("Nothing found for “no-such-thing”.")
    assert page.url.endswith("/search?text=no-such-thing")


@ON_PHONE_AND_LAPTOP
def test_one_field_and_two_taps_find_the_dentist(windows: Windows, scene: Scene, width: int, script: bool) -> None:
    page = windows.open(scene.alice, width=width, script=script)
    go(page, "/calendar")
    if width == PHONE:
        page.locator(".top").get_by_role("link", name="Search events").click()
    page.locator("#find").fill("dentist")
    page.locator("#find").press("Enter")
    page.wait_for_url("**/search?text=dentist")
    page.locator("main").get_by_role("link", name="Dentist").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Dentist")

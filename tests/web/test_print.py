"""Pages on paper."""

from playwright.sync_api import expect

from tests.cast import a_comment, an_event
from tests.web.scene import Scene
from tests.web.windows import Windows, go


def test_an_event_is_printed_without_forms_and_comments_that_wait(looks: Windows, scene: Scene) -> None:
    event = an_event(scene.alice, title="Concert", start_time=f"{scene.day(8)}T19:00", public=True)
    a_comment(scene.guest, event, comment="Not yet read", email_address="gus@example.org")
    a_comment(scene.alice, event, comment="Doors open at eight")
    page = looks.cached(scene.alice)
    go(page, f"/events/{event['id']}")
    expect(page.get_by_text("Not yet read")).to_be_visible()
    page.emulate_media(media="print")
    try:
        for text in ("Concert", "Doors open at eight"):
            expect(page.get_by_text(text).first).to_be_visible()
        for hidden in ("summary", "form", "nav", ".actions", "[data-pending]"):
            expect(page.locator(hidden).filter(visible=True)).to_have_count(0)
    finally:
        page.emulate_media(media="screen")

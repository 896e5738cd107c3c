"""The introduction on the start page, and the site's own style sheet."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.features.site.model import check_style
from kalends.http.input.readers import FieldInvalid
from tests.cast import Cast
from tests.site.administrator import Admin

CSS = ":root { --accent: #12467b; }\n.home-title::after { content: \"\\201C\"; background: url('/static/mark.svg') }"


@pytest.fixture
def admin(cast: Cast) -> Admin:
    ada = Admin(cast.anonymous, "ada")
    assert ada.put("/api/site", json={"introduction": None, "style": None}).status == 200
    return ada


def test_the_start_page_has_the_introduction_without_what_markdown_may_not_do(cast: Cast, admin: Admin) -> None:
    text = "**Welcome** to [us](https://example.org)\n\n<script>alert(1)</script> [x](javascript:alert(1)) ![p](https://e.org/p.png)"
    assert admin.post("/admin/style", data={"introduction": text, "style": ""}).redirect == ("/admin/style", "saved")
    page = cast.anonymous.get("/").text
    shown = page[page.index('class="introduction"') :].partition("</section>")[0]
    assert '<strong>Welcome</strong> to <a href="https://example.org"' in shown
    assert "<script" not in shown
    assert "<img" not in shown
    assert 'href="javascript' not in shown
    # A search shows what it found.
    assert 'class="introduction"' not in cast.anonymous.get("/?text=welcome").text
    assert cast.anonymous.get("/api/site").json["introduction"] == text
    admin.put("/api/site", json={"introduction": None})
    assert 'class="introduction"' not in cast.anonymous.get("/").text


def test_the_style_sheet_is_on_all_pages_but_those_of_administration(cast: Cast, admin: Admin) -> None:
    url = admin.put("/api/site", json={"style": CSS}).json["style_url"]
    path = url.removeprefix("http://testserver")
    for page in ("/", "/calendar", "/sign-in"):
        reply = cast.anonymous.get(page)
        assert f'<link rel="stylesheet" href="{path}">' in reply.text
        assert "style-src 'self';" in reply.headers["Content-Security-Policy"]
        assert "unsafe" not in reply.headers["Content-Security-Policy"]
    reply = cast.anonymous.get(path)
    assert (reply.status, reply.text, reply.headers["Content-Type"]) == (200, CSS, "text/css; charset=utf-8")
    assert (reply.headers["X-Content-Type-Options"], "immutable" in reply.headers["Cache-Control"]) == ("nosniff", True)
    assert path not in admin.get("/admin/style").text
    assert "--accent: #12467b" in admin.get("/admin/style").text
    # Another setting leaves it alone.
    assert admin.put("/api/site", json={"tagline": "Every night"}).json["style_url"] == url
    admin.post("/admin", data={"tagline": ""})
    assert cast.anonymous.get("/api/site").json["style_url"] == url
    assert admin.put("/api/site", json={"style": None}).json["style_url"] is None
    assert path not in cast.anonymous.get("/").text


def test_a_preview_changes_nothing_for_visitors(cast: Cast, admin: Admin) -> None:
    admin.put("/api/site", json={"introduction": "Hello", "style": CSS})
    before = cast.anonymous.get("/").text
    page = admin.post("/admin/style/preview", data={"introduction": "**Soon**", "style": "body { color: red }"}).text
    assert "<strong>Soon</strong>" in page
    draft = re.search(r'<link rel="stylesheet" href="(/style/[0-9a-f]{32})">', page)
    assert draft
    assert cast.anonymous.get(draft[1]).text == "body { color: red }"
    assert cast.anonymous.get("/").text == before
    admin.put("/api/site", json={"style": CSS})
    assert cast.anonymous.get(draft[1]).status == 404


@pytest.mark.parametrize(
    "css",
    [
        "@import 'https://example.org/a.css';", "@IMPORT url(/a.css)", "a { background: url(https://example.org/a.png) }",
        "a { background: url(//example.org/a.png) }", "a { background: url('/\\\\example.org/a.png') }", "@im\\70ort '/a.css';",
        "a { background: url(\\68ttps://example.org/a.png) }", "a { background: url(/\\2f example.org/a.png) }",
        "a { background: url(http:example.org/a.png) }", 'a { background: image-set("https://example.org/a.png" 1x) }',
        'a { background: url("/\\\n/example.org/a.png") }', "a { background: url(data:text/css,@import) } @import 'a'",
        "/* */ @font-face { src: url(https://example.org/f.woff2) }", "a { background: url(data:image/png;base64,AA) url(//example.org) }",
    ],
)  # fmt: skip
def test_nothing_is_loaded_from_elsewhere(admin: Admin, css: str) -> None:
    reply = admin.put("/api/site", json={"style": css})
    assert (reply.status, [each["field"] for each in reply.json["errors"]]) == (422, ["style"]), css
    page = admin.post("/admin/style", data={"introduction": "", "style": css})
    assert page.status == 422
    assert "other addresses" in page.text


@pytest.mark.parametrize(
    "css", [CSS, "/* see https://example.org */ a { color: red }", "a { background: url(data:image/png;base64,iVBO//8=) }"]
)
def test_what_stays_here_is_accepted(admin: Admin, css: str) -> None:
    assert admin.put("/api/site", json={"style": css}).status == 200


def test_it_has_at_most_64_kib(admin: Admin) -> None:
    line = "a { color: red }\n"
    assert admin.put("/api/site", json={"style": line * (65_536 // len(line))}).status == 200
    for css in (line * (65_536 // len(line) + 1), "/* é */" * 9_000):
        assert admin.put("/api/site", json={"style": css}).status == 422


@given(st.text(alphabet="@import url(\\/\"'2f68t:ps*) \n", max_size=60))
def test_whatever_is_accepted_names_no_other_host_when_browsers_have_read_it(css: str) -> None:
    try:
        check_style(css)
    except FieldInvalid:
        return
    assert not re.search(r"""url\(\s*["']?\s*(?:https?:)?//""", re.sub(r"/\*.*?(?:\*/|\Z)", " ", css, flags=re.DOTALL))

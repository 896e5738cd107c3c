"""Pages without a window each: their HTML, which the browser parses but neither draws nor runs, in a tenth of the time."""

from typing import Any

from playwright.sync_api import Page

from kalends.http.origin import COOKIE
from tests.cast import Person
from tests.client import Client, Reply

EVALUATE = """([html, argument]) => {
  const document = new DOMParser().parseFromString(html, 'text/html');
  return (FUNCTION)(argument);
}"""


class Parsed:
    """A document that nobody sees."""

    def __init__(self, window: Page, html: str, status: int = 200):
        self._window = window
        self._html = html
        self.status = status

    def has(self, text: str) -> bool:
        """Whether the text is in the HTML, however it is escaped around it."""
        return text in self._html

    def evaluate(self, function: str, argument: Any = None) -> Any:
        """What this function returns, to which `document` is the parsed one."""
        return self._window.evaluate(EVALUATE.replace("FUNCTION", function), [self._html, argument])


class ParsedPages:
    """Requests as browsers send them."""

    def __init__(self, window: Page, guest: Client):
        self._window = window
        self._guest = guest

    def get(self, person: Person | None, path: str) -> Parsed:
        return self._follow(person, self._guest.get(path, headers=_headers(person)))

    def post(self, person: Person | None, path: str, **form: Any) -> Parsed:
        """The page that the form leads to."""
        return self._follow(person, self._guest.post(path, **form | {"headers": form.get("headers", {}) | _headers(person)}))

    def parse(self, reply: Reply) -> Parsed:
        return Parsed(self._window, reply.text, reply.status)

    def _follow(self, person: Person | None, reply: Reply) -> Parsed:
        return self.get(person, reply.headers["Location"]) if reply.status == 303 else self.parse(reply)


def _headers(person: Person | None) -> dict[str, str]:
    headers = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
    return headers | {"Cookie": f"{COOKIE}={person.token}"} if person else headers

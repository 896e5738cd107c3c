"""The browser of a guest: it keeps the cookie that says who responded in it."""

from tests.client import Client, Reply

COOKIE = "kalends_responses"


class GuestBrowser:
    """A client without an account that keeps the cookie of its guest."""

    def __init__(self, client: Client):
        self._client = client
        self.cookie = ""

    def get(self, path: str) -> Reply:
        return self._client.get(path, headers=self._headers)

    def post(self, path: str, **data: object) -> Reply:
        reply = self._client.post(path, data={name: str(value) for name, value in data.items()}, headers=self._headers)
        self.cookie = reply.cookies.get(COOKIE, self.cookie)
        return reply

    @property
    def _headers(self) -> dict[str, str]:
        return {"Cookie": f"{COOKIE}={self.cookie}"} if self.cookie else {}

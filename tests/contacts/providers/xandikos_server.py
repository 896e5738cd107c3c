"""Starts Xandikos with a password before it. The user's name says which reports it refuses, as other servers do."""

import asyncio
import sys
from pathlib import Path
from typing import Any

from aiohttp import web
from xandikos.store import STORE_TYPE_ADDRESSBOOK
from xandikos.web import WELLKNOWN_DAV_PATHS, RedirectDavHandler, SingleUserFilesystemBackend, XandikosApp, basic_auth_middleware
from xandikos.webdav import AUTHENTICATED_USER_ATTR

from tests.contacts.providers.books import BOOKS, NO_QUERY, NO_REPORT, PASSWORD, PEOPLE, USER, book_of, card

HOME = "/user/contacts"


class Known:
    """Who may sign in."""

    def check(self, user_name: str, password: str) -> bool:
        return user_name in (USER, NO_QUERY, NO_REPORT) and password == PASSWORD


@web.middleware
async def refusing(request: web.Request, handler: Any) -> Any:
    user = request[AUTHENTICATED_USER_ATTR]
    if request.method == "REPORT" and (user == NO_REPORT or (user == NO_QUERY and b"addressbook-query" in await request.read())):
        return web.Response(status=400)
    return await handler(request)


def filled(folder: Path) -> SingleUserFilesystemBackend:
    """Both books, each in one commit."""
    backend: Any = SingleUserFilesystemBackend(str(folder))
    backend.create_principal("/user/", create_defaults=True)
    backend.create_collection(f"{HOME}/friends").store.set_type(STORE_TYPE_ADDRESSBOOK)
    for name in BOOKS:
        tree = backend.get_resource(f"{HOME}/{name}").store.repo.get_worktree()
        names = [f"{number}.vcf" for number in range(PEOPLE) if book_of(number) == name]
        for file in names:
            (folder / f"user/contacts/{name}" / file).write_text(card(int(file.removesuffix(".vcf"))), newline="")
        tree.stage(names)
        tree.commit(message=b"Everybody", author=b"Ana <ana@example.org>", committer=b"Ana <ana@example.org>")
    return SingleUserFilesystemBackend(str(folder))


async def serve(folder: Path) -> None:
    backend: Any = filled(folder)
    backend._mark_as_principal("/user/")
    dav: Any = XandikosApp(backend, current_user_principal="/user/")
    signed_in: Any = basic_auth_middleware
    app = web.Application(middlewares=[signed_in(Known()), refusing])
    for path in WELLKNOWN_DAV_PATHS:
        app.router.add_route("*", path, RedirectDavHandler("/").__call__)

    async def reply(request: web.Request) -> Any:
        return await dav.aiohttp_handler(request, "/")

    app.router.add_route("*", "/{path_info:.*}", reply)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"Serving on 127.0.0.1:{runner.addresses[0][1]}", file=sys.stderr, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))

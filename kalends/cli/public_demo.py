"""`kalends demo --public`: serve the example to everybody, and begin again each night."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType

from msgspec.structs import replace

from kalends.cli.options import stop
from kalends.core.settings import PREFIX, Settings, variable
from kalends.core.transports import FILES
from kalends.core.values import timestamps

DAY = 86_400
# Only a folder with this file is emptied.
MARK = "public-demo"
# Seconds in which a server finishes its requests.
STOP_SECONDS = 30
BANNER = "This is a demonstration: sign in as demo with the password {password}. No mail is sent, and all is deleted at midnight (UTC)."


def serve_until_stopped(settings: Settings, password: str) -> None:
    """Fill an empty database, serve it until midnight (UTC), delete it, and so on until SIGTERM or Ctrl-C."""
    signal.signal(signal.SIGTERM, _exit)
    environment = _environment(settings, password)
    while True:
        _empty(settings.folder)
        _run(environment, "demo", "--password", password)
        # Without an administrator, the site would offer everybody to become it.
        _run(environment, "users", "create", "--admin", "operator", "operator@example.org", stdin=secrets.token_urlsafe())
        if not _serve(environment, DAY - timestamps.now() % DAY):
            return


def _environment(settings: Settings, password: str) -> dict[str, str]:
    """The environment of its commands: the operator's settings, but for those by which a stranger could reach others."""
    ours = replace(
        settings,
        **{"database": "", "replicas": "", "backup": "", "email": FILES, "sms": FILES, "inbound": ""},
        **{"webhooks": "off", "sources": "off", "updates_url": "", "registration": "open", "quota_sessions": 0},
        banner=BANNER.format(password=password),
    )
    others = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return others | {variable(name): str(getattr(ours, name)) for name in Settings.__struct_fields__} | {variable("file"): os.devnull}


def _empty(folder: Path) -> None:
    """Delete what the day before left; a folder with anything else is left alone."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).exists():
        stop(f"{variable('data')} is {folder}, which has other files than a public demonstration. Choose an empty folder.")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    (folder / MARK).touch()


def _run(environment: dict[str, str], *arguments: str, stdin: str = "") -> None:
    done = subprocess.run(_command(*arguments), env=environment, input=stdin, text=True, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def _serve(environment: dict[str, str], seconds: int) -> bool:
    """Serve for this time; whether the server ran until then."""
    server = subprocess.Popen(_command("serve"), env=environment)
    try:
        server.wait(seconds)
    except subprocess.TimeoutExpired:
        return True
    finally:
        server.terminate()
        server.wait(STOP_SECONDS)
    return False


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "kalends.cli", *arguments]


def _exit(number: int, frame: FrameType | None) -> None:
    sys.exit(0)

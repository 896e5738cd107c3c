"""The background loop: what must happen without anybody asking."""

import signal
import threading
from types import FrameType

from kalends import times
from kalends.db import Database
from kalends.errors import Unavailable
from kalends.http.log import log
from kalends.sessions import store as sessions

PAUSE = 60


def work(db: Database) -> None:
    """Work until SIGTERM or SIGINT."""
    stopping = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopping.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    while not stopping.is_set():
        try:
            clean_up(db)
        except Unavailable as away:
            log.warning("worker waits", reason=away.detail)
        stopping.wait(PAUSE)


def clean_up(db: Database) -> None:
    """Forget what has expired."""
    with db.write() as tx:
        sessions.clean_up(tx, times.now())

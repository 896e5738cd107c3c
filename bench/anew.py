"""The service without the reply cache (kalends/http/reply_cache.py): each reply is made anew."""

from kalends import app, settings
from kalends.http import reply_cache
from kalends.http.serving import granian
from kalends.http.serving.edge import Edge

MAX_BYTES = reply_cache.MAX_BYTES


def make_replies_anew() -> None:
    reply_cache.MAX_BYTES = 0


def send_replies_again() -> None:
    reply_cache.MAX_BYTES = MAX_BYTES


def rsgi() -> Edge:
    make_replies_anew()
    return app.rsgi()


if __name__ == "__main__":
    current = settings.load()
    granian.serve(rsgi, granian.bind(current), current)

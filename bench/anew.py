"""The service without recent replies (kalends/http/recent_replies.py): each reply is made anew."""

from kalends import app, settings
from kalends.http import recent_replies
from kalends.http.serving import granian
from kalends.http.serving.edge import Edge

MAX_BYTES = recent_replies.MAX_BYTES


def make_replies_anew() -> None:
    recent_replies.MAX_BYTES = 0


def send_replies_again() -> None:
    recent_replies.MAX_BYTES = MAX_BYTES


def rsgi() -> Edge:
    make_replies_anew()
    return app.rsgi()


if __name__ == "__main__":
    current = settings.load()
    granian.serve(rsgi, granian.bind(current), current)

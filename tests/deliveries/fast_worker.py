"""`kalends work` with short pauses and leases, so that tests can wait for them."""

from kalends.features.deliveries.steps import dispatcher
from kalends.features.deliveries.steps.dispatcher import Backoff
from kalends.mail import mail, sender


def prepare_worker() -> None:
    """Change the process before the worker starts in it."""
    dispatcher.PAUSE = 0.05
    dispatcher.LEASE = 4
    sender.BACKOFF = Backoff(1, 2)
    mail.send.__kwdefaults__ = {**(mail.send.__kwdefaults__ or {}), "seconds": 2.0, "step": 0.6}

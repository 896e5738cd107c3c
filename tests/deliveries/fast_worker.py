"""`kalends work` with short pauses and leases, so that tests can wait for them."""

from kalends.cli import main
from kalends.outbound import mail, sender

sender.PAUSE = 0.05
sender.LEASE = 4
sender.FIRST_PAUSE = 1
sender.LONGEST_PAUSE = 2
mail.send.__kwdefaults__ = {**(mail.send.__kwdefaults__ or {}), "seconds": 2.0, "step": 0.6}

if __name__ == "__main__":
    main()

"""`kalends work`, with pauses and leases so short that a test can wait for them."""

from kalends.cli import main
from kalends.deliveries import mail, sending

sending.PAUSE = 0.05
sending.LEASE = 4
sending.FIRST_PAUSE = 1
sending.LONGEST_PAUSE = 2
mail.send.__kwdefaults__ = {"seconds": 2.0, "step": 0.6}

if __name__ == "__main__":
    main()

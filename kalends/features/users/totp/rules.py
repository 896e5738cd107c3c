"""One-time codes by time (RFC 6238), which pyotp computes and verifies, and recovery codes."""

from datetime import UTC, datetime

from kalends.core.tokens import new_app_password

STEP = 30
# The clock of a phone may be wrong by this many steps.
SKEW = 1
RECOVERY_CODES = 10


def new_secret() -> str:
    from pyotp import random_base32

    return random_base32()


def otpauth_url(secret: str, user_name: str, site_name: str) -> str:
    """The URL that opens an authenticator app with the secret filled in."""
    from pyotp.totp import TOTP

    return TOTP(secret, interval=STEP).provisioning_uri(name=user_name, issuer_name=site_name)


def find_step(secret: str, code: str, now: int, last_step: int) -> int | None:
    """The time step of the code, if it is near now and later than the last one that was used."""
    from pyotp.totp import TOTP

    totp, current = TOTP(secret, interval=STEP), now // STEP
    steps = range(max(current - SKEW, last_step + 1), current + SKEW + 1)
    return next((step for step in steps if totp.verify(normalize(code), for_time=datetime.fromtimestamp(step * STEP, UTC))), None)


def new_recovery_codes() -> list[str]:
    """Ten codes of 61 random bits each."""
    return [new_app_password()[:14] for _ in range(RECOVERY_CODES)]


def normalize(code: str) -> str:
    """The code without the blanks and hyphens that people may type or leave out."""
    return "".join(code.split()).replace("-", "").lower()

"""E-mail addresses as pages show them that others may look at."""


def mask(email_address: str) -> str:
    """`g•••@example.org`."""
    local, at, host = email_address.rpartition("@")
    return f"{local[:1]}•••{at}{host}" if at else ""

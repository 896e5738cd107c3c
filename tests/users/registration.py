"""The body of a registration."""

from typing import Any
from uuid import uuid4

from tests.cast import PASSWORD


def a_registration(**fields: Any) -> dict[str, Any]:
    """A complete registration of a new user."""
    name = f"emil-{uuid4().hex[:10]}"
    return {"user_name": name, "email_address": f"{name}@example.org", "password": PASSWORD} | fields

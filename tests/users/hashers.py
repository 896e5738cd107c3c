"""Argon2id hashers that count calls or run an action during verification."""

from collections.abc import Callable
from typing import Literal

from argon2 import PasswordHasher


class Counting(PasswordHasher):
    """Counts its calls."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.work: list[str] = []

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        self.work.append("hash")
        return super().hash(password, salt=salt)

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        self.work.append("verify")
        return super().verify(hash, password)


class Meanwhile(Counting):
    """Runs an action while the first password is verified."""

    def __init__(self, happening: Callable[[], object]):
        super().__init__()
        self._happening = happening

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        is_valid = super().verify(hash, password)
        if self.work.count("verify") == 1:
            self._happening()
        return is_valid

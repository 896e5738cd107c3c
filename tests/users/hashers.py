"""Argon2id hashers that let a test look on, or make something happen meanwhile."""

from collections.abc import Callable
from typing import Literal

from argon2 import PasswordHasher


class Counting(PasswordHasher):
    """Counts what it is asked to do."""

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
    """Something happens while the first password is verified."""

    def __init__(self, happening: Callable[[], object]):
        super().__init__()
        self._happening = happening

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        found = super().verify(hash, password)
        if self.work.count("verify") == 1:
            self._happening()
        return found

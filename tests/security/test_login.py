"""A login does not disclose who has an account: the work is the same, from the first request on. `timing` measures its duration."""

import pytest
from argon2 import Parameters, PasswordHasher, extract_parameters
from argon2.profiles import RFC_9106_LOW_MEMORY

from kalends.features.users.rules import passwords
from tests.cast import PASSWORD, Cast
from tests.security.timing import verdict
from tests.users.hashers import Counting

pytestmark = pytest.mark.on_one_database


class Watching(Counting):
    """Records the parameters of each hash."""

    def __init__(self) -> None:
        super().__init__()
        self.figures: list[Parameters] = []

    def verify(self, hash: str | bytes, password: str | bytes) -> bool:  # type: ignore[override]
        self.figures.append(extract_parameters(str(hash)))
        return super().verify(hash, password)


@pytest.mark.parametrize("name", ["nobody-at-all", "nobody@example.org", "\u0131"])
def test_even_the_first_unknown_user_of_a_process_takes_the_work_of_a_known_one(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    known, unknown = Watching(), Watching()
    monkeypatch.setattr(passwords, "_hasher", known)
    cast.alice.put(f"/api/users/{cast.alice.id}", json={"password": PASSWORD, "current_password": PASSWORD})
    known.work.clear()
    known.figures.clear()
    for hasher, user_name in ((known, cast.alice.user_name), (unknown, name)):
        monkeypatch.setattr(passwords, "_hasher", hasher)
        assert cast.anonymous.post("/api/session", json={"user_name": user_name, "password": "not the password"}).status == 401
    assert known.work == unknown.work == ["verify"]
    assert known.figures == unknown.figures


def test_no_password_matches_a_missing_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_hasher", Counting())
    for password in ("", "nobody has this password", PASSWORD, "\x00" * 32):
        assert not passwords.matches(password, None)


def test_passwords_are_hashed_by_the_figures_that_are_recommended() -> None:
    """RFC 9106, the second choice: Argon2id, 64 MiB, three passes, four lanes."""
    assert extract_parameters(PasswordHasher().hash(PASSWORD)) == RFC_9106_LOW_MEMORY


def test_the_timing_measurement_detects_a_difference() -> None:
    """Pairs of times of known and unknown users: noise alone is no difference, a twentieth more is one."""
    noise = [((i * 7_919) % 101 / 1_000, (i * 104_729) % 101 / 1_000) for i in range(1, 1_001)]
    even, slower, faster = [verdict([(1 + a + more, 1 + b) for a, b in noise]) for more in (0, 0.05, -0.05)]
    assert even.is_even
    assert abs(even.auc - 0.5) < 0.03
    assert [slower.is_even, faster.is_even] == [False, False]
    assert slower.auc > 0.8 > 0.2 > faster.auc

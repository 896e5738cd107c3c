"""Secrets: random, hashed, or derived from the server's own, which is created once and unreadable for others."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from kalends.core import tokens
from kalends.core.settings import Settings


def test_a_token_has_256_random_bits() -> None:
    values = {tokens.new_token() for _ in range(1000)}
    assert len(values) == 1000
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", token) for token in values)


def test_a_public_id_is_short_and_names_its_kind() -> None:
    ids = {tokens.public_id("k") for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch(r"k[0-9a-z]{15}", name) for name in ids)


def test_a_derived_secret_follows_from_purpose_subject_and_server(tmp_path: Path) -> None:
    here, there = Settings(data=str(tmp_path / "here")), Settings(data=str(tmp_path / "there"))
    secret = tokens.derive(here, "shared secret", "k1")
    assert tokens.derive(here, "shared secret", "k1") == secret
    others = [tokens.derive(here, "shared secret", "k2"), tokens.derive(here, "feed", "k1"), tokens.derive(there, "shared secret", "k1")]
    assert len({secret, *others}) == 4


def test_only_what_was_encrypted_is_decrypted(tmp_path: Path) -> None:
    here, there = Settings(data=str(tmp_path / "here")), Settings(data=str(tmp_path / "there"))
    text = tokens.encrypt(here, "address", "1", "https://example.org/ü")
    assert tokens.decrypt(here, "address", "1", text) == "https://example.org/ü"
    others = [
        tokens.decrypt(here, "address", "2", text),
        tokens.decrypt(here, "login", "1", text),
        tokens.decrypt(there, "address", "1", text),
    ]
    forged = [tokens.decrypt(here, "address", "1", each) for each in ("", "forged", text[:-4], "\ud800", "a\x00b")]
    assert not any((*others, *forged))


def test_a_setting_replaces_the_stored_secret(tmp_path: Path) -> None:
    with_secret = Settings(data=str(tmp_path / "data"), secret="x" * 32)
    tokens.ensure_secret(with_secret)
    assert not (tmp_path / "data").exists()
    assert tokens.derive(with_secret, "feed", "1") == tokens.derive(Settings(data=str(tmp_path / "moved"), secret="x" * 32), "feed", "1")


def test_the_servers_secret_is_created_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    settings = Settings(data=str(tmp_path / "data"))
    tokens.ensure_secret(settings)
    file = tmp_path / "data" / "secret"
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert len(file.read_bytes()) >= 32
    assert os.listdir(file.parent) == ["secret"]


def test_processes_that_start_at_once_agree_on_the_secret(tmp_path: Path) -> None:
    start = Barrier(8)

    def derive(settings: Settings) -> str:
        start.wait(10)
        return tokens.derive(settings, "shared secret", "k1")

    with ThreadPoolExecutor(8) as threads:
        for number in range(5):
            data = tmp_path / str(number)
            assert len(set(threads.map(derive, [Settings(data=str(data))] * 8, timeout=30))) == 1
            assert os.listdir(data) == ["secret"]

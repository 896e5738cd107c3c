"""Readers of places, addresses, numbers and settings, for all input: what they document comes out, or the error that they document.

Readers whose tests live beside them (times, rules, calendar files, cards, tables, requests) are named in docs/reports/security.md."""

import re
from email.headerregistry import Address
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from kalends.core import settings, transports
from kalends.core.settings import Settings, WrongSetting
from kalends.core.values import phone
from kalends.features.events.model import MAX_PART, PARTS
from kalends.features.events.rules import location
from tests.security.writing import arbitrary_text, listed, reading, urls

BASE = "https://calendar.example.org"


@given(text=arbitrary_text | listed("Blue Note", "12 rue Bleue", "75001 Paris", "NY 10012", "USA", ""))
def test_a_location_is_split_or_left_whole(text: str) -> None:
    parts = location.parse_parts(text)
    assert set(parts) == set(PARTS)
    assert all(part is None or (0 < len(part) <= MAX_PART and part in text) for part in parts.values())


@given(value=urls("smtp://", "smtps://u:", "smtp://u:p@"))
@example(value="smtp://u:p@[::1")
@example(value="smtp://u:p@host:99999")
@example(value="smtp://u:%ff@host")
@example(value="smtp://u:p@" + "a" * 300)
def test_a_mail_server_is_read_or_refused_in_words_without_the_value(value: str) -> None:
    server, refusal = reading(transports.mail_server, value, ValueError)
    assert refusal in (None, transports.EMAIL_FORM)
    if server is not None:
        assert 0 < server.port < 65_536
        assert re.fullmatch(r"[\x20-\x7e]+", server.host + server.user + server.password)


@given(value=urls("twilio://", "twilio://s:t@h?from=", "twilio://s:t@"))
@example(value="twilio://s:t@h?from=%0d%0a")
@example(value="twilio://s:t@h?from=+1&from=+2")
def test_an_sms_interface_is_read_or_refused_in_words_without_the_value(value: str) -> None:
    account, refusal = reading(transports.twilio, value, ValueError)
    assert refusal in (None, transports.SMS_FORM)
    if account is not None:
        assert account.scheme in ("http", "https")
        assert (account.host + account.sid + account.token + account.sender).isprintable()


@given(value=arbitrary_text | st.tuples(arbitrary_text, st.just(" <"), arbitrary_text, st.just("@example.org>")).map("".join))
@example(value="\r\nBcc: x <a@example.org>")
@example(value='"<a@example.org>')
def test_a_sender_is_read_or_refused(value: str) -> None:
    sender, refusal = reading(lambda text: transports.sender(text, BASE), value, ValueError)
    assert refusal in (None, transports.SENDER_FORM)
    if sender is not None:
        assert isinstance(sender, Address)
        assert not re.search(r"[\r\n\x00]", str(sender))


@given(
    name=st.sampled_from(Settings.__struct_fields__), value=arbitrary_text | urls("http://", "https://", "postgresql://") | st.integers()
)
@example(name="base_url", value="http://[")
@example(name="graph_url", value="http://a:b")
@example(name="port", value="\udcff")
@example(name="trusted_proxies", value="10.0.0.0/33")
@example(name="base_url", value="https://" + "a" * 70 + ".example")
def test_a_setting_is_in_force_or_stops_the_start_in_words_that_name_it(name: str, value: Any) -> None:
    loaded, refusal = reading(settings.load, {name: value}, WrongSetting)
    assert isinstance(loaded, Settings) if refusal is None else settings.variable(name) in refusal


@given(
    number=arbitrary_text | st.text("+0123456789()- ext.#", max_size=30),
    country=st.none() | arbitrary_text | st.sampled_from(["FR", "Deutschland"]),
)
def test_a_phone_number_is_read_or_none(number: str, country: str | None) -> None:
    e164 = phone.to_e164(number, country)
    assert e164 is None or re.fullmatch(r"\+[0-9]{2,17}", e164)


@given(address=arbitrary_text | st.tuples(arbitrary_text, st.just("@"), arbitrary_text).map("".join))
def test_an_address_is_read_or_refused(address: str) -> None:
    parsed, _ = reading(transports.read_address, address, ValueError)
    assert parsed is None or not re.search(r"[\r\n\x00]", parsed.normalized)

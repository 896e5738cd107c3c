"""The parts of multipart bodies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.core.errors import BadRequest
from kalends.http.input.multipart import Part, read_parts

KIND = "multipart/form-data; boundary=b"
NAMED = b'Content-Disposition: form-data; name="a"'


def parts(body: bytes, kind: str = KIND) -> list[Part]:
    return list(read_parts(body, kind))


@pytest.mark.parametrize(
    ("body", "content"),
    [
        (b"--b\r\n%s\r\n\r\nx\r\n--b--\r\n", b"x"),
        (b"--b\r\n%s\r\n\r\nx\r\n--b--", b"x"),
        (b"preamble\r\n--b\r\n%s\r\n\r\nx\r\n--b--epilogue\r\n--b", b"x"),
        (b"--b\r\n%s\r\n\r\n\r\n--b--", b""),
        (b"--b\r\n%s\r\n\r\n--b--", b""),
        (b"--b\r\n%s\r\n\r\n\r\nx--b\n--b\r\n\r\n--b--", b"\r\nx--b\n--b\r\n"),
        (b"--b\r\n%s\r\nContent-Transfer-Encoding: 8bit\r\nX-Other: 1\r\n\r\nx\r\n--b--", b"x"),
    ],
)
def test_a_part_is_what_is_between_two_delimiters(body: bytes, content: bytes) -> None:
    assert parts(body % NAMED) == [Part("a", "", content)]


@pytest.mark.parametrize(
    ("disposition", "names"),
    [
        ('form-data; name="a"; filename="b.ics"', ("a", "b.ics")),
        ("form-data; name=a; filename=b.ics", ("a", "b.ics")),
        ('form-data; filename="; name=x"; name="a"', ("a", "; name=x")),
        (r'form-data; name="a\"b"; filename="C:\dir\\x"', ('a"b', r"C:\dir\x")),
        ("form-data; name=\"a\"; filename*=UTF-8''F%C3%AAte.ics", ("a", "Fête.ics")),
        ('FORM-DATA;NAME="é"', ("é", "")),
        ('form-data; name="a', ('"a', "")),
        ("form-data", ("", "")),
    ],
)
def test_names_are_parameters_of_content_disposition(disposition: str, names: tuple[str, str]) -> None:
    body = f"--b\r\ncontent-disposition: {disposition}\r\n\r\nx\r\n--b--".encode()
    assert [part[:2] for part in parts(body)] == [names]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"x--b\r\n%s\r\n\r\nx\r\n--c--",
        b"--b",
        b"--b\r\n%s\r\n\r\nx",
        b"--b\r\n%s\r\n\r\nx\r\n--c--",
        b"--bc\r\n%s\r\n\r\nx\r\n--b--",
        b"--b\r\n%s\r\n--b--",
        b"--b\r\n%s\r\n\r\n--b\r\n--b--",
        b"--b\r\nX: " + b"x" * 8192 + b"\r\n\r\nx\r\n--b--",
        b"--b\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--b--",
    ],
)
def test_malformed_bodies_are_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        parts(body.replace(b"%s", NAMED))


@given(contents=st.lists(st.binary(max_size=30) | st.sampled_from([b"\r\n", b"--b", b"\n--b", b"\r\n-"]), min_size=1, max_size=5))
def test_every_content_without_the_delimiter_is_read_as_it_was_sent(contents: list[bytes]) -> None:
    body = b"".join(b"--frontier\r\n" + NAMED + b"\r\n\r\n" + content + b"\r\n" for content in contents) + b"--frontier--"
    assert [part.content for part in parts(body, 'multipart/form-data; charset=utf-8; Boundary="frontier"')] == contents

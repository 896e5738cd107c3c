"""The cache of formatted instants: it formats each once, and forgets."""

from kalends.core.values import format_cache
from kalends.core.values.format_cache import FormatCache


def test_an_instant_is_formatted_once() -> None:
    calls: list[int] = []

    def format(instant: int) -> str:
        calls.append(instant)
        return str(instant)

    cache = FormatCache(format)
    assert [cache[1], cache[2], cache[1]] == ["1", "2", "1"]
    assert calls == [1, 2]


def test_the_cache_is_bounded() -> None:
    cache = FormatCache(str)
    for instant in range(3 * format_cache.MAX_ENTRIES):
        assert cache[instant] == str(instant)
        assert len(cache) <= format_cache.MAX_ENTRIES


def test_long_texts_are_formatted_but_not_kept() -> None:
    cache: FormatCache[str, list[str]] = FormatCache(lambda text: text.split(","))
    short, long = "a" * format_cache.MAX_CHARACTERS, "a," * format_cache.MAX_CHARACTERS
    assert (cache[short], cache[long]) == ([short], long.split(","))
    assert list(cache) == [short]

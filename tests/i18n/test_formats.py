"""Dates, times and numbers as each language writes them."""

from datetime import date, datetime, timedelta, timezone

import pytest

from kalends.core.i18n.catalogs import LANGUAGES
from kalends.core.i18n.locale import ENGLISH, Locale
from kalends.features.events.forms.rules.repeat_form import write_sentences
from kalends.features.events.series.rules.sentence import describe
from kalends.ical.rrule import parse
from kalends.web.times import Times
from tests.cast import Cast

START, END = datetime(2026, 5, 11, 17, tzinfo=timezone(timedelta(hours=-5))), datetime(2026, 5, 11, 19, 30)


@pytest.mark.parametrize(
    ("language", "span", "number"),
    [
        ("en", "Monday, 11 May 2026, 17:00–19:30", "1,400"),
        ("de", "Montag, 11. Mai 2026, 17:00–19:30", "1.400"),
        ("es", "lunes, 11 de mayo de 2026, 17:00–19:30", "1.400"),
        ("ja", "2026年5月11日月曜日 17:00～19:30", "1,400"),
    ],
)
def test_a_time_and_a_number_are_written_as_in_the_language(language: str, span: str, number: str) -> None:
    formats = Locale(language).formats
    assert (formats.span(START, END.replace(tzinfo=START.tzinfo)), formats.number(1400)) == (span, number)
    assert Locale(language).show(1400) == number


def test_days_have_the_names_of_the_language() -> None:
    formats = Locale("de").formats
    assert (formats.weekday(START), formats.short_weekday(START), formats.short_month(START)) == ("Montag", "Mo", "Mai")
    assert (formats.month(START), formats.day_of_year(START), formats.short_day(START)) == ("Mai 2026", "11. Mai", "Mo., 11. Mai")
    assert (formats.short_month_day(START), formats.short_days(START, START)) == ("11. Mai 2026", "Mo., 11. Mai 2026")


def test_months_have_the_names_of_the_language_whichever_was_asked_for_first() -> None:
    names = {language: Locale(language).formats.month_name(START) for language in ("ja", "de", "it", "ar")}
    assert names == {"ja": "5月", "de": "Mai", "it": "maggio", "ar": "مايو"}


@pytest.mark.parametrize(
    ("language", "rule", "sentence"),
    [
        ("it", "BYDAY=1MO", "Ogni mese, il primo lunedì"),
        ("it", "BYDAY=1SU,-1SA", "Ogni mese, la prima domenica e l’ultimo sabato"),
        ("pt", "BYDAY=1MO,3FR", "Todos os meses, na 1.ª segunda-feira e na 3.ª sexta-feira"),
        ("pt", "BYDAY=-1SA", "Todos os meses, no último sábado"),
        ("pt", "BYDAY=2SU", "Todos os meses, no 2.º domingo"),
        ("pt", "BYMONTHDAY=-1", "Todos os meses, no último dia"),
        ("de", "BYDAY=1SU", "Jeden ersten Sonntag im Monat"),
        ("fr", "BYDAY=-1SA", "Le dernier samedi de chaque mois"),
        ("es", "BYDAY=1SU", "El primer domingo de cada mes"),
        ("nl", "BYDAY=1SU", "Elke eerste zondag van de maand"),
        ("ja", "BYDAY=1SU", "毎月第1日曜日"),
        ("ar", "BYDAY=1SU", "كل شهر: الأحد الأول"),
        ("en", "BYDAY=1SU", "Every first Sunday of the month"),
    ],
)
def test_an_ordinal_has_the_gender_of_its_weekday(language: str, rule: str, sentence: str) -> None:
    assert Locale(language).translate(describe(parse(f"FREQ=MONTHLY;{rule}"))) == sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_writes_every_time(language: str) -> None:
    times, formats = Times(Locale(language)), Locale(language).formats
    texts = {
        formats.day_range(date(2026, 12, 30), date(2027, 1, 5)),
        formats.days(date(2026, 5, 11), date(2026, 5, 13)),
        formats.short_span(START, START + timedelta(days=2)),
        times.hours("2026-05-11T17:00-05:00", "2026-05-13T19:00-05:00", all_day=False),
        times.in_zone("2026-05-11T17:00:00Z", "Europe/Paris"),
    }
    assert len(texts) == 5
    assert all("{" not in text for text in texts)


def test_an_end_before_noon_of_the_next_day_is_folded_on_every_clock() -> None:
    assert Locale("ar").formats.span(START, START + timedelta(hours=9), folds_night=True).count("2026") == 1
    assert ENGLISH.formats.span(START, START + timedelta(hours=9), folds_night=True) == "Monday, 11 May 2026, 17:00–02:00"


@pytest.mark.on_one_database
def test_a_page_writes_dates_in_the_language_of_the_reader(cast: Cast) -> None:
    page = cast.alice.get("/calendar", query={"date": "2026-05-11"}, headers={"accept-language": "de"})
    assert "Mai 2026" in page.text
    assert "Montag" in page.text


@pytest.mark.parametrize(("language", "sentence"), [("it", "prima domenica"), ("pt", "1.º domingo")])
def test_the_choices_of_the_repeat_form_have_the_gender_of_the_weekday(language: str, sentence: str) -> None:
    assert sentence in Locale(language).translate(write_sentences(date(2026, 11, 1))["monthly"])

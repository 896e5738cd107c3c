"""The quick line: what, when and where in one line."""

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from kalends.core.i18n.catalogs import OFFERED
from kalends.core.i18n.locale import Locale
from kalends.features.events.forms.rules.quick_line import QuickEvent, parse
from kalends.features.events.forms.rules.quick_words import example_of

# A Monday.
NOW = datetime(2026, 11, 16, 15, 0)
FRIDAY, NEXT_FRIDAY = date(2026, 11, 20), date(2026, 11, 27)
TUESDAY = date(2026, 11, 17)


def timed(title: str, day: date, start: time, end: time, location: str = "", last_day: date | None = None) -> QuickEvent:
    return QuickEvent(title, day, start, last_day or day, end, location)


def without_rule(event: QuickEvent) -> tuple[QuickEvent, str | None]:
    """The event as one that does not repeat, and its rule."""
    return structs.replace(event, repeat=None), event.repeat.rrule if event.repeat else None


@pytest.mark.parametrize(
    ("line", "event"),
    [
        ("Jazz trio Friday 8pm at Le Sextant", timed("Jazz trio", FRIDAY, time(20), time(22), "Le Sextant")),
        ("Jazz trio at Le Sextant, Friday 8pm", timed("Jazz trio", FRIDAY, time(20), time(22), "Le Sextant")),
        ("Friday 20:00 Jazz trio @ Le Sextant", timed("Jazz trio", FRIDAY, time(20), time(22), "Le Sextant")),
        ("Jazz trio on Friday at 8 pm", timed("Jazz trio", FRIDAY, time(20), time(22))),
        ("Lunch tomorrow at noon at Maria's", timed("Lunch", TUESDAY, time(12), time(14), "Maria's")),
        ("Lunch at Maria's tomorrow at noon", timed("Lunch", TUESDAY, time(12), time(14), "Maria's")),
        ("Call today 16:30", timed("Call", NOW.date(), time(16, 30), time(18, 30))),
        ("Quiz tonight", timed("Quiz", NOW.date(), time(20), time(22))),
        ("Quiz tonight 9:15pm", timed("Quiz", NOW.date(), time(21, 15), time(23, 15))),
        ("Choir day after tomorrow 19h30", timed("Choir", date(2026, 11, 18), time(19, 30), time(21, 30))),
        ("Choir in 3 days 19h", timed("Choir", date(2026, 11, 19), time(19), time(21))),
        ("Choir in 2 weeks 19:00", timed("Choir", date(2026, 11, 30), time(19), time(21))),
        ("Choir next friday 7pm", timed("Choir", NEXT_FRIDAY, time(19), time(21))),
        ("Choir this fri 7pm", timed("Choir", FRIDAY, time(19), time(21))),
        ("Choir next week 7pm", timed("Choir", date(2026, 11, 23), time(19), time(21))),
        # Today is a Monday: 2 pm is over, and 4 pm is not.
        ("Yoga monday 16:00", timed("Yoga", NOW.date(), time(16), time(18))),
        ("Yoga monday 14:00", timed("Yoga", date(2026, 11, 23), time(14), time(16))),
        ("Yoga 14:00", timed("Yoga", TUESDAY, time(14), time(16))),
        ("Yoga 16:00", timed("Yoga", NOW.date(), time(16), time(18))),
    ],
)
def test_days_times_and_places(line: str, event: QuickEvent) -> None:
    assert parse(line, NOW) == event


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("12 Dec", date(2026, 12, 12)),
        ("12th of December", date(2026, 12, 12)),
        ("Dec 12", date(2026, 12, 12)),
        ("December 12th, 2027", date(2027, 12, 12)),
        ("Sat 12 Dec", date(2026, 12, 12)),
        ("on Saturday, 12 December 2026", date(2026, 12, 12)),
        ("2026-12-12", date(2026, 12, 12)),
        ("12.12.2026", date(2026, 12, 12)),
        ("12.12.", date(2026, 12, 12)),
        # Without a year, the next one.
        ("3 May", date(2027, 5, 3)),
        ("16 Nov", date(2026, 11, 16)),
        ("15 Nov", date(2027, 11, 15)),
        ("29 Feb", date(2028, 2, 29)),
    ],
)
def test_dates(text: str, day: date) -> None:
    assert parse(f"Fair {text}", NOW) == QuickEvent("Fair", day)
    assert parse(f"Fair {text} 8pm at the park", NOW) == timed("Fair", day, time(20), time(22), "the park")


@pytest.mark.parametrize("text", ["12-14 Dec", "12 – 14 December", "Dec 12-14", "12th to 14th of December 2026"])
def test_several_days(text: str) -> None:
    assert parse(f"Fair {text}", NOW) == QuickEvent("Fair", date(2026, 12, 12), None, date(2026, 12, 14))


@pytest.mark.parametrize("text", ["30 Nov – 2 Dec", "30th of November to Wed 2 Dec 2026", "30 Nov 2026 - 2 December 2026"])
def test_days_of_two_months(text: str) -> None:
    assert parse(f"Market {text}", NOW) == QuickEvent("Market", date(2026, 11, 30), None, date(2026, 12, 2))


def test_days_of_two_years() -> None:
    assert parse("Camp 30 Dec – 2 Jan", NOW) == QuickEvent("Camp", date(2026, 12, 30), None, date(2027, 1, 2))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("8-10pm", time(20), time(22)),
        ("8:30-10 pm", time(20, 30), time(22)),
        ("11-1pm", time(11), time(13)),
        ("11am-1pm", time(11), time(13)),
        ("from 8pm to 10:30pm", time(20), time(22, 30)),
        ("20:00-22:30", time(20), time(22, 30)),
        ("20:00 – 22:30", time(20), time(22, 30)),
        ("20-22h", time(20), time(22)),
        ("8.30pm", time(20, 30), time(22, 30)),
        ("8 p.m.", time(20), time(22)),
        ("12am", time(0), time(2)),
        ("12pm", time(12), time(14)),
        ("8pm for 3 hours", time(20), time(23)),
        ("8pm for 90 minutes", time(20), time(21, 30)),
        ("8pm for 1.5h", time(20), time(21, 30)),
        ("noon until 3pm", time(12), time(15)),
    ],
)
def test_times_and_ranges(text: str, start: time, end: time) -> None:
    assert parse(f"Dance Friday {text}", NOW) == timed("Dance", FRIDAY, start, end)
    assert parse(f"Dance {text} Friday at the hall", NOW) == timed("Dance", FRIDAY, start, end, "the hall")


def test_an_end_before_the_start_is_on_the_next_day() -> None:
    saturday = date(2026, 11, 21)
    assert parse("Party Friday 22:00-02:00", NOW) == timed("Party", FRIDAY, time(22), time(2), last_day=saturday)
    assert parse("Party Friday 11pm", NOW) == timed("Party", FRIDAY, time(23), time(1), last_day=saturday)


@pytest.mark.parametrize(
    ("line", "title", "day", "location"),
    [
        ("Sun worship Friday 8pm", "Sun worship", FRIDAY, ""),
        ("Friday 8pm Trio at The Sun", "Trio", FRIDAY, "The Sun"),
        ("Saturday Night Fever on 12 Dec 8pm", "Saturday Night Fever", date(2026, 12, 12), ""),
        ("12 Dec 8pm screening of Saturday Night Fever", "screening of Saturday Night Fever", date(2026, 12, 12), ""),
        ('"Look at me" Friday 8pm at the Odeon', "Look at me", FRIDAY, "the Odeon"),
        ('Film "Friday the 13th" tomorrow 8pm', 'Film "Friday the 13th"', TUESDAY, ""),
        ('Film tomorrow 8pm at "Tomorrow Bar"', "Film", TUESDAY, "Tomorrow Bar"),
        ("At the movies tomorrow 8pm", "At the movies", TUESDAY, ""),
        ("99 Luftballons Friday 8pm", "99 Luftballons", FRIDAY, ""),
        ("May ball Friday 8pm", "May ball", FRIDAY, ""),
        ("Meet Mayor Friday 8pm at 12 Main Street", "Meet Mayor", FRIDAY, "12 Main Street"),
        ("Cinéma – vendredi Friday 8pm at L’Étoile, Genève", "Cinéma – vendredi", FRIDAY, "L’Étoile, Genève"),
    ],
)
def test_what_is_no_day_and_no_time_stays_as_it_is(line: str, title: str, day: date, location: str) -> None:
    assert parse(line, NOW) == timed(title, day, time(20), time(22), location)


@pytest.mark.parametrize("line", ["Jazz trio", "Jazz trio at Le Sextant", "25:00 o'clock", "Fair 31.02.2026", "Fair 30 Feb", "", "   "])
def test_a_line_without_a_day_has_no_day(line: str) -> None:
    assert parse(line, NOW).day is None


def test_a_zone_is_that_of_the_event() -> None:
    event = parse("Call Friday 8pm America/New_York at home", NOW)
    assert event == QuickEvent("Call", FRIDAY, time(20), FRIDAY, time(22), "home", "America/New_York")
    assert parse("Either/Or Friday 8pm", NOW).title == "Either/Or"


ST_JOHNS = "St John's"


@pytest.mark.parametrize(
    ("line", "event", "repeat"),
    [
        ("Choir practice every Tuesday 7pm at St John's", timed("Choir practice", TUESDAY, time(19), time(21), ST_JOHNS), "FREQ=WEEKLY"),
        ("Every friday Jam session 8pm", timed("Jam session", FRIDAY, time(20), time(22)), "FREQ=WEEKLY"),
        ("Choir at the Friday club every tue 7pm", timed("Choir", TUESDAY, time(19), time(21), "the Friday club"), "FREQ=WEEKLY"),
        ("Saturday Night Fever every Friday 8pm", timed("Saturday Night Fever", FRIDAY, time(20), time(22)), "FREQ=WEEKLY"),
        ("Market every Friday", QuickEvent("Market", FRIDAY), "FREQ=WEEKLY"),
        ("Choir Friday 7pm every week", timed("Choir", FRIDAY, time(19), time(21)), "FREQ=WEEKLY"),
        # Today is a Monday, at 3 pm.
        ("Yoga every Monday 4pm", timed("Yoga", NOW.date(), time(16), time(18)), "FREQ=WEEKLY"),
        ("Yoga every Monday 2pm", timed("Yoga", date(2026, 11, 23), time(14), time(16)), "FREQ=WEEKLY"),
        ("Yoga every day 2pm", timed("Yoga", TUESDAY, time(14), time(16)), "FREQ=DAILY"),
        ("Yoga every day 4pm", timed("Yoga", NOW.date(), time(16), time(18)), "FREQ=DAILY"),
        ("Yoga daily at 4pm", timed("Yoga", NOW.date(), time(16), time(18)), "FREQ=DAILY"),
    ],
)
def test_every_day_and_every_weekday_repeat(line: str, event: QuickEvent, repeat: str) -> None:
    assert without_rule(parse(line, NOW)) == (event, repeat)


@pytest.mark.parametrize("title", ["Every body dance", "Everyday life", "Every one of us", "Daily Show", "Every weekend warrior"])
def test_every_before_another_word_stays_in_the_title(title: str) -> None:
    assert parse(f"{title} Friday 8pm", NOW) == timed(title, FRIDAY, time(20), time(22))


@pytest.mark.parametrize(
    ("language", "title", "weekly", "daily"),
    [
        ("en", "Jam", ["every Friday 8pm", "every fri 8pm"], "every day 8pm"),
        ("de", "Jamsession", ["jeden Freitag 20 Uhr"], "jeden Tag 20 Uhr"),
        ("fr", "Répétition", ["chaque vendredi 20h", "tous les vendredis à 20h"], "tous les jours à 20h"),
        ("es", "Ensayo", ["cada viernes a las 20", "todos los viernes a las 20"], "todos los días a las 20"),
        ("it", "Prove", ["ogni venerdì alle 20", "tutti i venerdì alle 20"], "ogni giorno alle 20"),
        ("pt", "Ensaio", ["toda sexta às 20h", "todas as sextas às 20h", "todas as sextas-feiras às 20h"], "todos os dias às 20h"),
        ("nl", "Repetitie", ["elke vrijdag om 20 uur", "iedere vrijdag 20 uur"], "elke dag om 20 uur"),
        ("ja", "練習", ["毎週金曜日20時", "毎週金曜 20時"], "毎日20時"),
        ("ar", "تدريب", ["كل جمعة الساعة 8 مساءً", "كل يوم جمعة الساعة 8 مساءً", "كل يوم الجمعة الساعة 8 مساءً"], "كل يوم الساعة 8 مساءً"),
    ],
)
def test_repetition_is_read_in_each_language(language: str, title: str, weekly: list[str], daily: str) -> None:
    for text in weekly:
        expected = timed(title, FRIDAY, time(20), time(22)), "FREQ=WEEKLY"
        assert without_rule(parse(f"{title} {text}", NOW, Locale(language))) == expected
        assert without_rule(parse(f"{text} {title}", NOW, Locale(language))) == expected
    expected = timed(title, NOW.date(), time(20), time(22)), "FREQ=DAILY"
    assert without_rule(parse(f"{title} {daily}", NOW, Locale(language))) == expected


@pytest.mark.parametrize(
    ("language", "every"),
    [("de", "jeden"), ("fr", "chaque"), ("es", "cada"), ("it", "ogni"), ("pt", "cada"), ("nl", "elke"), ("ja", "毎週"), ("ar", "كل يوم")],
)
def test_each_weekday_repeats_in_each_language(language: str, every: str) -> None:
    for number in range(7):
        day = NOW.date() + timedelta(days=number)
        event = parse(f"Jam {every} {Locale(language).formats.weekday(day)}", NOW, Locale(language))
        assert without_rule(event) == (QuickEvent("Jam", day), "FREQ=WEEKLY")


words = st.sampled_from(
    "every day week daily".split()
    + 'jazz at @ friday 8pm 20:00 - – to 12 dec 2027 next in 3 days weeks for hours tomorrow noon " “ ” , . 99 h may'.split()
)


@given(st.one_of(st.lists(words, max_size=12).map(" ".join), st.text(max_size=80)))
def test_any_line_is_read_and_nothing_is_invented(line: str) -> None:
    event = parse(line, NOW)
    assert parse(line, NOW) == event
    for part in (event.title, event.location):
        assert all(character in line or character == " " for character in part)
    assert (event.start is None) == (event.end is None)
    if event.start is not None:
        assert event.day is not None
        assert event.last_day is not None


DECEMBER = date(2026, 12, 12)
SEXTANT = "Le Sextant"


@pytest.mark.parametrize(
    ("language", "line", "event"),
    [
        ("de", "Abendessen morgen 20 Uhr", timed("Abendessen", TUESDAY, time(20), time(22))),
        ("de", "Jazz am Freitag um 20:30 Uhr im Sextant", timed("Jazz", FRIDAY, time(20, 30), time(22, 30), "Sextant")),
        ("de", "Jazz am 12. Dezember von 20 bis 22 Uhr", timed("Jazz", DECEMBER, time(20), time(22))),
        ("de", "Markt 12.-14. Dezember", QuickEvent("Markt", DECEMBER, None, date(2026, 12, 14))),
        ("de", "Tanz im Mai am Freitag 20 Uhr", timed("Tanz", FRIDAY, time(20), time(22), "Mai")),
        ("fr", "Dîner demain 20h", timed("Dîner", TUESDAY, time(20), time(22))),
        ("fr", "Fête de mon frère vendredi à 20h30 chez Léa", timed("Fête de mon frère", FRIDAY, time(20, 30), time(22, 30), "Léa")),
        ("fr", "Foire du 12 au 14 décembre", QuickEvent("Foire", DECEMBER, None, date(2026, 12, 14))),
        ("fr", "Concert le 12 décembre de 20h à 22h", timed("Concert", DECEMBER, time(20), time(22))),
        ("es", "Cena mañana a las 8 de la tarde", timed("Cena", TUESDAY, time(20), time(22))),
        ("es", "Cena viernes 20:30 en Le Sextant", timed("Cena", FRIDAY, time(20, 30), time(22, 30), SEXTANT)),
        ("es", "Feria 12 de diciembre de 2027 20 h", timed("Feria", date(2027, 12, 12), time(20), time(22))),
        ("it", "Cena domani alle 20", timed("Cena", TUESDAY, time(20), time(22))),
        ("it", "Cena venerdì dalle 20 alle 22 da Maria", timed("Cena", FRIDAY, time(20), time(22), "Maria")),
        ("it", "Fiera 12 dicembre ore 20.30", timed("Fiera", DECEMBER, time(20, 30), time(22, 30))),
        ("pt", "Jantar amanhã às 20h", timed("Jantar", TUESDAY, time(20), time(22))),
        ("pt", "Jantar sexta-feira 20h30 no Le Sextant", timed("Jantar", FRIDAY, time(20, 30), time(22, 30), SEXTANT)),
        ("pt", "Feira 12 de dezembro das 20h às 22h", timed("Feira", DECEMBER, time(20), time(22))),
        ("nl", "Eten morgen om 20 uur", timed("Eten", TUESDAY, time(20), time(22))),
        ("nl", "Eten vrijdag 20.30 uur bij Maria", timed("Eten", FRIDAY, time(20, 30), time(22, 30), "Maria")),
        ("nl", "Markt 12 december van 20 tot 22 uur", timed("Markt", DECEMBER, time(20), time(22))),
        ("ja", "夕食 明日20時", timed("夕食", TUESDAY, time(20), time(22))),
        ("ja", "ジャズ 12月12日(土) 20時から22時30分 @Le Sextant", timed("ジャズ", DECEMBER, time(20), time(22, 30), SEXTANT)),
        ("ar", "عشاء غدًا الساعة 8 مساءً", timed("عشاء", TUESDAY, time(20), time(22))),
        ("ar", "عشاء يوم الجمعة الساعة 20:30 في المطعم", timed("عشاء", FRIDAY, time(20, 30), time(22, 30), "المطعم")),
        # English words are no days in the lines of others.
        ("fr", "Sun et may demain 20h", timed("Sun et may", TUESDAY, time(20), time(22))),
    ],
)
def test_the_line_is_read_in_the_language_of_the_page(language: str, line: str, event: QuickEvent) -> None:
    assert parse(line, NOW, Locale(language)) == event


@pytest.mark.parametrize("language", OFFERED)
def test_the_example_of_each_language_is_read(language: str) -> None:
    event = parse(example_of(language), NOW, Locale(language))
    assert event.title
    assert (event.day, event.start, event.end) == (FRIDAY, time(20), time(22))
    assert event.location


@given(st.sampled_from(OFFERED), st.text(max_size=80))
def test_any_line_is_read_in_any_language(language: str, line: str) -> None:
    event = parse(line, NOW, Locale(language))
    for part in (event.title, event.location):
        assert all(character in line or character == " " for character in part)

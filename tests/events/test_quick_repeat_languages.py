"""The quick line of an event that repeats, in the languages of the pages."""

from datetime import date, datetime, time

import pytest

from kalends.core.i18n.locale import Locale
from kalends.features.events.forms.rules.quick_line import parse

# A Monday, at 3 pm.
NOW = datetime(2026, 11, 16, 15, 0)
TODAY, TUESDAY, FRIDAY, MONDAY_OF_DECEMBER = date(2026, 11, 16), date(2026, 11, 17), date(2026, 11, 20), date(2026, 12, 7)
LAST_FRIDAY, MAY = date(2026, 11, 27), date(2027, 5, 3)
WEEKLY, FORTNIGHTLY, YEARLY = "FREQ=WEEKLY", "FREQ=WEEKLY;INTERVAL=2", "FREQ=YEARLY"
WEEKDAYS, FIRST, LAST = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "FREQ=MONTHLY;BYDAY=1MO", "FREQ=MONTHLY;BYDAY=-1FR"
UNTIL, UNTIL_MARCH, TIMES = "FREQ=WEEKLY;UNTIL=20261220", "FREQ=WEEKLY;UNTIL=20270331", "FREQ=WEEKLY;COUNT=10"
BOTH = "FREQ=WEEKLY;BYDAY=TU,TH"

LINES = {
    "de": [
        ("dienstags um 19 Uhr", TUESDAY, WEEKLY),
        ("jeden Dienstag und Donnerstag 19 Uhr", TUESDAY, BOTH),
        ("alle 2 Wochen 19 Uhr", TODAY, FORTNIGHTLY),
        ("alle zwei Wochen 19 Uhr", TODAY, FORTNIGHTLY),
        ("jeden zweiten Montag 19 Uhr", TODAY, FORTNIGHTLY),
        ("jeden Werktag 19 Uhr", TODAY, WEEKDAYS),
        ("werktags 19 Uhr", TODAY, WEEKDAYS),
        ("jeden ersten Montag im Monat 19 Uhr", MONDAY_OF_DECEMBER, FIRST),
        ("am ersten Montag des Monats 19 Uhr", MONDAY_OF_DECEMBER, FIRST),
        ("am letzten Freitag jeden Monats 19 Uhr", LAST_FRIDAY, LAST),
        ("jedes Jahr am 3. Mai 19 Uhr", MAY, YEARLY),
        ("jährlich am 3. Mai 19 Uhr", MAY, YEARLY),
        ("jeden Dienstag 19 Uhr bis 20. Dezember", TUESDAY, UNTIL),
        ("jeden Dienstag 19 Uhr bis zum 20. Dezember", TUESDAY, UNTIL),
        ("jeden Dienstag 19 Uhr bis März", TUESDAY, UNTIL_MARCH),
        ("jeden Dienstag 19 Uhr bis Ende März", TUESDAY, UNTIL_MARCH),
        ("jeden Dienstag 19 Uhr 10 Mal", TUESDAY, TIMES),
        ("jeden Dienstag 19 Uhr 5 Wochen lang", TUESDAY, "FREQ=WEEKLY;UNTIL=20261221"),
        ("jeden Dienstag ab 12. Januar 19 Uhr", date(2027, 1, 12), WEEKLY),
    ],
    "fr": [
        ("les mardis à 19h", TUESDAY, WEEKLY),
        ("tous les mardis et jeudis à 19h", TUESDAY, BOTH),
        ("toutes les 2 semaines à 19h", TODAY, FORTNIGHTLY),
        ("toutes les deux semaines à 19h", TODAY, FORTNIGHTLY),
        ("un lundi sur deux à 19h", TODAY, FORTNIGHTLY),
        ("tous les jours ouvrables à 19h", TODAY, WEEKDAYS),
        ("en semaine à 19h", TODAY, WEEKDAYS),
        ("le premier lundi du mois à 19h", MONDAY_OF_DECEMBER, FIRST),
        ("chaque premier lundi du mois à 19h", MONDAY_OF_DECEMBER, FIRST),
        ("le dernier vendredi de chaque mois à 19h", LAST_FRIDAY, LAST),
        ("tous les ans le 3 mai à 19h", MAY, YEARLY),
        ("tous les mardis à 19h jusqu’au 20 décembre", TUESDAY, UNTIL),
        ("tous les mardis à 19h jusqu'en mars", TUESDAY, UNTIL_MARCH),
        ("tous les mardis à 19h jusqu'à fin mars", TUESDAY, UNTIL_MARCH),
        ("tous les mardis 10 fois à 19h", TUESDAY, TIMES),
        ("tous les mardis à 19h à partir du 12 janvier", date(2027, 1, 12), WEEKLY),
    ],
    "es": [
        ("los martes a las 19", TUESDAY, WEEKLY),
        ("todos los martes y jueves a las 19", TUESDAY, BOTH),
        ("cada 2 semanas a las 19", TODAY, FORTNIGHTLY),
        ("cada dos lunes a las 19", TODAY, FORTNIGHTLY),
        ("todos los días laborables a las 19", TODAY, WEEKDAYS),
        ("entre semana a las 19", TODAY, WEEKDAYS),
        ("el primer lunes del mes a las 19", MONDAY_OF_DECEMBER, FIRST),
        ("el último viernes de cada mes a las 19", LAST_FRIDAY, LAST),
        ("cada año el 3 de mayo a las 19", MAY, YEARLY),
        ("todos los martes a las 19 hasta el 20 de diciembre", TUESDAY, UNTIL),
        ("todos los martes a las 19 hasta marzo", TUESDAY, UNTIL_MARCH),
        ("todos los martes a las 19 10 veces", TUESDAY, TIMES),
        ("todos los martes a las 19 desde el 12 de enero", date(2027, 1, 12), WEEKLY),
    ],
    "it": [
        ("ogni martedì alle 19", TUESDAY, WEEKLY),
        ("ogni martedì e giovedì alle 19", TUESDAY, BOTH),
        ("ogni 2 settimane alle 19", TODAY, FORTNIGHTLY),
        ("ogni due lunedì alle 19", TODAY, FORTNIGHTLY),
        ("ogni giorno feriale alle 19", TODAY, WEEKDAYS),
        ("ogni primo lunedì del mese alle 19", MONDAY_OF_DECEMBER, FIRST),
        ("il primo lunedì del mese alle 19", MONDAY_OF_DECEMBER, FIRST),
        ("l'ultimo venerdì di ogni mese alle 19", LAST_FRIDAY, LAST),
        ("ogni anno il 3 maggio alle 19", MAY, YEARLY),
        ("ogni martedì alle 19 fino al 20 dicembre", TUESDAY, UNTIL),
        ("ogni martedì alle 19 fino a marzo", TUESDAY, UNTIL_MARCH),
        ("ogni martedì alle 19 10 volte", TUESDAY, TIMES),
        ("ogni martedì alle 19 dal 12 gennaio", date(2027, 1, 12), WEEKLY),
    ],
    "pt": [
        ("às terças às 19h", TUESDAY, WEEKLY),
        ("toda terça e quinta às 19h", TUESDAY, BOTH),
        ("a cada 2 semanas às 19h", TODAY, FORTNIGHTLY),
        ("a cada duas semanas às 19h", TODAY, FORTNIGHTLY),
        ("todos os dias úteis às 19h", TODAY, WEEKDAYS),
        ("na primeira segunda do mês às 19h", MONDAY_OF_DECEMBER, FIRST),
        ("toda primeira segunda-feira do mês às 19h", MONDAY_OF_DECEMBER, FIRST),
        ("na última sexta de cada mês às 19h", LAST_FRIDAY, LAST),
        ("todo ano em 3 de maio às 19h", MAY, YEARLY),
        ("toda terça às 19h até 20 de dezembro", TUESDAY, UNTIL),
        ("toda terça às 19h até março", TUESDAY, UNTIL_MARCH),
        ("toda terça 10 vezes às 19h", TUESDAY, TIMES),
        ("toda terça às 19h a partir de 12 de janeiro", date(2027, 1, 12), WEEKLY),
    ],
    "nl": [
        ("dinsdags om 19 uur", TUESDAY, WEEKLY),
        ("elke dinsdag en donderdag om 19 uur", TUESDAY, BOTH),
        ("elke 2 weken om 19 uur", TODAY, FORTNIGHTLY),
        ("om de week om 19 uur", TODAY, FORTNIGHTLY),
        ("om de twee weken om 19 uur", TODAY, FORTNIGHTLY),
        ("elke tweede maandag om 19 uur", TODAY, FORTNIGHTLY),
        ("elke werkdag om 19 uur", TODAY, WEEKDAYS),
        ("doordeweeks om 19 uur", TODAY, WEEKDAYS),
        ("elke eerste maandag van de maand om 19 uur", MONDAY_OF_DECEMBER, FIRST),
        ("de laatste vrijdag van elke maand om 19 uur", LAST_FRIDAY, LAST),
        ("elk jaar op 3 mei om 19 uur", MAY, YEARLY),
        ("elke dinsdag om 19 uur tot 20 december", TUESDAY, UNTIL),
        ("elke dinsdag om 19 uur tot en met 20 december", TUESDAY, UNTIL),
        ("elke dinsdag om 19 uur tot eind maart", TUESDAY, UNTIL_MARCH),
        ("elke dinsdag om 19 uur 10 keer", TUESDAY, TIMES),
        ("elke dinsdag om 19 uur vanaf 12 januari", date(2027, 1, 12), WEEKLY),
    ],
    "ja": [
        ("毎週火曜日19時", TUESDAY, WEEKLY),
        ("毎週火曜と木曜19時", TUESDAY, BOTH),
        ("隔週19時", TODAY, FORTNIGHTLY),
        ("隔週月曜日19時", TODAY, FORTNIGHTLY),
        ("平日19時", TODAY, WEEKDAYS),
        ("毎月第1月曜日19時", MONDAY_OF_DECEMBER, FIRST),
        ("毎月最終金曜日19時", LAST_FRIDAY, LAST),
        ("毎年5月3日19時", MAY, YEARLY),
        ("毎週火曜日19時 12月20日まで", TUESDAY, UNTIL),
        ("毎週火曜日19時 3月まで", TUESDAY, UNTIL_MARCH),
        ("毎週火曜日10回 19時", TUESDAY, TIMES),
        ("毎週火曜日19時 1月12日から", date(2027, 1, 12), WEEKLY),
    ],
    "ar": [
        ("أيام الثلاثاء الساعة 7 مساءً", TUESDAY, WEEKLY),
        ("كل أسبوعين الساعة 7 مساءً", TODAY, FORTNIGHTLY),
        ("كل سنة يوم 3 مايو الساعة 7 مساءً", MAY, YEARLY),
        ("سنويًا يوم 3 مايو الساعة 7 مساءً", MAY, YEARLY),
        ("كل ثلاثاء الساعة 7 مساءً حتى 20 ديسمبر", TUESDAY, UNTIL),
        ("كل ثلاثاء الساعة 7 مساءً حتى مارس", TUESDAY, UNTIL_MARCH),
        ("كل ثلاثاء الساعة 7 مساءً 10 مرات", TUESDAY, TIMES),
    ],
}


@pytest.mark.parametrize(("language", "when", "day", "rule"), [(language, *line) for language, lines in LINES.items() for line in lines])
def test_rules_are_read_in_each_language(language: str, when: str, day: date, rule: str) -> None:
    event = parse(f"Yoga {when}", NOW, Locale(language))
    assert event.repeat is not None
    assert (event.title, event.day, event.start, event.repeat.rrule, event.unread) == ("Yoga", day, time(19), rule, "")


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("de", "Alle meine Entchen"),
        ("de", "Jeder stirbt für sich allein"),
        ("de", "Der letzte Montag"),
        ("fr", "Tous les garçons"),
        ("fr", "Les premiers jours"),
        ("es", "Los lunes al sol"),
        ("es", "Cada cosa en su sitio"),
        ("it", "Tutti i colori"),
        ("pt", "Toda a verdade"),
        ("nl", "Elke keer anders"),
        ("ja", "第九"),
        ("ar", "كل شيء"),
    ],
)
def test_ordinary_titles_do_not_repeat_in_any_language(language: str, title: str) -> None:
    friday = Locale(language).formats.weekday(FRIDAY)
    event = parse(f"{title} {friday} 20:00", NOW, Locale(language))
    assert (f"{event.title} {event.location}".replace(" ", "")[:4], event.day, event.repeat) == (title.replace(" ", "")[:4], FRIDAY, None)


@pytest.mark.parametrize(
    ("language", "line", "unread"),
    [
        ("de", "Yoga jeden Dienstag 19 Uhr bis Weihnachten", "bis Weihnachten"),
        ("fr", "Yoga tous les mardis à 19h jusqu’à Noël", "jusqu’à Noël"),
        ("es", "Yoga cada martes a las 19:00 hasta Navidad", "hasta Navidad"),
        ("it", "Yoga ogni martedì alle 19 fino a Natale", "fino a Natale"),
        ("pt", "Yoga todas as terças às 19h até ao Natal", "até ao Natal"),
        ("nl", "Yoga elke dinsdag 19:00 tot Kerstmis", "tot Kerstmis"),
        ("ar", "يوغا كل ثلاثاء الساعة 19 حتى عيد الميلاد", "حتى عيد الميلاد"),
    ],
)
def test_an_end_that_is_not_understood_is_named_in_other_languages(language: str, line: str, unread: str) -> None:
    event = parse(line, NOW, Locale(language))
    assert event.repeat is not None
    assert (event.repeat.end_date, event.unread) == (None, unread)
    assert unread in event.title

"""How other languages say in the quick line that an event repeats, and until when."""

from kalends.features.events.forms.rules.quick_words import WEEKDAYS

_UNITS = ("weekday", "day", "week", "month", "year")
_ADVERBS = ("daily", "weekly", "monthly", "yearly")
_ORDINALS = ("first", "second", "third", "fourth", "last")
_NUMBERS = ("two", "three", "four")
# Before a day of a month, or a month.
_BEFORE_DATE = r"(?=\s*(?:\d|NAMES))"


def _repeating(
    every: str,
    *,
    days: str,
    units: str,
    plurals: str = "",
    before_plurals: str = "",
    adverbs: str = "",
    ordinals: str = "",
    numbers: str = "",
    on_the: str = "",
    of_month: str = "",
    and_: str = "",
    **more: str,
) -> dict[str, str]:
    """The phrases, by their English form: lists of words begin with Monday, and follow the English ones above.

    more: other phrases, with `_` for a blank.
    """
    names = dict(zip(WEEKDAYS, days.split(), strict=True))
    any_day, any_ordinal, any_number = ("|".join(words.split()) or "(?!)" for words in (days, ordinals, numbers))
    phrases = {"of the month": of_month, "and": rf"(?:{and_})(?=\s+(?:{any_day}))"} if ordinals else {}
    for name, pattern in (names | dict(zip(_UNITS, units.split(), strict=True))).items():
        phrases[f"every {name}"] = rf"(?:{every})\s+{pattern}"
    for name, plural in zip(WEEKDAYS, plurals.split(), strict=False):
        phrases[f"{name}s"] = rf"(?:{before_plurals}){plural}"
    phrases |= dict(zip(_ADVERBS, adverbs.split(), strict=False))
    phrases["every"] = rf"(?:{every})(?=\s+(?:\d|{any_ordinal}|{any_number}))"
    if ordinals:
        phrases["on the"] = rf"(?:{on_the})(?=\s+(?:{any_ordinal}))"
        phrases |= {name: rf"(?:{nth})(?=\s+(?:{any_day}))" for name, nth in zip(_ORDINALS, ordinals.split(), strict=True)}
    phrases |= {name.replace("_", " "): pattern for name, pattern in more.items()}
    return phrases | dict(zip(_NUMBERS, numbers.split(), strict=False))


REPEATING = {
    "de": _repeating(
        "jede[nrsm]?|alle",
        days="montag dienstag mittwoch donnerstag freitag (?:samstag|sonnabend) sonntag",
        units=r"(?:werktag|wochentag) tag woche monat jahr",
        plurals="montags dienstags mittwochs donnerstags freitags (?:samstags|sonnabends) sonntags",
        adverbs="täglich wöchentlich monatlich jährlich",
        ordinals="erste[nr]? zweite[nr]? dritte[nr]? vierte[nr]? letzte[nr]?",
        numbers="zwei drei vier",
        on_the="am",
        of_month="(?:im|des|jede[ns]|eines jeden) monats?",
        and_="und",
        weekdays="werktags|an werktagen|unter der woche",
        until_the_end_of="bis ende",
        until="bis zum",
        **{"from": rf"ab(?: dem)?{_BEFORE_DATE}"},
        times="mal",
        weeks="wochen lang",
        months="monate lang|monaten|monate",
        years="jahre lang|jahren|jahre",
    ),
    "fr": _repeating(
        "chaque|tous les|toutes les",
        days="lundis? mardis? mercredis? jeudis? vendredis? samedis? dimanches?",
        units=r"jours?\souvr(?:és?|ables?) jours? semaines? mois (?:ans?|années?)",
        plurals="lundis mardis mercredis jeudis vendredis samedis dimanches",
        before_plurals=r"(?:les\s+)?",
        adverbs="quotidiennement hebdomadairement mensuellement annuellement",
        ordinals="premier deuxième|second troisième quatrième dernier",
        numbers="deux trois quatre",
        on_the="le",
        of_month="du mois|de chaque mois|de tous les mois",
        and_="et",
        weekdays="en semaine",
        until_the_end_of="jusqu['’]à (?:la )?fin(?: de)?",
        until=rf"jusqu['’](?:au|à|en){_BEFORE_DATE}",
        till="jusqu['’](?:au|à|en)",
        **{"from": rf"(?:à partir du|dès le){_BEFORE_DATE}"},
        **{
            f"every other {name}": rf"une?\s+{pattern}\s+sur\s+(?:deux|2)"
            for name, pattern in zip(
                (*WEEKDAYS, "day", "week"), "lundi mardi mercredi jeudi vendredi samedi dimanche jour semaine".split(), strict=True
            )
        },
        times="fois",
        months="mois",
        years="ans|an",
    ),
    "es": _repeating(
        "cada|todos los|todas las",
        days="lunes martes miércoles jueves viernes sábados? domingos?",
        units=r"días?\slaborables? días? semanas? mes(?:es)? años?",
        plurals="lunes martes miércoles jueves viernes sábados domingos",
        before_plurals=r"los\s+",
        adverbs="diariamente semanalmente mensualmente anualmente",
        ordinals="primer segundo tercer cuarto último",
        numbers="dos tres cuatro",
        on_the="el",
        of_month="del mes|de cada mes",
        and_="y",
        weekdays="entre semana",
        until_the_end_of="hasta (?:el final|finales|fines|fin) de",
        until=rf"hasta(?: el)?{_BEFORE_DATE}",
        till="hasta",
        **{"from": rf"(?:desde|a partir)(?: del| de| el)?{_BEFORE_DATE}"},
        times="veces",
        months="meses",
        years="años|año",
    ),
    "it": _repeating(
        "ogni|tutt[ie] (?:i|le)",
        days="lunedì martedì mercoledì giovedì venerdì sabat[oi] domenic(?:a|he)",
        units=r"giorn[oi]\sferial[ei] giorn[oi] settiman[ae] mes[ei] ann[oi]",
        adverbs="quotidianamente settimanalmente mensilmente annualmente",
        ordinals="prim[oa] second[oa] terz[oa] quart[oa] (?:l['’])?ultim[oa]",
        numbers="due tre quattro",
        on_the="il|la",
        of_month="del mese|di ogni mese",
        and_="e",
        until_the_end_of="fino (?:alla fine di|a fine)",
        until=rf"fino (?:all['’]|al|a){_BEFORE_DATE}",
        till="fino al?",
        **{"from": rf"a partire dal{_BEFORE_DATE}"},
        times="volte",
        months="mesi|mese",
        years="anni|anno",
    ),
    "pt": _repeating(
        "(?:a )?cada|tod[oa]|todos os|todas as",
        days="segundas?(?:-feiras?)? terças?(?:-feiras?)? quartas?(?:-feiras?)? quintas?(?:-feiras?)? sextas?(?:-feiras?)? "
        "sábados? domingos?",
        units=r"dias?\s(?:útil|úteis) dias? semanas? m(?:ês|eses) anos?",
        plurals="segundas(?:-feiras)? terças(?:-feiras)? quartas(?:-feiras)? quintas(?:-feiras)? sextas(?:-feiras)? sábados domingos",
        before_plurals=r"(?:às|nas|aos)\s+",
        adverbs="diariamente semanalmente mensalmente anualmente",
        ordinals="primeir[oa] segund[oa] terceir[oa] quart[oa] últim[oa]",
        numbers="(?:dois|duas) três quatro",
        on_the="na|no",
        of_month="do mês|de cada mês|de todos os meses",
        and_="e",
        weekdays="em dias úteis|durante a semana",
        until_the_end_of="até (?:ao? |o )?(?:fim|final) de",
        until=rf"até(?: ao?| o)?{_BEFORE_DATE}",
        till="até(?: ao?| o)?",
        **{"from": rf"(?:a partir de|desde)(?: o)?{_BEFORE_DATE}"},
        times="vezes",
        months="meses|mês",
        years="anos|ano",
    ),
    "nl": _repeating(
        "elke?|iedere?",
        days="maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        units=r"(?:werkdag|doordeweekse\sdag) dag week maand jaar",
        plurals="(?:maandags|maandagen) (?:dinsdags|dinsdagen) (?:woensdags|woensdagen) (?:donderdags|donderdagen) "
        "(?:vrijdags|vrijdagen) (?:zaterdags|zaterdagen) (?:zondags|zondagen)",
        before_plurals=r"(?:op\s+)?",
        adverbs="dagelijks wekelijks maandelijks jaarlijks",
        ordinals="eerste tweede derde vierde laatste",
        numbers="twee drie vier",
        on_the="op de|de",
        of_month="van (?:de|elke|iedere) maand",
        and_="en",
        weekdays="doordeweeks|op werkdagen",
        until_the_end_of="tot eind(?:e)?",
        **{"from": rf"vanaf{_BEFORE_DATE}"},
        **{f"every other {name}": f"om de {each}" for name, each in (("day", "dag"), ("week", "week"), ("month", "maand"))},
        every_two_weeks="om de (?:2|twee) weken",
        times="keer",
        months="maanden",
        years="jaar",
    ),
    "ja": {
        **{f"every {day}": f"毎週の?{each}曜日?" for day, each in zip(WEEKDAYS, "月火水木金土日", strict=True)},
        **{f"every other {day}": f"隔週の?{each}曜日?" for day, each in zip(WEEKDAYS, "月火水木金土日", strict=True)},
        **{
            f"monthly {nth}": f"(?:毎月の?)?{each}(?=[月火水木金土日]曜)"
            for nth, each in zip(_ORDINALS, "第[1１一] 第[2２二] 第[3３三] 第[4４四] 最終".split(), strict=True)
        },
        "and": "[と・](?=[月火水木金土日]曜)",
        "every other week": "隔週",
        "every other day": "隔日",
        "weekdays": "平日",
        "every day": "毎日",
        "every week": "毎週",
        "every month": "毎月",
        "every year": "毎年",
        "weeks": "週間",
        "times": "回",
    },
    "ar": _repeating(
        r"كل(?:\s+يوم)?",
        days="(?:ال)?[اإ]ثنين (?:ال)?ثلاثاء (?:ال)?[أا]ربعاء (?:ال)?خميس (?:ال)?جمعة (?:ال)?سبت (?:ال)?[أا]حد",
        units=r"يوم\sعمل يوم أسبوع شهر (?:سنة|عام)",
        plurals="الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد",
        before_plurals=r"أيام\s+",
        adverbs="يوميًا أسبوعيًا شهريًا سنويًا",
        until_the_end_of="حتى نهاية",
        every_two_days="كل يومين",
        every_two_weeks="كل أسبوعين",
        every_two_months="كل شهرين",
        times="مرات|مرة",
        months="أشهر|شهرًا",
        years="سنوات|سنة",
    ),
}

"""The words of the line of a new event, and what other languages say for them."""

from msgspec import Struct

MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# Between two days or two times, in English.
TO = r"\s*(?:-|–|—|\bto\b|\buntil\b|\btill\b)\s*"
# What everyone who reads English understands.
EXAMPLE = "Jazz trio Friday 8pm at Le Sextant"


class Words(Struct, frozen=True):
    """The words of a language, as parts of regular expressions; of several that fit, the first counts."""

    # A line that everyone understands, and that the tests read.
    example: str
    phrases: dict[str, str]
    # After an hour, and before one that has nothing after it.
    o_clock: str
    at: str
    # Between two times, and before the first.
    to: str
    since: str
    evening: str = r"pm|p\.m\."
    morning: str = r"am|a\.m\."
    # Whether words follow each other without blanks.
    is_joined: bool = False


WORDS = {
    "de": Words(
        "Jazztrio Freitag 20 Uhr im Le Sextant",
        {
            "day after tomorrow": "übermorgen",
            "tonight": "heute abend",
            "today": "heute",
            "tomorrow": "morgen",
            "next week": "(?:nächste|kommende) woche",
            "next": "(?:nächste|kommende)[rn]?",
            "this": "diese[rn]?",
            "in": r"in(?=\s+\d)",
            "on": r"am(?=\s)",
            "to": "bis",
            "at": "im|in der|in|beim|bei",
            "days": "tagen|tage|tag",
            "weeks": "wochen|woche",
            "for": r"für(?=\s+\d)",
            "hours": "stunden|stunde",
            "minutes": "minuten",
            "noon": "mittags",
            "midnight": "mitternacht",
        },
        o_clock="uhr|h",
        at="um|gegen",
        to="bis",
        since="von|ab",
    ),
    "fr": Words(
        "Trio de jazz vendredi 20h au Sextant",
        {
            "day after tomorrow": "après-demain",
            "tonight": "ce soir",
            "today": "aujourd['’]hui",
            "tomorrow": "demain",
            "next week": "(?:la )?semaine prochaine",
            "in": r"dans(?=\s+\d)",
            "the": "(?:le|du)(?=\\s+(?:\\d|NAMES))",
            "to": r"au(?=\s+\d)",
            "at": "chez|au|aux|à la|à l['’]|à",
            "days": "jours|jour",
            "weeks": "semaines|semaine",
            "for": r"pendant(?=\s+\d)",
            "hours": "heures|heure",
            "minutes": "minutes",
            "noon": "midi",
            "midnight": "minuit",
        },
        o_clock="heures|heure|h",
        at="vers",
        to="à|jusqu['’]à",
        since="de|dès",
    ),
    "es": Words(
        "Trío de jazz viernes a las 20 en Le Sextant",
        {
            "day after tomorrow": "pasado mañana",
            "tonight": "esta noche",
            "today": "hoy",
            "tomorrow": "mañana",
            "next week": "(?:la )?(?:próxima semana|semana que viene)",
            "next": "(?:el )?próximo",
            "this": "este",
            "in": r"(?:en|dentro de)(?=\s+\d+\s+(?:días?|semanas?))",
            "of": r"de(?=\s+NAMES)",
            " ": r"de(?=\s+\d{4})",
            "the": r"(?:el|del)(?=\s+(?:\d|NAMES))",
            "to": r"al?(?=\s+\d)",
            "at": "en",
            "days": "días|día",
            "weeks": "semanas|semana",
            "for": r"durante(?=\s+\d)",
            "hours": "horas|hora",
            "minutes": "minutos",
            "noon": "(?:al )?mediodía",
            "midnight": "medianoche",
        },
        o_clock="horas|hora|hs|h",
        at="a las?",
        to="a las?|hasta las?|a",
        since="de las?|desde las?|de",
        evening="de la tarde|de la noche|pm|p\\.m\\.",
        morning="de la mañana|am|a\\.m\\.",
    ),
    "it": Words(
        "Trio jazz venerdì alle 20 al Sextant",
        {
            "day after tomorrow": "dopodomani",
            "tonight": "stasera",
            "today": "oggi",
            "tomorrow": "domani",
            "next week": "(?:la )?(?:prossima settimana|settimana prossima)",
            "next": "prossimo|prossima",
            "this": "quest[oa]",
            "in": r"(?:tra|fra)(?=\s+\d)",
            "the": r"(?:il|dal|dall['’])(?=\s*(?:\d|NAMES))",
            "to": r"(?:al|all['’])(?=\s*\d)",
            "at": "alla|allo|all['’]|al|da|presso",
            "days": "giorni|giorno",
            "weeks": "settimane|settimana",
            "for": r"per(?=\s+\d)",
            "hours": "ore|ora",
            "minutes": "minuti",
            "noon": "mezzogiorno",
            "midnight": "mezzanotte",
        },
        o_clock="h",
        at="alle ore|alle|ore",
        to="alle|fino alle",
        since="dalle ore|dalle",
    ),
    "pt": Words(
        "Trio de jazz sexta às 20h no Le Sextant",
        {
            "day after tomorrow": "depois de amanhã",
            "tonight": "hoje à noite|esta noite",
            "today": "hoje",
            "tomorrow": "amanhã",
            "next week": "(?:na )?(?:próxima semana|semana que vem)",
            "next": "(?:na |no )?próxim[oa]",
            "this": "nesta|neste|esta|este",
            "in": r"(?:em|daqui a)(?=\s+\d+\s+(?:dias?|semanas?))",
            "of": r"de(?=\s+NAMES)",
            " ": r"de(?=\s+\d{4})",
            "on": "na(?=\\s+NAMES)|no dia|em(?=\\s+\\d)",
            "to": r"a(?=\s+\d)",
            "at": "no|na|em",
            "days": "dias|dia",
            "weeks": "semanas|semana",
            "for": r"durante(?=\s+\d)",
            "hours": "horas|hora",
            "minutes": "minutos",
            "noon": "(?:ao )?meio-dia",
            "midnight": "meia-noite",
            **{day: f"{each}(?!-)" for day, each in zip(WEEKDAYS, "segunda terça quarta quinta sexta".split(), strict=False)},
        },
        o_clock="horas|hora|h",
        at="às|as",
        to="às|até às|até",
        since="das|desde as",
        evening="da tarde|da noite|pm",
        morning="da manhã|am",
    ),
    "nl": Words(
        "Jazztrio vrijdag om 20 uur in Le Sextant",
        {
            "day after tomorrow": "overmorgen",
            "tonight": "vanavond",
            "today": "vandaag",
            "tomorrow": "morgen",
            "next week": "volgende week",
            "next": "volgende",
            "this": "deze",
            "in": r"over(?=\s+\d)",
            "on": r"op(?=\s+(?:\d|NAMES))",
            "to": "tot en met|t/m|tot",
            "at": "in de|in het|in|bij",
            "days": "dagen|dag",
            "weeks": "weken|week",
            "for": r"gedurende(?=\s+\d)",
            "hours": "uren|uur",
            "minutes": "minuten",
            "midnight": "middernacht",
        },
        o_clock="uur|u",
        at="om|rond",
        to="tot",
        since="van|vanaf",
    ),
    "ja": Words(
        "ジャズトリオ 金曜日20時 @ル・セクスタン",
        {
            "day after tomorrow": "明後日|あさって",
            "tonight": "今夜|今晩",
            "today": "今日",
            "tomorrow": "明日|あした",
            "next week": "来週(?!の?NAMES)",
            "next": "来週の?",
            "this": "今週の?",
            "noon": "正午",
            **{day: f"{each}曜日?" for day, each in zip(WEEKDAYS, "月火水木金土日", strict=True)},
        },
        o_clock="時",
        at="午前",
        to="から|〜|～|-",
        since="午前",
        is_joined=True,
    ),
    "ar": Words(
        "ثلاثي جاز الجمعة الساعة 8 مساءً في لو سيكستان",
        {
            "day after tomorrow": "بعد غد",
            "tonight": "الليلة",
            "today": "اليوم",
            "tomorrow": "غد[ًا]*",
            "next week": "الأسبوع (?:القادم|المقبل)",
            "on": r"يوم(?=\s+(?:\d|NAMES))",
            "in": r"بعد(?=\s+\d)",
            "to": "إلى|حتى",
            "at": "في",
            "days": "أيام|يومًا|يوم",
            "weeks": "أسابيع|أسبوع",
            "for": r"لمدة(?=\s+\d)",
            "hours": "ساعات|ساعة",
            "minutes": "دقيقة|دقائق",
            "noon": "ظهرًا|الظهر",
            "midnight": "منتصف الليل",
        },
        o_clock="ساعة",
        at="الساعة",
        to="إلى|حتى",
        since="من الساعة|من",
        evening="مساء[ًا]*|ليلا[ً]*|م",
        morning="صباح[ًا]*|ص",
    ),
}


def example_of(language: str) -> str:
    """A line as people of this language may write it."""
    return WORDS[language].example if language in WORDS else EXAMPLE

"""Ordinals as messages: `first` and `20th`, alone and before weekdays, where other languages inflect them."""

from kalends.core.i18n import gettext, pgettext

ORDINALS = {
    1: gettext("first"),
    2: gettext("second"),
    3: gettext("third"),
    4: gettext("fourth"),
    5: gettext("fifth"),
    -1: gettext("last"),
    -2: gettext("second to last"),
    -3: gettext("third to last"),
}
# Of weekdays, which have genders in Italian and Portuguese: there, a Saturday and a Sunday each have another one than the days before.
_OF_WORKING_DAYS = {
    1: pgettext("Monday", "first"),
    2: pgettext("Monday", "second"),
    3: pgettext("Monday", "third"),
    4: pgettext("Monday", "fourth"),
    5: pgettext("Monday", "fifth"),
    -1: pgettext("Monday", "last"),
    -2: pgettext("Monday", "second to last"),
    -3: pgettext("Monday", "third to last"),
}
_OF_SATURDAY = {
    1: pgettext("Saturday", "first"),
    2: pgettext("Saturday", "second"),
    3: pgettext("Saturday", "third"),
    4: pgettext("Saturday", "fourth"),
    5: pgettext("Saturday", "fifth"),
    -1: pgettext("Saturday", "last"),
    -2: pgettext("Saturday", "second to last"),
    -3: pgettext("Saturday", "third to last"),
}
_OF_SUNDAY = {
    1: pgettext("Sunday", "first"),
    2: pgettext("Sunday", "second"),
    3: pgettext("Sunday", "third"),
    4: pgettext("Sunday", "fourth"),
    5: pgettext("Sunday", "fifth"),
    -1: pgettext("Sunday", "last"),
    -2: pgettext("Sunday", "second to last"),
    -3: pgettext("Sunday", "third to last"),
}
ORDINALS_OF_WEEKDAYS = (*[_OF_WORKING_DAYS] * 5, _OF_SATURDAY, _OF_SUNDAY)
# Further ones, by the English suffix.
NUMBERS = {
    "st": gettext("%(number)sst"),
    "nd": gettext("%(number)snd"),
    "rd": gettext("%(number)srd"),
    "th": gettext("%(number)sth"),
}
_NUMBERS_OF_WORKING_DAYS = {
    "st": pgettext("Monday", "%(number)sst"),
    "nd": pgettext("Monday", "%(number)snd"),
    "rd": pgettext("Monday", "%(number)srd"),
    "th": pgettext("Monday", "%(number)sth"),
}
_NUMBERS_OF_SATURDAY = {
    "st": pgettext("Saturday", "%(number)sst"),
    "nd": pgettext("Saturday", "%(number)snd"),
    "rd": pgettext("Saturday", "%(number)srd"),
    "th": pgettext("Saturday", "%(number)sth"),
}
_NUMBERS_OF_SUNDAY = {
    "st": pgettext("Sunday", "%(number)sst"),
    "nd": pgettext("Sunday", "%(number)snd"),
    "rd": pgettext("Sunday", "%(number)srd"),
    "th": pgettext("Sunday", "%(number)sth"),
}
NUMBERS_OF_WEEKDAYS = (*[_NUMBERS_OF_WORKING_DAYS] * 5, _NUMBERS_OF_SATURDAY, _NUMBERS_OF_SUNDAY)

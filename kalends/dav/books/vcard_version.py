"""vCards in the other version, 3.0 or 4.0, line by line: what both write alike stays as it was written."""

import re
from collections.abc import Callable
from typing import Literal

from kalends.ical.lines import MAX_PARAMETERS, fold
from kalends.ical.raw_lines import Line, split_lines

Version = Literal["3.0", "4.0"]

_HEAD = re.compile(r'((?:[^":;]++|"[^"]*+")*+)((?:;(?:[^":;]++|"[^"]*+")*+)*+):')
_DATA = re.compile(r"data:image/([\w.+-]{1,40});base64,", re.IGNORECASE)
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_BASIC_DATE = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_DAY_OF_YEAR = re.compile(r"--([0-9]{2})([0-9]{2})")
# The parameter of dates without a year in version 3.0, as Apple's programs write them: the year that does not count, a leap year.
_OMIT_YEAR, _NO_YEAR = "X-APPLE-OMIT-YEAR", "1604"
# Names that Apple's programs use in version 3.0.
_TO_NEW = {"X-ADDRESSBOOKSERVER-KIND": "KIND", "X-ADDRESSBOOKSERVER-MEMBER": "MEMBER", "X-GENDER": "GENDER"}
_TO_OLD = {new: old for old, new in _TO_NEW.items()}
_GENDERS = {"MALE": "M", "FEMALE": "F"}


def find_version(text: str) -> str:
    """The VERSION of a card; empty if it has none."""
    return next((line.value.strip() for line in split_lines(text) if line.name == "VERSION"), "")


def convert(text: str, version: Version) -> str:
    """The card in this version; its very text if it has it already."""
    if find_version(text) == version:
        return text
    change = _to_new if version == "4.0" else _to_old
    lines = list(split_lines(text))
    if version == "3.0" and not any(line.name == "N" for line in lines):
        # Version 3.0 demands it.
        place = next(i for i, line in enumerate(lines) if line.name == "VERSION")
        lines.insert(place + 1, Line("N:;;;;\r\n", "N:;;;;"))
    return "".join(_convert_line(line, change) for line in lines)


Change = Callable[[str, list[str], str], tuple[str, list[str], str]]


def _convert_line(line: Line, change: Change) -> str:
    match = _HEAD.match(line.text)
    if match is None or match.end() > MAX_PARAMETERS or line.name in ("BEGIN", "END"):
        return line.raw
    name, value = match[1].removeprefix(line.group).upper(), line.text[match.end() :]
    parameters = re.findall(r';((?:[^";]++|"[^"]*+")*+)', match[2])
    new_name, new_parameters, new_value = change(name, parameters, value)
    if (new_name, new_parameters, new_value) == (name, parameters, value):
        return line.raw
    return fold(";".join([line.group + new_name, *new_parameters]) + f":{new_value}")


def _to_new(name: str, parameters: list[str], value: str) -> tuple[str, list[str], str]:
    if name == "VERSION":
        return name, [], "4.0"
    types, others = _split_types(parameters)
    is_binary = any(each.upper() in ("ENCODING=B", "ENCODING=BASE64") for each in others)
    if name in ("PHOTO", "LOGO") and is_binary:
        others = [each for each in others if not each.upper().startswith("ENCODING=")]
        return name, others, f"data:image/{(types or ['jpeg'])[0].lower()};base64,{value}"
    if name == "X-GENDER":
        value = _GENDERS.get(value.strip().upper(), f";{value}")
    elif name in ("BDAY", "ANNIVERSARY"):
        omitted = [each for each in parameters if each.upper() == f"{_OMIT_YEAR}={value[:4]}"]
        value = _DATE.sub(r"\1\2\3", value)
        if omitted:
            parameters, value = [each for each in parameters if each not in omitted], f"--{value[4:]}"
    elif name == "REV":
        value = re.sub("[-:]", "", value)
    new_types = [each for each in types if each.upper() not in ("INTERNET", "PREF")]
    if new_types != types:
        preferred = ["PREF=1"] if any(each.upper() == "PREF" for each in types) else []
        parameters = [*([f"TYPE={','.join(new_types)}"] if new_types else []), *preferred, *others]
    return _TO_NEW.get(name, name), parameters, value


def _to_old(name: str, parameters: list[str], value: str) -> tuple[str, list[str], str]:
    if name == "VERSION":
        return name, [], "3.0"
    data = _DATA.match(value) if name in ("PHOTO", "LOGO") else None
    if data:
        others = [each for each in parameters if not each.upper().startswith(("VALUE=", "MEDIATYPE=", "TYPE="))]
        return name, ["ENCODING=b", f"TYPE={data[1].upper()}", *others], value[data.end() :]
    if name in ("PHOTO", "LOGO") and re.match("https?:", value):
        return name, [*(each for each in parameters if not each.upper().startswith("VALUE=")), "VALUE=uri"], value
    if name == "GENDER":
        code, _, words = value.partition(";")
        value = {"M": "Male", "F": "Female"}.get(code.upper(), words)
    elif name in ("BDAY", "ANNIVERSARY"):
        if match := _DAY_OF_YEAR.fullmatch(value):
            parameters, value = [*parameters, f"{_OMIT_YEAR}={_NO_YEAR}"], f"{_NO_YEAR}{match[1]}{match[2]}"
        value = _BASIC_DATE.sub(r"\1-\2-\3", value) if _BASIC_DATE.fullmatch(value) else value
    elif name == "TEL" and value.lower().startswith("tel:"):
        parameters, value = [each for each in parameters if each.upper() != "VALUE=URI"], value[4:].partition(";")[0]
    if any(each.upper() == "PREF=1" for each in parameters):
        parameters = [*(each for each in parameters if each.upper() != "PREF=1"), "TYPE=pref"]
    return _TO_OLD.get(name, name), parameters, value


def _split_types(parameters: list[str]) -> tuple[list[str], list[str]]:
    """The types of a property, and its other parameters."""
    types = [each[5:].strip('"') for each in parameters if each.upper().startswith("TYPE=")]
    others = [each for each in parameters if not each.upper().startswith("TYPE=")]
    return [part for each in types for part in each.split(",") if part], others

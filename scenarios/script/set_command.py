# SPDX-License-Identifier: GPL-2.0-or-later
"""SET: several options may follow each other in one command."""

from __future__ import annotations

from collections.abc import Callable

from polltrace.scenarios.script.number_text import number_format
from polltrace.scenarios.script.settings import Settings
from polltrace.scenarios.script.words import CommandError, abbreviates, words_of

Words = list[str]
Reader = Callable[[Settings, str, Words], None]


def run_set(settings: Settings, text: str) -> None:
    """Carry out SET with the options `text`. Raises CommandError; options before that are set."""
    words = words_of(text)
    if not words:
        raise CommandError("SP2-0281: SET missing set option")
    while words:
        word = words.pop(0)
        found = next((name for name in OPTIONS if abbreviates(word, name)), None)
        if found is None:
            raise CommandError(f'SP2-0158: unknown SET option "{word}"')
        OPTIONS[found](settings, found.lower(), words)


def _taken(name: str, words: Words) -> str:
    if not words:
        raise CommandError(f"SP2-0281: {name} missing set option")
    return words.pop(0)


def _switch(settings: Settings, name: str, words: Words) -> None:
    setattr(settings, name, _is_on(name, _taken(name, words)))


def _is_on(name: str, word: str) -> bool:
    if word.upper() not in ("ON", "OFF"):
        raise CommandError(f"SP2-0265: {name} must be set ON or OFF")
    return word.upper() == "ON"


def _number(least: int, most: int) -> Reader:
    def read(settings: Settings, name: str, words: Words) -> None:
        setattr(settings, name, _within(name, _taken(name, words), least, most))

    return read


def _within(name: str, word: str, least: int, most: int) -> int:
    if not word.isdecimal() or len(word) > 9:
        raise CommandError(f"SP2-0268: {name} option not a valid number")
    if not least <= int(word) <= most:
        raise CommandError(f"SP2-0267: {name} option {word} out of range ({least} through {most})")
    return int(word)


def _character(default: str) -> Reader:
    """ON is the default character, OFF none."""

    def read(settings: Settings, name: str, words: Words) -> None:
        word = _taken(name, words)
        value = {"ON": default, "OFF": ""}.get(word.upper(), word)
        if len(value) > 1:
            raise CommandError(f'SP2-0272: {name} character cannot be more than one: "{word}"')
        setattr(settings, name, value)

    return read


def _text(settings: Settings, name: str, words: Words) -> None:
    setattr(settings, name, _taken(name, words))


def _feedback(settings: Settings, name: str, words: Words) -> None:
    word = _taken(name, words).upper()
    settings.feedback_only = word == "ONLY"
    known = {"ON": 6, "OFF": 0, "ONLY": 1}
    settings.feedback = known[word] if word in known else _within(name, word, 0, 50000)


def _pagesize(settings: Settings, name: str, words: Words) -> None:
    settings.pagesize = _within(name, _taken(name, words), 0, 50000)


def _newpage(settings: Settings, name: str, words: Words) -> None:
    word = _taken(name, words)
    settings.newpage = 0 if word.upper() == "NONE" else _within(name, word, 0, 999)


def _recsep(settings: Settings, name: str, words: Words) -> None:
    word = _taken(name, words)
    for form in ("WRapped", "EAch", "OFF"):
        if abbreviates(word, form):
            settings.recsep = form.lower()
            return
    raise CommandError(f'SP2-0158: unknown SET recsep option "{word}"')


def _null(settings: Settings, _name: str, words: Words) -> None:
    settings.null = words.pop(0) if words else ""


def _numformat(settings: Settings, _name: str, words: Words) -> None:
    form = words.pop(0) if words else ""
    if form:
        number_format(form)
    settings.numformat = form


def _serveroutput(settings: Settings, name: str, words: Words) -> None:
    _switch(settings, name, words)
    while words and (abbreviates(words[0], "SIZE") or abbreviates(words[0], "FORmat")):
        words.pop(0)
        _taken(name, words)


def _autotrace(settings: Settings, name: str, words: Words) -> None:
    word = _taken(name, words)
    mode = next((each for each in ("ON", "OFF", "TRACEonly") if abbreviates(word, each)), None)
    if mode is None:
        raise CommandError(f'SP2-0158: unknown SET autotrace option "{word}"')
    settings.autotrace = mode.lower()
    if mode == "OFF":
        return
    reports: list[str] = []
    while words and len(reports) < 2:
        report = next((each for each in _REPORTS if abbreviates(words[0], each)), None)
        if report is None:
            break
        reports.append(report)
        words.pop(0)
    if reports != ["STATistics"]:
        # There is no plan to be shown; the statistics are.
        settings.autotrace = "off" if reports == ["EXPlain"] else settings.autotrace
        raise CommandError("SP2-0611: Error enabling EXPLAIN report")


_REPORTS = ("EXPlain", "STATistics")


def _ignored(_settings: Settings, name: str, words: Words) -> None:
    """What changes nothing in the output of a script."""
    _taken(name, words)


OPTIONS: dict[str, Reader] = {
    "APPinfo": _ignored,
    "ARRAYsize": _number(1, 5000),
    "AUTOcommit": _switch,
    "AUTOTrace": _autotrace,
    "COLSEP": _text,
    "CONcat": _character("."),
    "DEFine": _character("&"),
    "ECHO": _switch,
    "ESCape": _character("\\"),
    "EXITCommit": _switch,
    "FEEDback": _feedback,
    "FLUsh": _ignored,
    "HEAding": _switch,
    "HEADSep": _character("|"),
    "LINesize": _number(1, 32767),
    "LONG": _number(1, 2_000_000_000),
    "LONGChunksize": _ignored,
    "NEWPage": _newpage,
    "NULL": _null,
    "NUMFormat": _numformat,
    "NUMwidth": _number(2, 50),
    "PAGESize": _pagesize,
    "RECSEP": _recsep,
    "ROWPREfetch": _number(1, 32767),
    "SERVEROUTput": _serveroutput,
    "SQLBLanklines": _switch,
    "SQLPrompt": _text,
    "STATEMENTCache": _ignored,
    "TAB": _ignored,
    "TERMout": _switch,
    "TIme": _ignored,
    "TIMIng": _switch,
    "TRIMOut": _switch,
    "TRIMSpool": _switch,
    "UNDerline": _character("-"),
    "VERify": _switch,
    "WRAp": _switch,
}
"""The capitals of a name are its shortest abbreviation."""

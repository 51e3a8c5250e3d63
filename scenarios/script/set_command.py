# SPDX-License-Identifier: GPL-2.0-or-later
"""SET, with one or several options."""

from __future__ import annotations

from collections.abc import Callable

from polltrace.scenarios.script.number_text import number_format
from polltrace.scenarios.script.settings import Settings
from polltrace.scenarios.script.words import CommandError, abbreviates, words_of

Words = list[str]
Reader = Callable[[Settings, str, Words], None]


def run_set(settings: Settings, text: str) -> None:
    """Carry out SET with the options `text`.

    Raises CommandError; the options before a wrong one are set.
    """
    words = words_of(text)
    if not words:
        raise CommandError("SP2-0281: SET missing set option")
    while words:
        word = words.pop(0)
        option = next((name for name in OPTIONS if abbreviates(word, name)), None)
        if option is None:
            raise CommandError(f'SP2-0158: unknown SET option "{word}"')
        OPTIONS[option](settings, option.lower(), words)


def _operand(name: str, words: Words) -> str:
    if not words:
        raise CommandError(f"SP2-0281: {name} missing set option")
    return words.pop(0)


def _switch(settings: Settings, name: str, words: Words) -> None:
    setattr(settings, name, _is_on(name, _operand(name, words)))


def _is_on(name: str, word: str) -> bool:
    if word.upper() not in ("ON", "OFF"):
        raise CommandError(f"SP2-0265: {name} must be set ON or OFF")
    return word.upper() == "ON"


def _number(lowest: int, highest: int) -> Reader:
    def read(settings: Settings, name: str, words: Words) -> None:
        setattr(settings, name, _within(name, _operand(name, words), lowest, highest))

    return read


def _within(name: str, word: str, lowest: int, highest: int) -> int:
    if not word.isdecimal() or len(word) > 9:
        raise CommandError(f"SP2-0268: {name} option not a valid number")
    if not lowest <= int(word) <= highest:
        raise CommandError(
            f"SP2-0267: {name} option {word} out of range ({lowest} through {highest})"
        )
    return int(word)


def _character(default: str) -> Reader:
    """Reader of a character; ON selects the default one, OFF none."""

    def read(settings: Settings, name: str, words: Words) -> None:
        word = _operand(name, words)
        value = {"ON": default, "OFF": ""}.get(word.upper(), word)
        if len(value) > 1:
            raise CommandError(f'SP2-0272: {name} character cannot be more than one: "{word}"')
        setattr(settings, name, value)

    return read


def _text(settings: Settings, name: str, words: Words) -> None:
    setattr(settings, name, _operand(name, words))


def _feedback(settings: Settings, name: str, words: Words) -> None:
    word = _operand(name, words).upper()
    settings.feedback_only = word == "ONLY"
    rows = {"ON": 6, "OFF": 0, "ONLY": 1}
    settings.feedback = rows[word] if word in rows else _within(name, word, 0, 50000)


def _pagesize(settings: Settings, name: str, words: Words) -> None:
    settings.pagesize = _within(name, _operand(name, words), 0, 50000)


def _newpage(settings: Settings, name: str, words: Words) -> None:
    word = _operand(name, words)
    settings.newpage = 0 if word.upper() == "NONE" else _within(name, word, 0, 999)


def _recsep(settings: Settings, name: str, words: Words) -> None:
    word = _operand(name, words)
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
        _operand(name, words)


def _autotrace(settings: Settings, name: str, words: Words) -> None:
    word = _operand(name, words)
    mode = next((form for form in ("ON", "OFF", "TRACEonly") if abbreviates(word, form)), None)
    if mode is None:
        raise CommandError(f'SP2-0158: unknown SET autotrace option "{word}"')
    settings.autotrace = mode.lower()
    if mode == "OFF":
        return
    reports: list[str] = []
    while words and len(reports) < 2:
        report = next((form for form in _REPORTS if abbreviates(words[0], form)), None)
        if report is None:
            break
        reports.append(report)
        words.pop(0)
    if reports != ["STATistics"]:
        # The runner shows statistics, and has no plan to show.
        settings.autotrace = "off" if reports == ["EXPlain"] else settings.autotrace
        raise CommandError("SP2-0611: Error enabling EXPLAIN report")


_REPORTS = ("EXPlain", "STATistics")


def _ignored(_settings: Settings, name: str, words: Words) -> None:
    """Accept an option without effect on a script's output."""
    _operand(name, words)


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
"""Readers of options by name; the capitals of a name are its shortest abbreviation."""

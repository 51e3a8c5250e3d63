# SPDX-License-Identifier: GPL-2.0-or-later
"""mrskew's expressions as SQL, where they translate cleanly.

They are Perl: `$af < 0.7 and $name =~ /client/i`, `qq{$basename:$line}`. An operator or function
without a counterpart is refused by name; nothing is ever taken for something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from polltrace.errors import UsageError
from polltrace.grammar import near_miss

_NUMBERS = (
    *("p", "cr", "cu", "mis", "r", "dep", "og", "plh", "line", "tim", "c", "e", "ela"),
    *("p1", "p2", "p3", "obj", "err", "uid", "lid", "oct", "hv", "cursor"),
)
_TEXTS = ("service", "module", "action", "client_id", "driver")
_SAME = (
    *("name", "dur", "af", "uaf", "sqlid", "sql", "text", "file", "basename", "parse_id"),
    *("exec_id", "experience_id", "sid", "serial", "pid", "depmin"),
)
# In Perl, an undefined value is 0 or an empty text.
VARIABLES = (
    {name: f"coalesce({name}, 0)" for name in _NUMBERS}
    | {name: f"coalesce({name}, '')" for name in _TEXTS}
    | {name: name for name in _SAME}
    | {"nam": "name", "rows": "coalesce(r, 0)"}
)

_BRACKETS = {"{": "}", "(": ")", "[": "]", "<": ">"}
_TOKEN = r"""\s*(?:
    (?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)
  | (?P<variable>\$\w+|\$\{\w+\})
  | (?P<quote>(?:qq|q|m)\s*[^\w\s,;)=]|["'])
  | (?P<word>[A-Za-z_]\w*)
  | (?P<operator>\*\*|=~|!~|==|!=|<=|>=|<=>|&&|\|\||//|[-+*%<>!?:.,()/])
)"""
# Binary operators: how tightly they bind, and their SQL.
_BINARY: dict[str, tuple[int, str]] = {
    "or": (1, "or"),
    "and": (2, "and"),
    "||": (6, "or"),
    "&&": (7, "and"),
    "==": (8, "="),
    "!=": (8, "<>"),
    "eq": (8, "= "),
    "ne": (8, "<> "),
    "<": (9, "<"),
    ">": (9, ">"),
    "<=": (9, "<="),
    ">=": (9, ">="),
    "lt": (9, "< "),
    "gt": (9, "> "),
    "le": (9, "<= "),
    "ge": (9, ">= "),
    "+": (10, "+"),
    "-": (10, "-"),
    ".": (10, "concat"),
    "*": (11, "*"),
    "/": (11, "/"),
    "%": (11, "%"),
    "=~": (12, "match"),
    "!~": (12, "no match"),
    "**": (14, "pow"),
}
_NOT, _CHOICE, _UNARY = 3, 5, 13


def _substr(of: list[str]) -> str:
    start = f"({of[1]}) + 1" if not of[1].isdecimal() else str(int(of[1]) + 1)
    return f"substr({of[0]}, {', '.join([start, *of[2:]])})"


_FUNCTIONS: dict[str, Callable[[list[str]], str]] = {
    "substr": _substr,
    "length": lambda of: f"length({of[0]})",
    "lc": lambda of: f"lower({of[0]})",
    "uc": lambda of: f"upper({of[0]})",
    "int": lambda of: f"trunc({of[0]})::bigint",
    "abs": lambda of: f"abs({of[0]})",
    "sqrt": lambda of: f"sqrt({of[0]})",
    "log": lambda of: f"ln({of[0]})",
    "index": lambda of: f"(instr({of[0]}, {of[1]}) - 1)",
    "sprintf": lambda of: f"printf({', '.join(of)})",
    "defined": lambda of: f"({of[0]} is not null)",
}
_ARGUMENTS = {"substr": (2, 3), "index": (2, 2), "sprintf": (1, 9)}


def is_perl(expression: str) -> bool:
    """True if the expression has a Perl variable or Perl's quotes, as mrskew's have."""
    bare = re.sub(r"(?<!q)'[^']*'", "''", expression)
    return re.search(r"(?<![\w$])\$\{?[A-Za-z_]|\bqq?\s*[{(\[/|]", bare) is not None


def to_sql(expression: str) -> str:
    """The expression in SQL. Raises UsageError, which names the part that does not translate."""
    parser = _Parser(expression)
    sql = parser.expression(0)
    if parser.token:
        raise parser.refused(parser.token)
    return sql


def quoted(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"


class _Parser:
    """Precedence climbing over the tokens; `kind` and `token` are the present one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.kind = self.token = ""
        self.step()

    def refused(self, construct: str) -> UsageError:
        return UsageError(
            f"{construct!r} in {self.text!r} has no counterpart in SQL: write it as SQL"
        )

    def step(self) -> None:
        """Advance to the next token; '' at the end."""
        if not self.text[self.at :].strip():
            self.kind = self.token = ""
            return
        token = re.compile(_TOKEN, re.VERBOSE).match(self.text, self.at)
        if not token or not token.lastgroup:
            raise self.refused(self.text[self.at :].strip()[:20])
        self.kind = token.lastgroup
        self.token = token[token.lastgroup]
        self.at = token.end()

    def expression(self, precedence: int) -> str:
        operand = self.unary()
        while True:
            if self.token == "?" and precedence <= _CHOICE:
                operand = self.choice(operand)
                continue
            tight, sql = _BINARY.get(self.token, (-1, ""))
            if self.kind not in ("operator", "word") or tight < max(precedence, 1):
                return operand
            self.step()
            if sql.endswith("match"):
                operand = self.match(operand, sql)
                continue
            right = self.expression(tight if sql == "pow" else tight + 1)
            operand = _joined(operand, sql, right)

    def choice(self, condition: str) -> str:
        self.step()
        yes = self.expression(_CHOICE)
        if self.token != ":":
            raise self.refused("?")
        self.step()
        return f"case when {condition} then {yes} else {self.expression(_CHOICE)} end"

    def match(self, text: str, sql: str) -> str:
        pattern, flags = self.pattern()
        test = f"regexp_matches({text}, {quoted(pattern)}, {quoted('c' + flags)})"
        return test if sql == "match" else f"not {test}"

    def pattern(self) -> tuple[str, str]:
        """After =~: the regular expression and its flags."""
        if self.token not in ("/",) and self.kind != "quote":
            raise self.refused(self.token or "=~")
        text = self.quotation(self.token)
        flags = re.compile(r"[a-z]*").match(self.text, self.at)
        flag = flags[0] if flags else ""
        if set(flag) - {"i"}:
            raise self.refused(f"/{flag}")
        self.at += len(flag)
        self.step()
        return text, flag

    def quotation(self, opening: str) -> str:
        """The text up to the end of a quotation, whose opening was read."""
        begin = opening[-1]
        end = _BRACKETS.get(begin, begin)
        depth, closing = 1, self.at
        while closing < len(self.text):
            sign = self.text[closing]
            if sign == "\\":
                closing += 1
            elif sign == end:
                depth -= 1
                if not depth:
                    body = self.text[self.at : closing]
                    self.at = closing + 1
                    return body
            elif sign == begin:
                depth += 1
            closing += 1
        raise UsageError(f"{self.text!r} has a quotation that does not end")

    def unary(self) -> str:
        token, kind = self.token, self.kind
        if token in ("!", "not", "-", "+"):
            self.step()
            operand = self.expression(_NOT if token == "not" else _UNARY)
            return f"(not {operand})" if token in ("!", "not") else f"({token}{operand})"
        if token == "(":
            self.step()
            inner = self.expression(0)
            self.expect(")")
            return f"({inner})"
        if kind == "number":
            self.step()
            return token if "." not in token else f"{float(token)!r}::double"
        if kind == "variable":
            self.step()
            return self.variable(token)
        if kind == "quote" and not token.startswith("m"):
            text = self.quotation(token)
            self.step()
            interpolates = token.startswith("qq") or token == '"'
            return self.interpolated(text) if interpolates else quoted(text)
        if kind == "word" and token in _FUNCTIONS:
            self.step()
            return self.call(token)
        raise self.refused(token or "the end")

    def expect(self, token: str) -> None:
        if self.token != token:
            raise self.refused(self.token or "the end")
        self.step()

    def variable(self, token: str) -> str:
        name = token.strip("${}")
        if name not in VARIABLES:
            raise UsageError(f"there is no ${name}{near_miss(name, VARIABLES)}")
        return VARIABLES[name]

    def interpolated(self, text: str) -> str:
        parts = re.split(r"(\$\w+|\$\{\w+\})", text)
        if "@{" in text:
            raise self.refused("@{")
        sql = [
            self.variable(part) if i % 2 else quoted(_unescaped(part))
            for i, part in enumerate(parts)
            if part
        ]
        return f"concat({', '.join(sql)})" if sql else "''"

    def call(self, name: str) -> str:
        self.expect("(")
        of = [self.expression(_CHOICE)]
        while self.token == ",":
            self.step()
            of.append(self.expression(_CHOICE))
        self.expect(")")
        fewest, maximum = _ARGUMENTS.get(name, (1, 1))
        if not fewest <= len(of) <= maximum:
            raise UsageError(f"{name}() takes {fewest} to {maximum} arguments")
        return _FUNCTIONS[name](of)


def _joined(first: str, sql: str, right: str) -> str:
    if sql in ("concat", "pow"):
        return f"{sql}({first}, {right})"
    if sql.endswith(" "):  # Perl compares these as texts
        return f"({first}::varchar {sql.strip()} {right}::varchar)"
    return f"({first} {sql} {right})"


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text)

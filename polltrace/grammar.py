# SPDX-License-Identifier: GPL-2.0-or-later
"""The grammar of the command line, gathered from the commands themselves.

A command is a class whose docstring is its help text; see `Command`. Packages announce theirs by
the entry point group `polltrace.commands`, so a new one takes a file and a line of pyproject.toml.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol

from polltrace.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_COMMANDS = "polltrace.commands"
# Groups of commands by purpose, in the order of the overview.
GROUPS = ("observe", "decide", "keep", "experiment", "host")

# The groups whose commands look at servers of whichever engine.
ENGINE_GROUPS = ("observe", "decide", "keep", "host")

DESCRIPTION = (
    "Measure how database servers poll their clients' sockets while they work (Oracle's break "
    "polling,\nPostgreSQL's client check), what it costs, and what would make it rarer."
)
EXIT_CODES = """\
exit codes:
  0 done   1 done, and the answer is no   2 usage   3 not permitted   4 this host lacks something
  5 no such process   6 the lab could not start   7 a driver is missing or failed
  8 a file cannot be read or written   130 interrupted   141 nobody read what was printed"""


class Form(Protocol):
    """The source of a parser; the class docstring is its help."""

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


class Command(Form, Protocol):
    """A command of `polltrace`.

    `group` is one of GROUPS; `examples` are pairs of the words after the command's name and what
    they do.
    """

    group: ClassVar[str]
    examples: ClassVar[Sequence[tuple[str, str]]]


# argparse makes a formatter for each argument that it adds. One that is not told the width asks for
# the terminal's, and loads compression libraries along with it.
_FIXED_WIDTH_FORMATTER = functools.partial(argparse.RawDescriptionHelpFormatter, width=78)


class Parser(argparse.ArgumentParser):
    """Any error of the command line becomes a UsageError: one line, with the near miss
    where there is one.

    intermixed: the positional whose words may come before, between and after options; argparse
    alone takes them in one run.

    rewrite: changes the words of a command line before they are parsed.

    explained: gives the description and the epilog where help is printed, so that they are not
    made for every command.
    """

    intermixed = ""
    rewrite: Callable[[Sequence[str]], Sequence[str]] | None = None
    explained: Callable[[], tuple[str, str]] | None = None

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=_FIXED_WIDTH_FORMATTER, **settings)

    def format_help(self) -> str:
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        if self.explained:
            self.description, self.epilog = self.explained()
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        name = self.prog.removeprefix("polltrace ")
        raise UsageError(f"{name}: {message} ('polltrace help {name.split()[0]}' shows the usage)")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        words = sys.argv[1:] if args is None else args
        words = self.rewrite(words) if self.rewrite else words
        namespace_, unknown = self.parse_known_args(words, namespace)
        if self.intermixed:
            extra = [word for word in unknown if word == "-" or not word.startswith("-")]
            getattr(namespace_, self.intermixed).extend(extra)
            unknown = [word for word in unknown if word not in extra]
        if unknown:
            near = near_miss(unknown[0].partition("=")[0], _options(self))
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return namespace_


def command_names() -> list[str]:
    return sorted(_announced())


def own_commands() -> dict[str, str]:
    """The `module:class` of each command that comes with polltrace, by the command's name.

    Empty where polltrace's metadata are no files, as in an archive. The entry points are read from
    the file that importlib.metadata reads, whose import alone took a fifth of a command's start-up.
    """
    for folder in sys.path:
        with contextlib.suppress(OSError):
            for name in os.listdir(folder or "."):
                if name.startswith("polltrace-") and name.endswith(".dist-info"):
                    with open(f"{folder or '.'}/{name}/entry_points.txt", encoding="utf-8") as file:
                        group = file.read().partition(f"[{_COMMANDS}]\n")[2].partition("\n[")[0]
                    pairs = (line.partition("=") for line in group.splitlines() if line.strip())
                    return {key.strip(): value.strip() for key, _, value in pairs}
    return {}


def _announced() -> dict[str, str]:
    """The commands of every package that announces one."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, see own_commands

    return {entry.name: entry.value for entry in entry_points(group=_COMMANDS)}


def load(name: str) -> Command:
    """The command of that name. Raises UsageError with the nearest name where there is none."""
    if where := own_commands().get(name) or _announced().get(name):
        module, _, attribute = where.partition(":")
        command: Command = getattr(import_module(module), attribute)()
        return command
    near = near_miss(name, command_names())
    raise UsageError(f"there is no command {name!r}{near} ('polltrace help' lists the commands)")


def near_miss(word: str, words: Iterable[str]) -> str:
    """`; did you mean X?`, or nothing where no known word is like it."""
    import difflib  # noqa: PLC0415 - for misspelt words only

    matches = difflib.get_close_matches(word, list(words), n=1)
    return f"; did you mean {matches[0]}?" if matches else ""


def command_parser(name: str, command: Command) -> argparse.ArgumentParser:
    """The parser of one command, as it runs."""
    parser = Parser(prog=f"polltrace {name}")
    parser.explained = lambda: (
        description(command),
        f"{examples_text(name, command)}\n\n{EXIT_CODES}",
    )
    command.prepare_parser(parser)
    _add_engine_argument(parser, command)
    return parser


def build_parser() -> argparse.ArgumentParser:
    """The whole grammar, as the completions and the manual page are made from it."""
    parser = Parser(prog="polltrace", description=DESCRIPTION, epilog=EXIT_CODES)
    parser.add_argument("-V", "--version", action="store_true", help="print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in command_names():
        command = load(name)
        subparser = commands.add_parser(
            name, help=summary(command), description=description(command)
        )
        subparser.epilog = examples_text(name, command)
        command.prepare_parser(subparser)
        _add_engine_argument(subparser, command)
    help_parser = commands.add_parser("help", help="list the commands, or show how one is used")
    help_parser.add_argument("topic", nargs="?", metavar="COMMAND", choices=command_names())
    return parser


def _add_engine_argument(parser: argparse.ArgumentParser, command: Command) -> None:
    """Every command that tells servers from other processes knows the engines that are given."""
    if command.group in ENGINE_GROUPS:
        parser.add_argument(
            "--engine",
            dest="engine_files",
            action="append",
            default=[],
            type=path,
            metavar="FILE",
            help="know the database engine of this TOML file as well; may be given more than once "
            "(always: those in /etc/polltrace/engines)",
        )


def overview() -> str:
    """Every command in a line, by group: the output of `polltrace` alone."""
    commands = {name: load(name) for name in command_names()}
    lines = ["usage: polltrace COMMAND [OPTION…]", "", DESCRIPTION, "", "start with: polltrace ps"]
    for group in GROUPS:
        lines += ["", f"{group}:"]
        lines += [
            f"  {name:<12}{summary(member)}"
            for name, member in commands.items()
            if member.group == group
        ]
    ends = "'polltrace help COMMAND' shows its options and examples; -V the version."
    return "\n".join([*lines, "", ends, "", EXIT_CODES])


def path(text: str) -> Path:
    """The type of an argument that names a file."""
    from pathlib import Path  # noqa: PLC0415 - slow to load, and not every command is given one

    return Path(text)


def description(form: Form) -> str:
    import inspect  # noqa: PLC0415 - slow to load, and for help alone

    return inspect.cleandoc(form.__doc__ or "")


def summary(form: Form) -> str:
    """The docstring's first line."""
    return description(form).partition("\n")[0]


def examples_text(name: str, command: Command) -> str:
    lines = ["examples:"]
    for words, meaning in command.examples:
        lines += [f"  polltrace {name} {words}".rstrip(), f"      {meaning}"]
    return "\n".join(lines)


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for subparser in action.choices.values():
                yield from _options(subparser)

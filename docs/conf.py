# SPDX-License-Identifier: GPL-2.0-or-later
"""How Sphinx makes the site and the manual page: `make docs`."""

from argparse import ArgumentParser, _SubParsersAction
from importlib.metadata import version as version_of

from polltrace.grammar import build_parser

project = "polltrace"
author = "the polltrace authors"
release = version = version_of("polltrace")

extensions = ["myst_parser", "sphinxarg.ext"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
smartquotes = False  # options on the site are copied into a shell
source_suffix = {".md": "markdown"}
exclude_patterns = ["build"]

html_theme = "furo"
html_title = "polltrace"
html_favicon = "pictures/icon.svg"  # without one, a browser asks for what is not there
html_show_sphinx = False
html_copy_source = False

man_pages = [
    (
        "reference/commands",
        "polltrace",
        "measure Oracle's break polling, what it costs, and fix it",
        [author],
        1,
    ),
    (
        "reference/polltrace-probe",
        "polltrace-probe",
        "count break polls of running processes",
        [author],
        8,
    ),
]
man_show_urls = True


def grammar() -> ArgumentParser:
    """The command line's, its examples as literal blocks; the page has the exit codes itself."""
    parser = build_parser()
    parser.epilog = None
    (commands,) = (each for each in parser._actions if isinstance(each, _SubParsersAction))
    for command in commands.choices.values():
        heading, _, lines = (command.epilog or "").partition(":\n")
        command.epilog = f"{heading}::\n\n{lines}" if lines else None
    return parser

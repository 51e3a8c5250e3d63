# SPDX-License-Identifier: GPL-2.0-or-later
"""The dialect means the same to Python and to POSIX, and refuses what does not."""

from __future__ import annotations

import subprocess

import pytest

from polltrace.engines.dialect import compiled, posix, with_group
from tests.conftest import POLLTRACE

PATTERNS = [
    r"oracle(?P<instance>[A-Za-z0-9_$#+-]+)\s+\((DESCRIPTION=\()?LOCAL=(?P<local>YES|NO)\)",
    r"postgres: .+ (?P<instance>[^ ]+) ((?P<local>\[local\])|[^ ]+\((?P<port>[0-9]+)\)) ",
    r"a{2,3}b?\.\w+",
    r"(?:x|y)*\d$",
]
TEXTS = [
    "oracleORCL (LOCAL=NO)",
    "oracle (LOCAL=NO)",
    "postgres: scott db 10.0.0.7(40112) SELECT",
    "postgres: 15/main: scott db [local] idle",
    "postgres: checkpointer ",
    "aab.x",
    "aaaab.x",
    "ab.x",
    "xyxy7",
    "xyxy7 ",
    "7",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_posix_and_python_agree(pattern: str) -> None:
    matched = []
    for text in TEXTS:
        ended = subprocess.run(
            ["grep", "-qE", "-e", f"^({posix(pattern)})"], input=text, text=True, check=False
        )
        python = compiled(pattern).match(text) is not None
        assert (ended.returncode == 0) is python, text
        matched.append(python)
    assert any(matched)
    assert not all(matched)


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            r"(?=a)b",
            r"(?!a)b",
            r"a+?",
            r"a*+",
            r"\bword",
            r"\S",
            r"\A",
            r"(a)\1",
            r"[\d]",
            r"[[:x:]]",
        ),
        *(
            r"^a",
            r"a$b",
            r"a{",
            r"{2}",
            r"a}",
            r"(a",
            r"a)",
            r"+a",
            r"(|*a)",
            "[a",
            "a]",
            "a" * 501,
        ),
    ],
)
def test_what_they_read_differently_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        compiled(pattern)


@pytest.mark.parametrize(
    "pattern", [r"^oracle", r"(^oracle|^postgres)", r"^postgres: .+ db |LOCAL", r"scott|^a{2}b"]
)
def test_a_search_means_the_same_to_both(pattern: str) -> None:
    matched = []
    for text in TEXTS:
        ended = subprocess.run(
            ["grep", "-qE", "-e", posix(pattern)], input=text, text=True, check=False
        )
        found = compiled(pattern, searched=True).search(text) is not None
        assert (ended.returncode == 0) is found, text
        matched.append(found)
    assert any(matched)
    assert not all(matched)


@pytest.mark.parametrize("pattern", [r"a^b", r"^*a", r"(?=a)b", r"\bword", r"[\d]", r"a$|b"])
def test_a_search_that_they_read_differently_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        compiled(pattern, searched=True)


@pytest.mark.parametrize("verb", ["stat", "record", "stacks"])
def test_every_command_searches_titles_by_the_dialect(verb: str) -> None:
    ended = subprocess.run(
        [POLLTRACE, verb, "-n", r"oracle(?!X)", "-d", "1s"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert (
        "is not a regular expression of docs/reference/engines.md" in ended.stderr.splitlines()[-1]
    )


def test_one_instance_takes_the_place_of_any() -> None:
    only = with_group(PATTERNS[0], "instance", "A.B")
    assert compiled(only).match("oracleA.B (LOCAL=NO)")
    assert not compiled(only).match("oracleAxB (LOCAL=NO)")
    assert with_group("postgres: .*", "instance", "db") == "postgres: .*"

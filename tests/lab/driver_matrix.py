# SPDX-License-Identifier: GPL-2.0-or-later
"""`make drivers`: every version of every driver against the lab, installed by its own package
manager. Prints the table of docs/evidence/drivers.md, then what went wrong; ends with 1 if anything
did.

`--into FILE` puts the table between the marks in FILE. Arguments choose versions: "go-ora 2.8".
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .drivers_table import running_lab
from .exercises import (
    HERE,
    SECTIONS,
    Exercise,
    around,
    go_exercise,
    java_exercise,
    node_exercise,
    python_exercise,
)

BUILD = Path(__file__).resolve().parents[2] / "scenarios" / "clients" / "build" / "matrix"
VERSIONS = {
    "python-oracledb": ("1.0.3", "1.2.2", "1.4.2", "2.0.0", "2.0.1", "2.5.1", "3.4.1", "26.1.0"),
    "node-oracledb": ("6.0.0", "6.3.0", "6.4.0", "6.5.1", "6.10.0", "26.0.0"),
    "go-ora": ("2.4.0", "2.5.22", "2.5.33", "2.7.25", "2.8.24"),
    "ojdbc8": ("12.2.0.1", "18.3.0.0", "19.3.0.0", "19.23.0.0", "21.15.0.0"),
    "ojdbc11": ("23.2.0.0", "23.26.4.0.0"),
    "ojdbc17": ("23.6.0.24.10", "23.26.3.0.0"),
    "SQLAlchemy": ("2.1.9",),
}
LENGTHS = around(2 * (8192 - 10) - 75, 8192 - 10 - 75, by=57)
MARK = "driver matrix"
LEFT_OUT = "left out: "  # of which each exercise says what follows


def replace_between(file: Path, lines: list[str]) -> None:
    """Puts `lines` between the two comments in `file` that name the mark."""
    before, begin, rest = file.read_text().partition(f"<!-- {MARK} -->\n")
    _, end, after = rest.partition(f"<!-- end of {MARK} -->")
    if not end:
        raise SystemExit(f"{file}: no marked part for the {MARK}")
    file.write_text(before + begin + "\n" + "\n".join(lines) + "\n\n" + end + after)


def run(*command: str | Path, directory: Path | None = None, **environment: str) -> None:
    done = subprocess.run(
        command,
        cwd=directory,
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
    )
    if done.returncode:
        tail = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise InstallError(f"{command[0]}: {' '.join(tail)}")


class InstallError(Exception):
    """A version that its package manager does not install here, and why."""


def python_with(directory: Path, *packages: str) -> Path:
    python = directory / "bin" / "python"
    if not python.exists():
        run(sys.executable, "-m", "venv", directory)
    # The oldest has no wheel for this Python, and is compiled, by the Cython of its time.
    constraint = directory / "constraint.txt"
    constraint.write_text("cython<3\n")
    run(python, "-m", "pip", "install", "-q", *packages, PIP_CONSTRAINT=str(constraint))
    return python


def install_python(version: str, directory: Path) -> Exercise:
    frames = ("pyarrow",) if tuple(map(int, version.split("."))) >= (3,) else ()
    return python_exercise(python_with(directory, f"oracledb=={version}", *frames))


def install_sqlalchemy(version: str, directory: Path) -> Exercise:
    driver = f"oracledb=={VERSIONS['python-oracledb'][-1]}"
    python = python_with(directory, f"sqlalchemy=={version}", driver)
    return Exercise((python, HERE / "sqlalchemy/exercise.py"))


def install_node(version: str, directory: Path) -> Exercise:
    directory.mkdir(parents=True, exist_ok=True)
    package = f"oracledb@{version}"
    run("npm", "install", "--silent", "--no-audit", "--no-fund", package, directory=directory)
    return node_exercise(directory / "node_modules")


def install_go(version: str, directory: Path) -> Exercise:
    directory.mkdir(parents=True, exist_ok=True)
    module = f"module goora\n\ngo 1.21\n\nrequire github.com/sijms/go-ora/v2 v{version}\n"
    (directory / "go.mod").write_text(module)
    (directory / "uses.go").write_text('package main\n\nimport _ "github.com/sijms/go-ora/v2"\n')
    run("go", "mod", "tidy", directory=directory)
    (directory / "uses.go").unlink()
    try:
        return go_exercise(directory / "program", directory)
    except subprocess.CalledProcessError as e:
        raise InstallError("the exercise uses what this version does not have") from e


def install_java(artifact: str) -> Callable[[str, Path], Exercise]:
    def install(version: str, directory: Path) -> Exercise:
        jar = f"com.oracle.database.jdbc:{artifact}:{version}"
        to = directory / "lib"
        run("mvn", "-q", "-B", "dependency:get", f"-Dartifact={jar}", "-Dtransitive=false")
        run("mvn", "-q", "-B", "dependency:copy", f"-Dartifact={jar}", f"-DoutputDirectory={to}")
        return java_exercise(directory, to)

    return install


INSTALL: dict[str, Callable[[str, Path], Exercise]] = {
    "python-oracledb": install_python,
    "node-oracledb": install_node,
    "go-ora": install_go,
    **{name: install_java(name) for name in VERSIONS if name.startswith("ojdbc")},
    "SQLAlchemy": install_sqlalchemy,
}


@dataclass(frozen=True)
class Outcome:
    """One version: what each check of each section had wrong, or why nothing ran."""

    title: str
    checks: dict[str, dict[str, str]]
    why_not: str = ""

    def wrong(self, section: str) -> dict[str, str]:
        return {check: what for check, what in self.checks[section].items() if what}

    def left_out(self, section: str) -> list[str]:
        marked = (check for check in self.checks.get(section, {}) if check.startswith(LEFT_OUT))
        return [check.removeprefix(LEFT_OUT) for check in marked]

    def cell(self, section: str) -> str:
        left_out = self.left_out(section)
        if wrong := self.wrong(section):
            return f"{len(wrong)} wrong"
        if len(self.checks[section].keys() - {"end"}) == len(left_out):
            return "-"
        return "part" if left_out else "yes"

    def row(self) -> str:
        if self.why_not:
            return f"| {self.title} |" + f" {self.why_not} |" + " |" * (len(SECTIONS) - 1)
        return f"| {self.title} | " + " | ".join(map(self.cell, SECTIONS)) + " |"

    def reservations(self) -> Iterator[str]:
        """What was left out of each section, of which the table says "part"."""
        for section in SECTIONS:
            for what in self.left_out(section):
                yield f"- {self.title}, {section}: {what}"

    def complaints(self) -> Iterator[str]:
        if self.why_not:
            yield f"{self.title}: {self.why_not}"
        for section in self.checks:
            for check, what in self.wrong(section).items():
                yield f"{self.title}, {section}: {check}: {what[:300]}"


def exercised(driver: str, version: str) -> Outcome:
    title = f"{driver} {version}"
    try:
        exercise = INSTALL[driver](version, BUILD / f"{driver}-{version}")
    except InstallError as e:
        return Outcome(title, {}, f"not run: {e}")
    checks: dict[str, dict[str, str]] = {}
    while left := tuple(section for section in SECTIONS if section not in checks):
        # A section that ends the program is the last of its run.
        with running_lab() as lab:
            began = exercise.run_sections(lab.port, left, LENGTHS)
        checks |= {section: began[section] for section in left if section in began}
        if not any(section in began for section in left):
            return Outcome(title, {}, f"not run: {began['']['end']}")
    return Outcome(title, checks)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--into", type=Path, metavar="FILE")
    parser.add_argument("only", nargs="*", help='versions to run: "go-ora 2.8"')
    asked = parser.parse_args()
    lines = ["| driver | " + " | ".join(SECTIONS) + " |", "|---" * (len(SECTIONS) + 1) + "|"]
    complaints: list[str] = []
    reservations: list[str] = []
    print(*lines, sep="\n")
    for driver, versions in VERSIONS.items():
        for version in versions:
            title = f"{driver} {version}"
            if asked.only and not any(title.startswith(prefix) for prefix in asked.only):
                continue
            outcome = exercised(driver, version)
            lines.append(outcome.row())
            complaints.extend(outcome.complaints())
            reservations.extend(outcome.reservations())
            print(lines[-1], flush=True)
    if reservations:
        lines += ["", "Left out, because the version cannot do it:", "", *reservations]
        print(*lines[-len(reservations) - 3 :], sep="\n")
    if asked.into:
        replace_between(asked.into, lines)
    print(*complaints, sep="\n", file=sys.stderr)
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())

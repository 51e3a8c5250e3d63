# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the driver exercises of tests/lab/drivers, each with a build of its driver."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent / "drivers"
CLIENTS = Path(__file__).resolve().parents[2] / "scenarios" / "clients"
SECTIONS = (
    "lengths",
    "batches",
    "types",
    "rowids",
    "described",
    "fetches",
    "blocks",
    "scrolling",
    "lobs",
    "cursors",
    "returning",
    "cache",
    "cancels",
    "ways",
    "metadata",
    "session",
)
MERGED_WITHIN_S = 0.001  # what a relay waits for more of a piece
LONGEST_S = 900.0  # only an exercise that hangs takes so long


@dataclass(frozen=True)
class Exercise:
    """How the program of one driver is started, with which environment."""

    command: tuple[str | Path, ...]
    environment: dict[str, str] = field(default_factory=dict)

    def run(
        self, port: int, sections: tuple[str, ...] = SECTIONS, lengths: str = "0-5", sdu: int = 8192
    ) -> dict[str, str]:
        """The failure of each check; "" where it passed. The last entry is the program's end."""
        outcome: dict[str, str] = {}
        for checks in self.run_sections(port, sections, lengths, sdu).values():
            end = outcome.pop("end", "")
            outcome |= checks | {"end": checks.get("end", "") or end}
        return outcome

    def run_sections(
        self, port: int, sections: tuple[str, ...] = SECTIONS, lengths: str = "0-5", sdu: int = 8192
    ) -> dict[str, dict[str, str]]:
        """The same by section, of those that began; the last one has the program's end."""
        program = subprocess.Popen(
            [*self.command, "127.0.0.1", str(port), "LAB", str(sdu), lengths, *sections],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | self.environment,
        )
        try:
            printed, complaint = program.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            program.kill()
            printed, complaint = program.communicate()
            complaint += f"\nit has not ended after {LONGEST_S:g} s"
        began: dict[str, dict[str, str]] = {}
        outcome: dict[str, str] = began.setdefault("", {})
        for line in printed.splitlines():
            answer = json.loads(line) if line[:1] == "{" else {}
            if "section" in answer:
                outcome = began.setdefault(answer["section"], {})
            elif answer:
                outcome[answer["check"]] = answer["wrong"]
        crash = complaint.strip().splitlines()[-12:] if program.returncode else []
        outcome["end"] = "\n".join(crash)
        return began


def python_exercise(python: str | Path = sys.executable) -> Exercise:
    return Exercise((python, HERE / "python_oracledb/exercise.py"))


def node_exercise(modules: Path = CLIENTS / "build/node_oracledb/node_modules") -> Exercise:
    program = HERE / "node_oracledb/exercise.js"
    return Exercise(("node", program), {"NODE_PATH": str(modules)})


def java_exercise(directory: Path, jars: Path = CLIENTS / "build/ojdbc/lib") -> Exercise:
    path = f"{jars}/*"
    source = HERE / "ojdbc/Exercise.java"
    subprocess.run(["javac", "-nowarn", "-d", directory, "-cp", path, source], check=True)
    # It lives for seconds: what an optimising compiler takes it does not give back.
    return Exercise(("java", "-XX:TieredStopAtLevel=1", "-cp", f"{directory}:{path}", "Exercise"))


def go_exercise(directory: Path, modules: Path = CLIENTS / "go_ora") -> Exercise:
    """`modules` holds the go.mod and go.sum that name the driver's version."""
    directory.mkdir(exist_ok=True)
    for file in (HERE / "go_ora/main.go", modules / "go.mod", modules / "go.sum"):
        shutil.copy(file, directory)
    subprocess.run(["go", "build", "-o", "exercise", "."], cwd=directory, check=True)
    return Exercise((directory / "exercise",))


def around(*ends: int, by: int = 12) -> str:
    """The lengths near each of `ends`, in the form of an exercise's argument."""
    return ",".join(f"{max(0, end - by)}-{end + by}" for end in ends)


def _carry(source: socket.socket, sink: socket.socket, pieces: int) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 20):
            while len(data) < pieces and select.select([source], [], [], MERGED_WITHIN_S)[0]:
                if not (more := source.recv(1 << 20)):
                    break
                data += more
            for at in range(0, len(data), pieces):
                sink.sendall(data[at : at + pieces])
        sink.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def in_pieces(port: int, pieces: int) -> Iterator[int]:
    """The port of a relay that passes data on in pieces of `pieces` bytes."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    client, _ = server.accept()
                    onward = socket.create_connection(("127.0.0.1", port))
                    for end in (client, onward):
                        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    for one, other in ((client, onward), (onward, client)):
                        threading.Thread(
                            target=_carry, args=(one, other, pieces), daemon=True
                        ).start()

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]

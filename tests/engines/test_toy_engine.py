# SPDX-License-Identifier: GPL-2.0-or-later
"""An engine that nobody knew: every command has its words, its unit and the cost of its calls."""

from __future__ import annotations

import html
import json
import re
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.busy import leave_processors
from tests.conftest import POLLTRACE, missing
from tests.probes.conftest import why_no_bpf
from tests.probes.probe_process import read_line
from tests.waiting import PATIENCE_S, until

SOURCES = Path(__file__).parent / "toy"
ENGINE = SOURCES / "toy.toml"
OTHERS = re.compile(
    r"oracle|sqlnet|nsmore2recv|nioqts|break_poll_skip|disable_oob|v\$session|sigurg|postgres|"
    r"\bpg_|client_connection|alter role|in-band|out-of-band|\bskip\b",
    re.IGNORECASE,
)
# Data for programs has the same keys for every engine.
IN_DATA = re.compile(OTHERS.pattern.replace(r"|in-band|out-of-band|\bskip\b", ""), re.IGNORECASE)
OF_THE_SHELL = re.compile(r"<script.*?</script>|<style.*?</style>", re.DOTALL)


@dataclass
class Toy:
    process: subprocess.Popen[bytes]
    client: socket.socket

    @property
    def pid(self) -> int:
        return self.process.pid

    def ended(self) -> int:
        """End the call by a word of the client; how often the server had looked."""
        self.client.sendall(b"x")
        looks = int(read_line(self.process.stdout))
        self.process.wait()
        return looks


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if why := why_no_bpf():
        missing(why)
    folder = tmp_path_factory.mktemp("toy")
    library, program = folder / "libtoy.so", folder / "toyd"
    flags = ["-O1", "-g0", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"]
    shared = ["gcc", *flags, "-shared", "-fPIC", str(SOURCES / "look.c"), "-o", str(library)]
    subprocess.run(shared, check=True)
    linked = [f"-L{folder}", "-ltoy", f"-Wl,-rpath,{folder}", "-o", str(program)]
    subprocess.run(["gcc", *flags, str(SOURCES / "toyd.c"), *linked], check=True)
    return program


@pytest.fixture
def toy(built: Path) -> Iterator[Toy]:
    command = ["bash", "-c", f"exec -a 'toyd: shop working' {built}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as process:
        try:
            port = int(read_line(process.stdout))
            with socket.create_connection(("127.0.0.1", port)) as client:
                leave_processors(process.pid)
                yield Toy(process, client)
        finally:
            process.kill()


def polltrace(*words: str | Path, engine: bool = True) -> str:
    command = [str(POLLTRACE), *map(str, words), *(["--engine", str(ENGINE)] if engine else [])]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert OTHERS.findall(ended.stderr) == []
    shown: str = ended.stdout
    return shown


def test_the_probe_counts_as_the_engine_does(toy: Toy) -> None:
    command = [POLLTRACE, "stat", "-p", str(toy.pid), "--json", "--engine", str(ENGINE)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as stat:
        assert "attached" in read_line(stat.stderr)
        looks = toy.ended()
        out, _ = stat.communicate()
    (counted,) = json.loads(out)["processes"]
    # The server looked before the probe was attached too, at most every 20 ms.
    assert 0 < counted["break_polls"] <= looks
    assert counted["other_polls"] == 0


@pytest.mark.usefixtures("quick_calibration")
def test_live_commands_use_the_engines_terms(toy: Toy) -> None:
    pid = str(toy.pid)
    shown = {
        " ".join(words): polltrace(*words)
        for words in (
            ["ps"],
            ["why", "-p", pid],
            ["advise", "-p", pid, "-d", "1s"],
            ["dump", "-p", pid],
            ["stat", "-p", pid, "-d", "1s"],
            ["stacks", "-p", pid, "-d", "1s"],
            ["top", "-b", "-n", "3", "-d", "0.5"],
        )
    }
    assert {name: OTHERS.findall(text) for name, text in shown.items() if OTHERS.search(text)} == {}
    assert re.search(rf"^ *{pid} toy +shop .* checking ", shown["ps"], re.MULTILINE)
    why = " ".join(shown[f"why -p {pid}"].split())
    assert "look_every is set: it would notice within that time that its client cancels" in why
    advice = " ".join(shown[f"advise -p {pid} -d 1s"].split())
    assert "whether its client cancels or is gone" in advice
    assert "(epoll_create1, epoll_ctl, epoll_wait, close)" in advice
    assert "no A/B test has judged the cost of this engine's checks" in advice
    assert re.search(r"look_every = \d+ us \(toyctl set look_every \d+\)", advice)
    assert " off " not in shown[f"advise -p {pid} -d 1s"]
    assert "toy::Client::look(int) > epoll_wait" in " ".join(
        shown[f"stacks -p {pid} -d 1s"].split()
    )


def test_the_exporter_uses_the_engines_terms(toy: Toy) -> None:
    command = [POLLTRACE, "export", "--engine", str(ENGINE), "prometheus"]
    command += ["--listen", "127.0.0.1:0", "-d", "0.5"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, bufsize=0) as exporter:
        try:
            url = read_line(exporter.stderr).split()[-1]

            def samples() -> list[str]:
                with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
                    lines = answer.read().decode().splitlines()
                return [line for line in lines if 'engine="Toy Store"' in line]

            found = until(samples, "the toy's metrics")
        finally:
            exporter.kill()
    assert IN_DATA.findall("\n".join(found)) == []
    assert any('sid="shop"' in line for line in found)


@pytest.fixture
def recording(toy: Toy, tmp_path: Path) -> Path:
    path = tmp_path / "toy.polltrace"
    polltrace("record", "-o", path, "-p", str(toy.pid), "-d", "3s")
    return path


def test_a_recording_is_read_without_its_engines_file(recording: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shown = {
        "report": polltrace("report", recording, engine=False),
        "advise": polltrace("advise", recording, engine=False),
        "stacks": polltrace("stacks", recording, engine=False),
        "cpu": polltrace("stacks", recording, "--at", "cpu", engine=False),
    }
    polltrace("report", recording, "--html", page, engine=False)
    text = html.unescape(page.read_text())
    assert IN_DATA.findall(text) == []
    shown["page"] = OF_THE_SHELL.sub("", text)
    assert {name: OTHERS.findall(text) for name, text in shown.items() if OTHERS.search(text)} == {}
    assert "look_every" in shown["report"]
    assert "whether its client cancels or is gone" in " ".join(shown["advise"].split())
    with_file = json.loads(polltrace("report", recording, "--json"))
    assert json.loads(polltrace("report", recording, "--json", engine=False)) == with_file
    (session,) = with_file["sessions"]
    assert (session["engine"], session["break_mode"]) == ("Toy Store", "checking")
    assert IN_DATA.findall(json.dumps(with_file)) == []


def test_a_chain_without_a_function_is_reported(toy: Toy, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(ENGINE.read_text().replace("toy::", "toys::"))
    for command, matches in ((wrong, False), (ENGINE, True)):
        words = [POLLTRACE, "stat", "-p", str(toy.pid), "-d", "100ms", "--engine", str(command)]
        ended = subprocess.run(words, capture_output=True, text=True, check=True)
        sentence = f"matches no function of the files that process {toy.pid} maps"
        assert (sentence not in ended.stderr) == matches

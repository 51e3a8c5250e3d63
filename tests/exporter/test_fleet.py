# SPDX-License-Identifier: GPL-2.0-or-later
"""The exporter on the lab, as an ordinary user with four capabilities, scraped by Prometheus."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from tests.busy import begin_lotslios
from tests.conftest import POLLTRACE, ROOT, missing
from tests.waiting import PATIENCE_S, children, until

PACKAGING = ROOT / "packaging"
UNIT = PACKAGING / "systemd" / "polltrace-exporter.service"
IN_BAND = '{break_mode="in-band",engine="polltrace lab",sid="LAB"}'


def tool(name: str) -> str:
    return shutil.which(name) or missing(f"{name} is not installed: ./setup.sh --tests")


def capabilities() -> list[str]:
    """Those that the unit gives, as setpriv spells them."""
    (line,) = [
        line for line in UNIT.read_text().splitlines() if line.startswith("AmbientCapabilities=")
    ]
    return [word.removeprefix("CAP_").lower() for word in line.partition("=")[2].split()]


def as_the_unit_says() -> list[str]:
    """A command that runs another with the user and the capabilities of the unit."""
    given = ",".join(f"+{name}" for name in capabilities())
    sets = [f"--{which}=-all,{given}" for which in ("bounding-set", "inh-caps", "ambient-caps")]
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", *sets]


def get(url: str) -> str:
    """The page at `url`; empty while no server answers yet."""
    with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        text: str = answer.read().decode()
        return text
    return ""


def value(metrics: str, series: str) -> float | None:
    """The value of one series; None where it is not there."""
    found = [line for line in metrics.splitlines() if line.startswith(f"{series} ")]
    return float(found[0].rpartition(" ")[2]) if found else None


@contextlib.contextmanager
def running(*argv: str, prefix: tuple[str, ...] = ()) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*prefix, *argv], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def exporter(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The exporter, and where it is to be scraped."""
    command = (POLLTRACE, "export", "prometheus", "--listen", "127.0.0.1:0", "-d", "0.5")
    with running(*command, *options, prefix=tuple(as_the_unit_says())) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("polltrace: metrics at http://127.0.0.1:"), line
        yield process, line.split()[-1]


@contextlib.contextmanager
def busy_session(lab: LabServer) -> Iterator[None]:
    with DriverClient() as client:
        lab.connect(client, break_poll_skip=3, disable_oob=True)
        begin_lotslios(client)
        yield


@pytest.mark.usefixtures("lab")
def test_counters_go_on_when_sessions_end() -> None:
    polls = f"polltrace_break_polls_total{IN_BAND}"
    lost = f"polltrace_break_poll_cpu_seconds_total{IN_BAND}"
    with LabServer() as lab, exporter("--top", "3") as (process, url):
        with busy_session(lab):
            process_s = 'polltrace_process_break_poll_cpus{break_mode="in-band",client="127'

            def lossy() -> str | None:
                now = get(url)
                return now if value(now, lost) and process_s in now else None

            busy = until(lossy, f"{lost} and {process_s}")
            checked = subprocess.run(
                [tool("promtool"), "check", "metrics"],
                input=busy,
                capture_output=True,
                text=True,
                check=False,
            )
            assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")

        def ended() -> str | None:
            now = get(url)
            return now if value(now, f"polltrace_servers_polling{IN_BAND}") == 0 else None

        after = until(ended, "the end of the session")
        for series in (polls, lost, f"polltrace_server_cpu_seconds_total{IN_BAND}"):
            assert (value(after, series) or 0) >= (value(busy, series) or 0) > 0
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


@pytest.mark.usefixtures("lab")
def test_prometheus_scrapes_it_and_the_dashboard_has_figures(tmp_path: Path) -> None:
    prometheus = tool("prometheus")
    shutil.copy(PACKAGING / "prometheus" / "polltrace.rules.yml", tmp_path)
    with LabServer() as lab, busy_session(lab), exporter("--top", "3") as (_, url):
        target = urllib.parse.urlsplit(url).netloc
        text = (PACKAGING / "prometheus" / "scrape.yml").read_text()
        settings = text.replace("127.0.0.1:9417", target).replace("15s", "1s")
        (tmp_path / "prometheus.yml").write_text(settings)
        port = free_port()
        command = [
            prometheus,
            f"--config.file={tmp_path / 'prometheus.yml'}",
            f"--storage.tsdb.path={tmp_path / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--log.level=error",
        ]
        with running(*command):
            query = f"http://127.0.0.1:{port}/api/v1/query?query="

            def ask(expression: str) -> list[Any] | None:
                body = get(query + urllib.parse.quote(expression))
                if not body:
                    return None
                answer = json.loads(body)
                assert answer["status"] == "success"
                return answer["data"]["result"] or None

            assert until(lambda: ask('up{job="polltrace"} == 1'), "a scrape")
            until(lambda: ask("rate(polltrace_break_poll_cpu_seconds_total[30s]) > 0"), "a rate")
            expressions = dashboard_expressions()
            assert len(expressions) > 10
            for expression in expressions:
                # The kernel's statistics of BPF programs take CAP_SYS_ADMIN, which it has not.
                if "bpf_seconds" not in expression:
                    until(partial(ask, expression), expression)
            rules = json.loads(get(f"http://127.0.0.1:{port}/api/v1/rules"))["data"]["groups"]
            assert all(rule["health"] != "err" for group in rules for rule in group["rules"])


def dashboard_expressions() -> list[str]:
    """The queries of the dashboard's panels, with its variables filled in."""
    board = json.loads((PACKAGING / "grafana" / "polltrace.json").read_text())
    expressions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    filled = {"$__rate_interval": "30s", "$job": ".*", "$host": ".*", "$sid": ".*"}
    for name, text in filled.items():
        expressions = [each.replace(name, text) for each in expressions]
    return expressions


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@pytest.mark.parametrize(
    "words",
    [("check", "rules", "polltrace.rules.yml"), ("test", "rules", "polltrace.rules.test.yml")],
)
def test_the_rules_are_what_promtool_takes(words: tuple[str, ...]) -> None:
    folder = PACKAGING / "prometheus"
    checked = subprocess.run(
        [tool("promtool"), *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_unit_is_what_systemd_takes(tmp_path: Path) -> None:
    analyze = tool("systemd-analyze")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/polltrace/bin/polltrace", POLLTRACE))
    verified = subprocess.run(
        [analyze, "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stderr) == (0, "")


def exposure(unit: Path) -> float:
    """How exposed systemd finds the unit: 0.0 is safest, 10.0 the worst."""
    analyze = [tool("systemd-analyze"), "--no-pager", "security", "--offline=true"]
    ended = subprocess.run([*analyze, str(unit)], capture_output=True, text=True, check=True)
    printed = rf"Overall exposure level for {re.escape(unit.name)}: (\d+\.\d)"
    level = re.search(printed, ended.stdout)
    assert level, ended.stdout
    return float(level[1])


def test_the_unit_is_no_more_exposed_than_it_must_be(tmp_path: Path) -> None:
    assert exposure(UNIT) <= 2.6
    # AND a line less shows
    weaker = tmp_path / UNIT.name
    weaker.write_text(UNIT.read_text().replace("RestrictNamespaces=yes\n", ""))
    assert exposure(weaker) > 2.6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--listen", "0.0.0.0:0"], "can be reached from other hosts"),
        (["--listen", "[::]:0"], "can be reached from other hosts"),
        (["--listen", "dbhost"], "is not ADDRESS:PORT"),
        (["--listen", "127.0.0.1:70000"], "is not ADDRESS:PORT"),
        (["--top", "-1"], "is not a whole number"),
    ],
)
def test_wrong_usage(run: Any, options: list[str], message: str) -> None:
    ended = run("export", "prometheus", *options)
    assert ended.returncode == 2
    assert message in ended.stderr


def test_a_port_that_is_taken_is_reported_in_one_line(run: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run("export", "prometheus", "--listen", f"127.0.0.1:{port}")
    assert ended.returncode == 4
    assert ended.stderr == f"polltrace: cannot listen on 127.0.0.1:{port}: Address already in use\n"


@pytest.mark.usefixtures("probe")
def test_a_frozen_probe_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service manager hears of frames, and a scrape shows how old the last one is."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        (tmp_path / "notify").chmod(0o777)
        tmp_path.chmod(0o755)
        manager.settimeout(PATIENCE_S)
        monkeypatch.setenv("NOTIFY_SOCKET", str(manager.getsockname()))
        with exporter() as (process, url):
            assert [manager.recv(100), manager.recv(100)] == [b"READY=1", b"WATCHDOG=1"]
            until(lambda: value(get(url), "polltrace_last_frame_timestamp_seconds"), "a frame")
            (probe,) = children(process.pid, "polltrace-probe")
            os.kill(probe, signal.SIGSTOP)
            try:
                age = "polltrace_frame_age_seconds"
                until(lambda: (value(get(url), age) or 0.0) > 3, "an age of six intervals")
            finally:
                os.kill(probe, signal.SIGCONT)


@pytest.mark.usefixtures("probe")
def test_a_probe_that_is_killed_ends_it_for_the_supervisor_to_restart() -> None:
    with exporter() as (process, url):
        until(lambda: value(get(url), "polltrace_last_frame_timestamp_seconds"), "a frame")
        (probe,) = children(process.pid, "polltrace-probe")
        os.kill(probe, signal.SIGKILL)
        assert process.wait(PATIENCE_S) == 4
        assert process.stderr is not None
        assert "was killed by signal 9" in process.stderr.read()

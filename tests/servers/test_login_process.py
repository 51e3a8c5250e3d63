# SPDX-License-Identifier: GPL-2.0-or-later
"""The processes that hold a login: what they are told, and what becomes of those that fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from polltrace.errors import DriverError
from polltrace.servers import login_process
from polltrace.servers.login import Login
from polltrace.servers.login_process import LoginProcess
from polltrace.servers.session_trace import SessionTrace
from tests.conftest import Run

LOGIN = Login("db1:1521/ORCL", "scott", "tiger")
# Its answers: the request and its surroundings, and another one to the end of stdin.
TELLS = """\
import json, os, sys
request = json.loads(sys.stdin.readline())
print(json.dumps({"request": request, "environment": list(os.environ.values()), "argv": sys.argv,
                  "session": os.getsid(0) == os.getpid()}), flush=True)
sys.stdin.read()
print(json.dumps({"left_on": []}), flush=True)
"""
HANGS = "import sys, time\nsys.stdin.readline()\ntime.sleep(600)\n"
DIES = "import sys\nsys.stdin.readline()\nsys.exit('no licence for tiger\\nORA-00600: tiger')\n"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the module `holder`."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("POLLTRACE_PASSWORD", LOGIN.password)
    return tmp_path / "holder.py"


def test_only_its_stdin_has_the_password(module: Path) -> None:
    module.write_text(TELLS)
    with LoginProcess("holder", LOGIN, "ask") as process:
        answer = process.log_in(pid=7)
        last = process.hang_up()
    assert answer["request"] == {
        **{"dsn": LOGIN.dsn, "user": LOGIN.user, "password": LOGIN.password},
        "pid": 7,
    }
    assert LOGIN.password not in answer["environment"]
    assert LOGIN.password not in answer["argv"]
    assert answer["session"]  # Ctrl-C is not for it
    assert last == {"left_on": []}


def test_a_hanging_login_is_abandoned(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module.write_text(HANGS)
    monkeypatch.setattr(login_process, "PATIENCE_S", 0.2)
    with (
        LoginProcess("holder", LOGIN, "ask", "; too bad") as process,
        pytest.raises(DriverError, match=r"^cannot ask db1:1521/ORCL: no answer in 0.2 s; too bad"),
    ):
        process.log_in()
    assert process.late


def test_a_login_that_dies_has_its_last_line_reported(module: Path) -> None:
    module.write_text(DIES)
    with LoginProcess("holder", LOGIN, "ask") as process:
        with pytest.raises(DriverError, match=r"cannot ask db1:1521/ORCL: ORA-00600: …$"):
            process.log_in()
        with pytest.raises(DriverError, match="ended without a message"):
            process.ask({})


def test_a_trace_whose_beginning_had_no_answer_may_be_on(
    module: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module.write_text(HANGS)
    monkeypatch.setattr(login_process, "PATIENCE_S", 0.2)
    trace = SessionTrace(LOGIN, [7])
    monkeypatch.setattr(trace, "_process", LoginProcess("holder", LOGIN, "trace by"))
    with pytest.raises(DriverError, match="cannot trace by"), trace:
        pass
    assert "the trace may be on still: no answer in 0.2 s" in capsys.readouterr().err


def test_modules_in_the_current_folder_are_not_imported(run: Run, tmp_path: Path) -> None:
    """Root may be in somebody else's folder, where modules have the names of ours."""
    told = "import os\nopen(os.environ['TOLD'], 'w')\n"
    (tmp_path / "polltrace").mkdir()
    for name in ("polltrace/__init__.py", "oracledb.py", "json.py"):
        (tmp_path / name).write_text(told)
    where = ("env", "-C", str(tmp_path), f"TOLD={tmp_path / 'told'}", "POLLTRACE_PASSWORD=tiger")
    ended = run("ps", "--connect", "scott@127.0.0.1:1/X", prefix=where)
    assert (ended.returncode, "cannot ask 127.0.0.1:1/X" in ended.stderr) == (7, True)
    assert not (tmp_path / "told").exists()

# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace top` in a terminal (tmux), on the lab: keys, sizes, and every way to end."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polltrace.errors import FileError
from polltrace.recording import read
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.session_views import OracleViews
from tests.waiting import children, is_asleep
from tests.waiting import until as wait_until

pytestmark = [
    pytest.mark.usefixtures("lab", "quick_calibration"),
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]

POLLTRACE = Path(sys.executable).with_name("polltrace")

# A view that fails: the program is polltrace, with one function that raises.
FAILING = """\
import sys
from polltrace.top import live
def fail(*args, **kwargs): raise RuntimeError("a view that fails")
live.help_screen = fail
from polltrace.cli import main
sys.exit(main(["top"]))
"""


def is_over(screen: str) -> bool:
    """Whether the shell has come to the end of its command line, and not just echoed it."""
    return re.search(r"(?<!echo )over\n", screen) is not None


class Tmux:
    """A shell in a terminal of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tmux = ["tmux", "-S", str(folder / "tmux"), "-f", "/dev/null"]
        self(
            "new-session",
            "-d",
            "-c",
            str(folder),
            "-x",
            "80",
            "-y",
            "24",
            "-s",
            "t",
            "env PS1='$ ' sh",
        )

    def __call__(self, *words: str) -> str:
        return subprocess.run(
            [*self._tmux, *words], check=True, capture_output=True, text=True
        ).stdout

    def keys(self, *keys: str) -> None:
        self("send-keys", "-t", "t", *keys)

    def screen(self) -> str:
        return self("capture-pane", "-p", "-t", "t")

    def until(self, wanted: str | Callable[[str], bool]) -> str:
        """The screen, once `wanted` is on it."""
        screen = ""

        def there() -> bool:
            nonlocal screen
            screen = self.screen()
            return wanted(screen) if callable(wanted) else wanted in screen

        try:
            wait_until(there, f"{wanted} on the screen")
        except pytest.fail.Exception:
            print(screen)
            raise
        return screen

    def still(self, wanted: str) -> str:
        """The screen with `wanted` on it, once it is drawn to its end: for a moment it is half
        the one before."""
        before = ""

        def stands(screen: str) -> bool:
            nonlocal before
            same, before = screen == before, screen
            return same and wanted in screen and is_asleep(self.program())

        return self.until(stands)

    def top(self, command: str = f"{POLLTRACE} top", pid: int | None = None) -> None:
        """Start it, with the terminal's settings kept before and after, and await a server."""
        self.keys(
            f"stty -g > before; {command}; echo code=$?; stty -g > after; echo o''ver", "Enter"
        )
        self.until(f"{pid} LAB" if pid else "F1 Help")

    def restored(self, code: int) -> str:
        """The screen after the end, which must be as it was before, with this exit code."""
        screen = self.until(is_over)
        assert f"code={code}\n" in screen
        assert (self.folder / "before").read_text() == (self.folder / "after").read_text()
        flags = "#{alternate_on} #{cursor_flag} #{wrap_flag}"
        assert self("display-message", "-p", "-t", "t", flags).split() == ["0", "1", "1"]
        return screen

    def program(self) -> int:
        """The PID of the polltrace that runs in it."""
        (shell,) = self("list-panes", "-t", "t", "-F", "#{pane_pid}").split()
        (child,) = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        return int(child)


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    terminal = Tmux(tmp_path)
    yield terminal
    terminal("kill-server")


def line_of(screen: str, pid: int) -> list[str]:
    return next(
        (line.split() for line in screen.splitlines() if line.split()[:1] == [str(pid)]), []
    )


def has(*words: str) -> Callable[[str], bool]:
    """Whether a screen has all of these, wherever it breaks its lines."""
    return lambda screen: all(each in " ".join(screen.split()) for each in words)


def test_a_session_is_shown_with_its_loss_and_opened(tmux: Tmux, busy_server: int) -> None:
    tmux.top(pid=busy_server)

    def has_loss(screen: str) -> bool:
        line = line_of(screen, busy_server)
        return len(line) > 6 and line[3] == "in-band" and line[6] != "-"

    tmux.until(has_loss)
    tmux.keys("/")
    tmux.keys("-l", str(busy_server))
    tmux.keys("Enter", "Down", "Enter")
    shown = (
        *("Break mode: in-band", "Counted:", " <-"),
        "sntpoltsts < snttmoredata < nsmore2recv < nioqts",
    )
    tmux.until(lambda text: all(words in text for words in shown))
    tmux.keys("t")
    tmux.until(lambda text: "the worst was" in text and "Counted:" in text)
    tmux.keys("2")
    tmux.until(lambda text: "samples on CPU, outermost first" in text and "opifch2" in text)
    tmux.keys("4")
    tmux.until(lambda text: "PER SECOND" in text and "\npoll " in text)
    tmux.keys("5")
    tmux.until(has("Time of ", "--connect adds its statement"))
    tmux.keys("7")
    tmux.until(has("1 thread in ", "on a run queue", "(on CPU)", "run queue miss 0 ns of it."))
    tmux.keys("1")
    tmux.until(lambda text: "CANCEL p99" in text and " <-" in text)
    tmux.keys("Escape")
    tmux.until("POLLS/S")
    tmux.keys("q")
    tmux.restored(code=0)


def test_the_pane_of_now_has_what_the_database_knows(tmux: Tmux) -> None:
    with LabServer() as lab, DriverClient() as client, DriverClient() as holder:
        for each in (client, holder):
            lab.connect(each, break_poll_skip=3, disable_oob=True)
        pid = OracleViews().spid(client)
        holder.execute("create table t (n number)")
        holder.execute("insert into t values (1)")
        holder.commit()
        holder.execute("update t set n = 2")
        client.begin("update t set n = 3")
        connect = f"--connect {lab.oralab.user}@{lab.oralab.dsn}"
        tmux.top(f"POLLTRACE_PASSWORD={lab.oralab.password} {POLLTRACE} top {connect}", pid=pid)
        tmux.keys("/")
        tmux.keys("-l", str(pid))
        tmux.keys("Enter", "Down", "Enter", "5")
        tmux.until(
            has(
                "update t set n = 3",
                "waits for enq: TX - row lock contention, ",
                "blocked by session",
                "blocked in clock_nanosleep",
            )
        )
        tmux.keys("6")
        tmux.until(lambda screen: "update t set n = 3" in screen and "STAT" not in screen)
        tmux.keys("5")
        tmux.until("STAT")
        # WHEN the lock is let go and the statement ends
        holder.rollback()
        client.finish()
        tmux.until(has("(the last one)", "waits for SQL*Net message from client"))
        tmux.keys("q")
        tmux.restored(code=0)


def open_session(tmux: Tmux, pid: int) -> None:
    """Open the server of that PID, and wait until its cost is known."""
    tmux.keys("/")
    tmux.keys("-l", str(pid))
    tmux.keys("Enter", "Down", "Enter")
    tmux.until("Counted:")


def test_polling_is_told_from_work_by_the_figure_of_the_same_screen(
    tmux: Tmux, busy_server: int
) -> None:
    tmux.top(pid=busy_server)
    open_session(tmux, busy_server)
    tmux.keys("5")
    divided = re.compile(
        r"Counted: (?P<counted>[\d.]+) % .*?(?:both: (?P<both>[\d.]+) %.*?)?"
        r"at work on CPU (?P<work>[\d.]+) %, polling (?P<polling>[\d.]+) %"
        r" \[(?P<low>[\d.]+), (?P<high>[\d.]+)\] \((?P<share>[\d.]+) % of its CPU\),"
        r" waiting for a CPU (?P<queued>[\d.]+) %"
    )

    def divides(screen: str) -> re.Match[str] | None:
        return divided.search(" ".join(screen.split()))

    found = divides(tmux.until(lambda screen: divides(screen) is not None))
    assert found is not None
    assert found["share"] == (found["both"] or found["counted"])
    work, polling, share = (float(found[name]) for name in ("work", "polling", "share"))
    # Each is rounded to a tenth of a per cent, and a session has few where others want its CPU.
    assert share > 0
    assert float(found["low"]) <= polling <= float(found["high"])
    assert polling == pytest.approx(share / 100 * (work + polling), abs=0.11)
    assert work + polling + float(found["queued"]) <= 100.2


def test_the_cure_goes_to_the_clipboard_and_to_a_file(tmux: Tmux, busy_server: int) -> None:
    tmux("set-option", "-s", "set-clipboard", "on")
    tmux.top(f"TMPDIR=. {POLLTRACE} top", pid=busy_server)
    open_session(tmux, busy_server)
    tmux.keys("t")
    tmux.until("the worst was")
    tmux.until(has("Timed: a cancel on CPU"))
    tmux.keys("c")
    tmux.until(has("Sent to the clipboard (unconfirmed) and to"))
    (file,) = tmux.folder.glob(f"polltrace-{busy_server}-*.txt")
    text = file.read_text()
    assert tmux("show-buffer") == text
    assert text.startswith(f"Process {busy_server} (LAB, client 127.0.0.1:")
    for words in (
        "\n1. Out-of-band breaks: ",
        "\n   before  ",
        "\n   change  ",
        "\n   check   ",
        "\n   undo    ",
    ):
        assert words in text
    assert file.stat().st_mode & 0o777 == 0o600
    # The next key takes the line away.
    tmux.keys("1")
    tmux.until(lambda screen: "Sent to the clipboard" not in screen)
    tmux.keys("q")
    tmux.restored(code=0)


def whole(path: Path, pid: int) -> bool:
    """Whether it is a recording of the process that was ended and not torn off."""
    recording = read(path)
    assert recording.counted is not None
    assert {each.pid for each in recording.counted.totals} == {pid}
    return recording.quality is not None and not recording.tear


def begun(folder: Path) -> list[Path]:
    """The recordings that have counted something, oldest first."""
    found = []
    for path in sorted(folder.glob("session-*.polltrace")):
        with contextlib.suppress(FileError):
            if read(path).counted is not None:
                found.append(path)
    return found


def test_a_session_is_recorded_until_the_key_or_the_end(tmux: Tmux, busy_server: int) -> None:
    tmux.top(pid=busy_server)
    tmux.keys("R")
    tmux.until("Nothing is selected")
    open_session(tmux, busy_server)
    tmux.keys("R")
    tmux.until(f"Recording {busy_server} to session-{busy_server}-")
    wait_until(lambda: len(begun(tmux.folder)) == 1, "a recording")
    tmux.keys("R")
    tmux.until(has("s; 'polltrace report session-", "shows it"))
    (first,) = begun(tmux.folder)
    assert whole(first, busy_server)
    # From the table as well; the end of top ends it, and says where it is.
    tmux.keys("Escape")
    tmux.until("POLLS/S")
    tmux.keys("R")
    tmux.until(f"Recording {busy_server} to session-{busy_server}-")
    wait_until(lambda: len(begun(tmux.folder)) == 2, "another recording")
    tmux.keys("q")
    _, second = begun(tmux.folder)
    assert has(f"polltrace: {second.name}: ", "shows it")(tmux.restored(code=0))
    assert whole(second, busy_server)


def test_a_killed_top_leaves_a_whole_recording(tmux: Tmux, busy_server: int) -> None:
    tmux.top(pid=busy_server)
    open_session(tmux, busy_server)
    tmux.keys("R")
    wait_until(lambda: len(begun(tmux.folder)) == 1, "a recording")
    os.kill(tmux.program(), signal.SIGKILL)
    wait_until(lambda: whole(begun(tmux.folder)[0], busy_server), "its end")


def test_a_failed_recording_shows_its_reason(tmux: Tmux, busy_server: int) -> None:
    tmux.top(f"(cd /proc && {POLLTRACE} top)", pid=busy_server)
    tmux.keys("/")
    tmux.keys("-l", str(busy_server))
    tmux.keys("Enter", "Down", "R")
    tmux.until(has("cannot", f"session-{busy_server}-"))
    tmux.keys("q")
    tmux.restored(code=0)


def test_a_recording_is_not_recorded(tmux: Tmux) -> None:
    tmux.top(f"{POLLTRACE} top demo")
    tmux.keys("Down", "R")
    tmux.until("This is a recording.")
    tmux.keys("q")
    tmux.restored(code=0)


def test_a_new_server_comes_and_an_ended_one_goes(tmux: Tmux, busy_server: int) -> None:
    tmux.top(pid=busy_server)
    with LabServer() as lab, DriverClient() as client:
        lab.connect(client, break_poll_skip=3, disable_oob=False)
        spid = int(client.query("select spid from v$process where rownum <= 1")[1][0][0])
        tmux.keys("/")
        tmux.keys("-l", str(spid))
        tmux.keys("Enter")
        tmux.until(lambda screen: "out-of-band" in line_of(screen, spid))
    tmux.until(lambda screen: not line_of(screen, spid))
    tmux.keys("q")
    tmux.restored(code=0)


def test_a_wider_terminal_shows_more_at_once(tmux: Tmux, busy_server: int) -> None:
    tmux.top(pid=busy_server)
    assert " WHY" not in tmux.screen()
    tmux("resize-window", "-t", "t", "-x", "160", "-y", "50")
    tmux.until(lambda text: " WHY" in text and "F1 Help" in text.splitlines()[49])
    tmux("resize-window", "-t", "t", "-x", "40", "-y", "6")
    tmux.until(lambda text: " WHY" not in text and "polltrace top" in text)
    tmux.keys("q")
    tmux.restored(code=0)


def test_a_pause_holds_the_screen_still(tmux: Tmux, busy_server: int) -> None:
    tmux.top(pid=busy_server)
    tmux.keys("Space")
    held = tmux.still("PAUSED")
    with LabServer() as lab, DriverClient() as client:
        lab.connect(client, break_poll_skip=3, disable_oob=False)
        spid = int(client.query("select spid from v$process where rownum <= 1")[1][0][0])
        tmux.keys("Down")
        # The key draws the same once more, for a moment in part.
        tmux.until(lambda screen: screen == held)
        tmux.keys("Space", "/")
        tmux.keys("-l", str(spid))
        tmux.until(lambda screen: bool(line_of(screen, spid)))


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 130), (signal.SIGINT, 0), (signal.SIGHUP, 0)]
)
def test_a_signal_ends_it_and_leaves_the_terminal_as_it_was(
    tmux: Tmux, busy_server: int, number: signal.Signals, code: int
) -> None:
    tmux.top(pid=busy_server)
    os.kill(tmux.program(), number)
    tmux.restored(code)


def test_ctrl_c_ends_it(tmux: Tmux, busy_server: int) -> None:
    tmux.top(pid=busy_server)
    tmux.keys("C-c")
    tmux.restored(code=0)


def test_an_exception_leaves_the_terminal_as_it_was(
    tmux: Tmux, busy_server: int, tmp_path: Path
) -> None:
    (tmp_path / "failing.py").write_text(FAILING)
    tmux.top(f"{sys.executable} failing.py", pid=busy_server)
    tmux.keys("h")
    assert "RuntimeError: a view that fails" in tmux.restored(code=1)


def test_a_killed_probe_is_reported_on_the_restored_terminal(tmux: Tmux, busy_server: int) -> None:
    tmux.top(f"{POLLTRACE} top --no-gaps", pid=busy_server)  # these have a probe of their own
    (probe,) = children(tmux.program(), "polltrace-probe")
    os.kill(probe, signal.SIGKILL)
    assert "polltrace-probe was killed by signal 9" in tmux.restored(code=4)


def test_ctrl_z_gives_the_terminal_back_and_fg_takes_it(tmux: Tmux, busy_server: int) -> None:
    # A command line of several would go on with its next: this one is by itself.
    tmux.keys(f"stty -g > before; set -m; {POLLTRACE} top", "Enter")
    tmux.until(f"{busy_server} LAB")
    tmux.keys("C-z")
    tmux.until("Stopped")
    assert tmux("display-message", "-p", "-t", "t", "#{alternate_on} #{cursor_flag}").split() == [
        "0",
        "1",
    ]
    tmux.keys("fg", "Enter")
    tmux.until(lambda screen: bool(line_of(screen, busy_server)))
    tmux.keys("q")
    tmux.until(lambda screen: "polltrace top\n" in screen and "F1 Help" not in screen)
    tmux.keys("stty -g > after; echo o''ver", "Enter")
    tmux.until(is_over)
    before, after = (tmux.folder / name for name in ("before", "after"))
    assert before.read_text() == after.read_text()


def test_no_color_removes_all_colours(tmux: Tmux, busy_server: int) -> None:
    tmux.top(f"NO_COLOR=1 {POLLTRACE} top", pid=busy_server)
    tmux.until(lambda screen: "in-band" in line_of(screen, busy_server))

    def escapes() -> str:
        return tmux("capture-pane", "-e", "-p", "-t", "t")

    wait_until(lambda: "\x1b[7m" in escapes(), "reverse")
    assert not re.search("\x1b\\[3[13]m", escapes())
    tmux.keys("q")
    tmux.restored(code=0)


def test_the_demo_recording_is_played_paused_and_moved(tmux: Tmux) -> None:
    tmux.top(f"{POLLTRACE} top demo")
    tmux.keys("]", "Space")
    held = tmux.still("PAUSED")
    assert "in-band" in held
    tmux.keys("-")
    faster = tmux.still("x2  PAUSED")
    assert faster.splitlines()[:5] == held.splitlines()[:5]  # the clock stands still
    tmux.keys("Enter")
    tmux.until(lambda text: "Counted:" in text and "Break mode:" in text)
    tmux.keys("2")
    tmux.until("samples on CPU, outermost first")
    tmux.keys("q")
    tmux.restored(code=0)

# SPDX-License-Identifier: GPL-2.0-or-later
"""A PostgreSQL cluster of our own: this host's binaries, on loopback, for as long as we live."""

from __future__ import annotations

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from polltrace.errors import HostError

_ACCOUNT = "postgres"
# Upper bounds; only a cluster that does not start waits this long.
_START_S, _STOP_S = 60.0, 30.0
# A cluster that lives for minutes: nothing of it outlasts a crash.
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "max_connections": "120",
    "logging_collector": "off",
    "jit": "off",
    # Its reads would be counted with those of the sessions.
    "autovacuum": "off",
}


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """The address of a cluster, and the superuser's `user` and `password`."""

    host: str
    port: int
    user: str
    password: str
    database: str = "postgres"


class PostgresqlCluster:
    """A cluster from __enter__ to __exit__, in a directory that goes with it.

    As root it runs as the user postgres, because the server refuses root. The kernel sends the
    server SIGINT should we be killed. Raises HostError where there is no PostgreSQL, or it does
    not start.
    """

    def __init__(self) -> None:
        self._binaries = binaries()

    def __enter__(self) -> Self:
        self._folder = Path(tempfile.mkdtemp(prefix="polltrace-pg-"))
        try:
            self._make()
            self._start()
        except BaseException:
            self._remove()
            raise
        return self

    def _make(self) -> None:
        password = secrets.token_hex(16)
        password_file = self._folder / "password"
        password_file.write_text(password)
        if os.geteuid() == 0:
            account = _account()
            for path in (self._folder, password_file):
                os.chown(path, account.pw_uid, account.pw_gid)
        self._data = self._folder / "data"
        self._run(
            *("initdb", "-D", str(self._data), "-U", _ACCOUNT, "--no-sync", "--no-instructions"),
            *("-A", "scram-sha-256", f"--pwfile={password_file}", "--encoding=UTF8", "--locale=C"),
        )
        password_file.unlink()
        self.address = ClusterAddress("127.0.0.1", _free_port(), _ACCOUNT, password)

    def _start(self) -> None:
        settings = {**_SETTINGS, "port": str(self.address.port)}
        options = [f"--{name}={value}" for name, value in settings.items()]
        self._log = (self._folder / "log").open("w+", encoding="utf-8", errors="replace")
        self._process = subprocess.Popen(
            [*_as_server(), str(self._binaries / "postgres"), "-D", str(self._data), *options],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            cwd="/",
            start_new_session=True,
        )
        deadline = time.monotonic() + _START_S
        status = self._data / "postmaster.pid"
        while "ready" not in _last_line(status):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise HostError(f"PostgreSQL did not start: {self._last_words()}")
            time.sleep(0.02)

    @property
    def folder(self) -> Path:
        """The folder of its files."""
        return self._folder

    @property
    def pid(self) -> int:
        """The postmaster's, of which every server process is a child."""
        return self._process.pid

    def _run(self, program: str, *arguments: str) -> None:
        ended = subprocess.run(
            [*_as_server(), str(self._binaries / program), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            cwd="/",
            check=False,
        )
        if ended.returncode != 0:
            last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
            raise HostError(f"{program} failed: {last}")

    def _last_words(self) -> str:
        self._log.seek(0)
        return (self._log.read().strip().splitlines() or ["no message"])[-1]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._remove()

    def _remove(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGINT)  # fast shutdown: sessions are ended
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process is not None:
            self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def binaries() -> Path:
    """The folder of the PostgreSQL server that POLLTRACE_POSTGRESQL names, else of the newest here.
    Raises HostError where there is none."""
    if folder := os.environ.get("POLLTRACE_POSTGRESQL"):
        if not Path(folder, "postgres").is_file():
            raise HostError(f"POLLTRACE_POSTGRESQL={folder}: no program postgres in that folder")
        return Path(folder)
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    if folders:
        return max(folders, key=lambda path: int(path.parent.name))
    if (program := shutil.which("postgres")) and shutil.which("initdb"):
        return Path(program).resolve().parent
    raise HostError("there is no PostgreSQL server here: install the package postgresql")


def _as_server() -> list[str]:
    """A prefix: the server ends with us, and is not root."""
    prefix = ["setpriv", "--pdeathsig", "INT"]
    if os.geteuid() != 0:
        return [*prefix, "--"]
    account = _account()
    ids = [f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}"]
    return [*prefix, *ids, "--init-groups", "--inh-caps=-all", "--"]


def _account() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(_ACCOUNT)
    except KeyError:
        raise HostError(
            f"there is no user {_ACCOUNT}, and PostgreSQL does not run as root"
        ) from None


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _last_line(path: Path) -> str:
    with contextlib.suppress(OSError):
        return (path.read_text(errors="replace").splitlines() or [""])[-1]
    return ""

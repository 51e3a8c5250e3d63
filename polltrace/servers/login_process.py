# SPDX-License-Identifier: GPL-2.0-or-later
"""The processes that hold a login to the database. Each holds the driver as well: one that hangs or
dies takes its process along, and polltrace is not linked to it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from polltrace.errors import DriverError
from polltrace.servers.login import PASSWORD, Login

# A database that hangs must not withhold the facts that are known without it.
PATIENCE_S = 20.0
OPTIONAL = "; without --connect all else is shown"


class LoginProcess:
    """Runs `module` from __enter__ to __exit__. Each line on its stdin is an object of JSON, which
    it answers with one; the first has the login, so the password is in no environment and on no
    command line. `purpose` is the action that fails without an answer: "ask", "trace by"; `hint`
    follows where there was no answer. `late`: it was killed because there was none."""

    def __init__(self, module: str, login: Login, purpose: str, hint: str = "") -> None:
        self._module, self._login, self._purpose, self._hint = module, login, purpose, hint
        self.late = False

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            # -P: the folder that we were called in is somebody else's.
            [sys.executable, "-P", "-m", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env={name: value for name, value in os.environ.items() if name != PASSWORD},
            start_new_session=True,  # Ctrl-C reaches us alone, and we end it
        )
        return self

    def log_in(self, **request: Any) -> dict[str, Any]:
        """The answer to the first request: `wanted`, with the login. Raises as ask()."""
        login = self._login
        return self.ask(
            {"dsn": login.dsn, "user": login.user, "password": login.password} | request
        )

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer. Raises DriverError with the message of the driver, or because there was no
        answer in PATIENCE_S: the process is then gone."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # its last words say why
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        answer = self._answer()
        if "failed" in answer:
            reason = str(answer["failed"])
            if self._login.password:
                reason = reason.replace(self._login.password, "…")
            raise DriverError(
                f"cannot {self._purpose} {self._login.dsn or 'the database'}: {reason}"
            )
        return answer

    def hang_up(self) -> dict[str, Any]:
        """The answer to the end of its stdin."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None

        def give_up() -> None:
            self.late = True
            self._process.kill()

        timer = threading.Timer(PATIENCE_S, give_up)
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        answer: dict[str, Any] = json.loads(line) if line else {"failed": self._last_words()}
        return answer

    def _last_words(self) -> str:
        if self.late:
            return f"no answer in {PATIENCE_S:g} s{self._hint}"
        assert self._process.stderr is not None
        last = self._process.stderr.read().strip().splitlines()[-1:]
        return " ".join(last) or "the driver's process ended without a message"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        process = self._process
        process.kill()  # it holds nothing but a login, which the database ends
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()

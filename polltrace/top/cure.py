# SPDX-License-Identifier: GPL-2.0-or-later
"""Copies the change to make for an open session, to be pasted where it is wanted."""

from __future__ import annotations

import tempfile

from polltrace.overhead.advice_report import cure_text
from polltrace.overhead.forecast import CancelLimits
from polltrace.printable import printable
from polltrace.top.session_view import SessionView
from polltrace.top.terminal import Terminal


def copy_cure(session: SessionView, terminal: Terminal) -> str:
    """Copy the cure to the terminal's clipboard and to a new file; returns the status line.

    The file is there because a terminal does not report whether it accepted the text.
    """
    server, advice = session.server, session.advice
    if server is None or advice is None:
        return "What to change is not known yet."
    cure = cure_text(advice, CancelLimits())
    if not cure:
        return "Nothing is known that would help it."
    peer = server.socket.peer if server.socket else "a local client"
    # Paths in it are the server's: text that is pasted into a shell must not press its keys.
    text = printable(f"Process {server.pid} ({server.instance}, client {peer})\n{cure}\n")
    terminal.copy(text)
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix=f"polltrace-{server.pid}-", suffix=".txt", encoding="utf-8", delete=False
        ) as file:
            file.write(text)
    except OSError as error:
        return f"Sent to the clipboard (unconfirmed), and to no file: {error.strerror}"
    return f"Sent to the clipboard (unconfirmed) and to {file.name}"

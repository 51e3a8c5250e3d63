# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse

from scenarios.sqlnet_edit import notes, restore


class Restore:
    """Put back every sqlnet.ora that a killed 'polltrace run --set-sqlnet' has left changed.

    The next run does the same. Exit code 1: one is in use by a run just now.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        pass

    def run(self, _args: argparse.Namespace) -> int:
        code = 0
        found = list(notes())
        for note in found:
            if note.in_use:
                print(f"{note.path} is in use by a run (PID {note.pid}); it will put it back.")
                code = 1
            else:
                restore(note)
                print(f"{note.path} is as it was.")
        if not found:
            print("Nothing to put back.")
        return code

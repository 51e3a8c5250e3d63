# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse

from polltrace.scenarios.run.servers.sqlnet_edit import notes, restore


class Restore:
    """Restore sqlnet.ora files that a killed run left changed.

    The next 'polltrace run --set-sqlnet' does the same. Exit code 1: a run is using one now.
    """

    group = "experiment"
    examples = (("", "put back what a killed run has left changed"),)

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        pass

    def run(self, _args: argparse.Namespace) -> int:
        code = 0
        changed_files = list(notes())
        for note in changed_files:
            if note.in_use:
                print(f"{note.path} is in use by a run (PID {note.pid}); it will restore it.")
                code = 1
            else:
                restore(note)
                print(f"{note.path} is restored.")
        if not changed_files:
            print("Nothing to restore.")
        return code

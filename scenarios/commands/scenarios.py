# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys

from polltrace.commands.output import add_json_argument
from polltrace.scenarios.plan.scenario_file import built_in, load


class Scenarios:
    """List the scenarios that 'polltrace run' knows by name."""

    group = "experiment"
    examples = (
        ("", "names and sizes of the scenarios"),
        ("--json", "the same as data"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        found = [(path, load(path)) for path in built_in().values()]
        if args.json:
            data = [
                {
                    "name": each.name,
                    "title": each.title,
                    "file": str(path),
                    "cells": len(each.cells()),
                    "blocks": each.blocks,
                    "record": each.record,
                }
                for path, each in found
            ]
            json.dump(data, sys.stdout, indent=2)
            print()
            return 0
        wide = max(len(each.name) for _, each in found)
        for _, each in found:
            print(f"{each.name:{wide}}  {each.title}")
            print(f"{'':{wide}}  {len(each.cells())} cells, {each.blocks} blocks")
        return 0

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
        scenarios = [(path, load(path)) for path in built_in().values()]
        if args.json:
            data = [
                {
                    "name": scenario.name,
                    "title": scenario.title,
                    "file": str(path),
                    "cells": len(scenario.cells()),
                    "blocks": scenario.blocks,
                    "record": scenario.record,
                }
                for path, scenario in scenarios
            ]
            json.dump(data, sys.stdout, indent=2)
            print()
            return 0
        wide = max(len(scenario.name) for _, scenario in scenarios)
        for _, scenario in scenarios:
            print(f"{scenario.name:{wide}}  {scenario.title}")
            print(f"{'':{wide}}  {len(scenario.cells())} cells, {scenario.blocks} blocks")
        return 0

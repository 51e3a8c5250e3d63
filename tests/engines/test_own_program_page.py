# SPDX-License-Identifier: GPL-2.0-or-later
"""The engine that docs/tasks/own-program.md describes as an example."""

from __future__ import annotations

import re
from pathlib import Path

from polltrace.engines.catalogue import of_file
from polltrace.stacks import CallChain, ChainMatch, classify
from tests.conftest import ROOT


def test_the_example_engine_is_accepted_and_recognises_its_own_stack(tmp_path: Path) -> None:
    page = (ROOT / "docs/tasks/own-program.md").read_text()
    (example,) = re.findall(r"^```toml\n(.*?)^```$", page, re.M | re.S)
    file = tmp_path / "exdb.toml"
    file.write_text(example)
    engine = of_file(file)
    title = engine.titled("exampled: session 7 (40112)")
    assert title is not None
    assert title["port"] == "40112"
    (links,) = engine.chains
    stack = ["poll", "socket_has_data", "check_client", "scan", "main"]
    assert classify(stack, CallChain(links), at_call=True).evidence is ChainMatch.WHOLE

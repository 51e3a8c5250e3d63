# SPDX-License-Identifier: GPL-2.0-or-later
"""Losses in words: each kind that the probe counts, and those of another release."""

from __future__ import annotations

import json

from polltrace.profiles.losses import losses
from tests.conftest import ROOT

UNTIMED = "times"


def test_every_kind_of_loss_has_a_description() -> None:
    schema = json.loads((ROOT / "probes/frames.schema.json").read_text())
    frames = [each for each in schema["$defs"].values() if "lost" in each.get("properties", {})]
    kinds = {kind for frame in frames for kind in frame["properties"]["lost"]["properties"]}
    assert len(kinds) > 8
    for kind in kinds - {UNTIMED}:
        one, several = losses({kind: 1}), losses({kind: 1234})
        assert one[0].startswith("1 ")
        assert several[0].startswith("1,234 ")
        for phrase in (*one, *several):
            assert " " in phrase.partition(" ")[2]  # more than the probe's one name
            assert "_" not in phrase


def test_only_losses_that_occurred_are_reported() -> None:
    assert losses({"user_reads": 2, "stacks": 0, UNTIMED: 7}) == [
        "2 polls with arguments that could not be read"
    ]


def test_a_kind_of_another_release_keeps_its_name() -> None:
    assert losses({"weather": 3}) == ["3 weather"]

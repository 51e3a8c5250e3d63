# SPDX-License-Identifier: GPL-2.0-or-later
"""The record of a dedicated server: what was found is what is read."""

from __future__ import annotations

import json
from dataclasses import replace

from polltrace.engines import has_server_title
from polltrace.profiles.frames import WatchedProcess
from polltrace.profiles.recognition import engine_of_process, title_of
from polltrace.recording.secrets import without_arguments
from polltrace.recording.server import server_data, server_of
from tests.recording.samples import server as record
from tests.recording.test_format import SCHEMA
from tests.watch.samples import server


def test_a_file_that_was_not_read_stays_so() -> None:
    settings = replace(server(7).settings, problem="it is a FIFO", skip_is_default=True)
    data = json.loads(json.dumps(server_data(replace(server(7), settings=settings), 0.5)))
    SCHEMA.validate(data)
    found = server_of(data)
    assert found is not None
    assert (found.settings.problem, found.settings.known_skip) == ("it is a FIFO", None)


def test_a_record_from_before_there_was_a_problem_has_none() -> None:
    found = server_of(record(7, 70))
    assert found is not None
    assert (found.settings.problem, found.settings.known_skip) == ("", 3)


def test_a_title_that_ends_in_a_blank_is_recognised_in_a_recording() -> None:
    title = "postgres: app sales 10.0.0.7(40112) SELECT"
    kept = without_arguments({"cmdline": [title]})
    process = WatchedProcess(7, 9, "postgres", tuple(kept["cmdline"]), "/usr/bin/postgres")
    found = engine_of_process(process)
    assert found is not None
    assert found.name == "PostgreSQL"
    assert has_server_title(title_of(process))

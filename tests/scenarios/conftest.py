# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions of the lab that are busy all the while."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.busy import busy_session


@pytest.fixture
def busy_server() -> Iterator[int]:
    """The PID of a dedicated server that executes lotslios, in-band, until the end."""
    with busy_session() as spid:
        yield spid


@pytest.fixture
def busy_out_of_band() -> Iterator[int]:
    """The same, out-of-band."""
    with busy_session(disable_oob=False) as spid:
        yield spid

# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.busy import busy_session


@pytest.fixture(scope="module")
def busy_server() -> Iterator[int]:
    """The PID of a dedicated server that executes lotslios, in-band, until the end."""
    with busy_session() as spid:
        yield spid

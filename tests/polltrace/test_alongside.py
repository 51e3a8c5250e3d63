# SPDX-License-Identifier: GPL-2.0-or-later
"""Work alongside a block ends with it, however that ends."""

from __future__ import annotations

import threading

import pytest

from polltrace.alongside import alongside
from tests.waiting import PATIENCE_S


def test_work_ends_with_the_block() -> None:
    began, ended = threading.Event(), list[bool]()

    def work(over: threading.Event) -> None:
        began.set()
        over.wait(PATIENCE_S)
        ended.append(over.is_set())

    def interrupted() -> None:
        with alongside(work):
            assert began.wait(PATIENCE_S)
            assert ended == []
            raise ValueError("interrupted")

    with pytest.raises(ValueError, match="interrupted"):
        interrupted()
    assert ended == [True]

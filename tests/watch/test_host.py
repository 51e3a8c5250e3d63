# SPDX-License-Identifier: GPL-2.0-or-later
"""From the probe's lines to a snapshot: rates, identities, what is left out for being idle."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from polltrace.breaks.break_mode import BreakMode
from polltrace.errors import FrameError
from polltrace.servers.servers import Server
from polltrace.watch.host import Host
from polltrace.watch.inspection import Inspector
from polltrace.watch.snapshot import Prices, Row
from tests.watch.samples import PRICES, exit_line, frame_line, process_line, server


class Machine:
    """A host with a clock that the test sets, and processes that it says there are.

    With `changed` the probe leaves processes that did nothing out of its frames.
    """

    def __init__(self, *, changed: bool = False) -> None:
        self.changed, self.cpu_s = changed, dict[int, float]()
        self.now = 0.0
        self.looked: list[int] = []
        self.start_ticks: dict[int, int] = {}
        self.inspector = Inspector(self.servers, lambda: self.now)
        self.host = Host(self.inspector, cpu_clock=lambda: 0.0)

    def servers(self, pids: Iterable[int]) -> list[Server]:
        self.looked += pids
        return [server(pid, self.start_ticks.get(pid, 7)) for pid in self.looked]

    def tick(self, *processes: tuple[int, float, float]) -> None:
        self.now += 1
        shown = [
            (pid, cpu_s, polls)
            for pid, cpu_s, polls in processes
            if not self.changed or polls or self.cpu_s.get(pid) != cpu_s
        ]
        self.cpu_s = {pid: cpu_s for pid, cpu_s, _ in processes}
        self.host.feed(frame_line(self.now, *shown))
        self.host.looked_at(self.inspector.look(100))

    def rows(self, prices: Prices = PRICES) -> dict[int, Row]:
        return {row.pid: row for row in self.host.snapshot(prices).rows}


@pytest.fixture(params=[False, True], ids=["whole frames", "changed only"])
def machine(request: pytest.FixtureRequest) -> Machine:
    made = Machine(changed=request.param)
    for pid in (11, 12):
        made.host.feed(process_line(pid))
    return made


def test_rates_come_with_the_third_window(machine: Machine) -> None:
    machine.tick((11, 0.5, 1000), (12, 0.0, 0))
    assert machine.rows()[11].polls_per_s is None
    machine.tick((11, 1.0, 1000), (12, 0.0, 0))
    row = machine.rows()[11]
    assert row.polls_per_s == pytest.approx(1000)
    assert row.cpu_pct == pytest.approx(50)
    assert row.mode is BreakMode.IN_BAND
    assert machine.rows()[12].polls_per_s == 0


def test_the_price_is_the_one_for_the_sessions_pace(machine: Machine) -> None:
    for second in range(1, 4):
        machine.tick((11, 0.8 * second, 100_000), (12, 0.0, 0))
    row = machine.rows()[11]
    assert row.pace_us == 8
    assert row.lost_pct == pytest.approx(100 * 100_000 * 500e-9 / 0.8)
    assert machine.rows(Prices({4: PRICES.by_pace_us[8]}))[11].price_s == row.price_s
    fresh = Machine()
    fresh.host.feed(process_line(11))
    for second in range(1, 4):
        fresh.tick((11, 0.8 * second, 100_000))
    assert fresh.rows(Prices({4: PRICES.by_pace_us[8]}))[11].lost_pct is None
    assert fresh.rows(PRICES)[11].lost_pct is not None


def test_an_idle_process_wakes_with_its_own_rate_and_not_its_rest(machine: Machine) -> None:
    for _ in range(60):
        machine.tick((11, 0.0, 0), (12, 0.0, 0))
    assert machine.rows()[11].cpu_pct == 0
    cpu_s = 0.0
    for _ in range(6):
        cpu_s += 1.0
        machine.tick((11, cpu_s, 0), (12, 0.0, 0))
    assert machine.rows()[11].cpu_pct == pytest.approx(100)
    assert machine.rows()[11].polls_per_s == 0


@pytest.mark.parametrize("idle", range(1, 12))
def test_a_process_may_wake_at_any_moment(machine: Machine, idle: int) -> None:
    for _ in range(idle):
        machine.tick((11, 0.0, 0), (12, 0.0, 0))
    machine.tick((11, 1.0, 0), (12, 0.0, 0))
    cpu_pct = machine.rows()[11].cpu_pct
    assert cpu_pct is not None
    assert 99 / 6 < cpu_pct < 101 / min(idle + 1, 4)  # over four to six seconds


def test_polls_after_a_rest_are_all_of_the_time_since(machine: Machine) -> None:
    for _ in range(60):
        machine.tick((11, 0.0, 0), (12, 0.0, 0))
    # In the windows of its first second it is seen to poll 20 times, so a thousand in all.
    machine.host.feed(frame_line(61.0, (11, 1.0, 1000 / 61)))
    row = machine.rows()[11]
    assert row.polls == pytest.approx(1000)
    assert row.polls_per_s == pytest.approx(200, rel=0.2)  # over five seconds, four of them at rest


def test_a_process_that_stops_working_goes_to_zero(machine: Machine) -> None:
    for second in range(1, 5):
        machine.tick((11, 1.0 * second, 0), (12, 0.0, 0))
    for _ in range(7):
        machine.tick((11, 4.0, 0), (12, 0.0, 0))
    assert machine.rows()[11].cpu_pct == 0


def test_an_idle_process_is_looked_at_once(machine: Machine) -> None:
    for _ in range(60):
        machine.tick((11, 0.0, 0), (12, 0.0, 0))
    assert machine.looked == [11, 12]


def test_a_busy_process_is_looked_at_again_now_and_then(machine: Machine) -> None:
    for second in range(1, 41):
        machine.tick((11, 1.0 * second, 0), (12, 0.0, 0))
    assert machine.looked.count(11) == 3
    assert machine.looked.count(12) == 1


def test_a_new_process_is_looked_at_again_after_its_logon(machine: Machine) -> None:
    machine.tick((11, 0.0, 0), (12, 0.0, 0))
    machine.host.feed(process_line(13))
    for _ in range(10):
        machine.tick((11, 0.0, 0), (12, 0.0, 0), (13, 0.0, 0))
    assert machine.looked.count(13) == 2


def test_a_process_that_ended_is_in_no_row(machine: Machine) -> None:
    machine.tick((11, 0.0, 0), (12, 0.0, 0))
    machine.host.feed(exit_line(12))
    machine.tick((11, 0.0, 0))
    assert list(machine.rows()) == [11]


def test_what_an_ended_process_lost_stays_lost(machine: Machine) -> None:
    for second in range(1, 11):
        machine.tick((11, 0.8 * second, 100_000), (12, 0.0, 0))
    before = machine.host.snapshot(PRICES).totals.lost_s
    assert before == pytest.approx(10 * 100_000 * 500e-9)
    machine.host.feed(exit_line(11))
    assert machine.host.snapshot(PRICES).totals.lost_s == pytest.approx(before)


def test_a_reused_pid_is_not_taken_for_the_process_before_it(machine: Machine) -> None:
    machine.tick((11, 5.0, 1000), (12, 0.0, 0))
    machine.host.feed(exit_line(12))
    machine.start_ticks[12] = 99  # /proc knows the new one already, the probe has yet to tell
    machine.host.feed(process_line(12, start_ticks=7))
    machine.tick((11, 5.0, 1000))
    assert list(machine.rows()) == [11]
    machine.host.feed(process_line(12, start_ticks=99))
    machine.tick((11, 5.0, 1000))
    assert machine.rows()[12].identity == (12, 99)


def test_a_process_that_is_no_server_is_not_shown() -> None:
    inspector = Inspector(lambda _: [], lambda: 0.0)
    host = Host(inspector)
    host.feed(process_line(11))
    inspector.look(10)
    host.feed(frame_line(1.0, (11, 1.0, 0)))
    assert host.snapshot(PRICES).rows == ()


def test_costs_and_losses(machine: Machine) -> None:
    machine.tick((11, 0.0, 0), (12, 0.0, 0))
    machine.tick((11, 0.0, 0), (12, 0.0, 0))
    shown = machine.host.snapshot(PRICES)
    assert shown.cost is not None
    assert shown.cost.probe_pct == pytest.approx(1.0)
    assert shown.cost.bpf_pct == pytest.approx(0.1)
    assert not any(shown.lost.values())


def test_a_line_that_is_no_frame_is_an_error(machine: Machine) -> None:
    with pytest.raises(FrameError):
        machine.host.feed(b'{"type":"frame","t_s":1.0,"processes":[{"pid":1}],"lost":{}}')
    with pytest.raises(FrameError):
        machine.host.feed(b"nonsense")

# SPDX-License-Identifier: GPL-2.0-or-later
"""From the probe's lines to a snapshot: rates, identities, what is left out for being idle."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import pytest

from polltrace.breaks.break_mode import BreakMode
from polltrace.engines import BREAK_POLL
from polltrace.errors import FrameError
from polltrace.intervals import Estimate
from polltrace.overhead.poll_cost import Knot
from polltrace.servers.client_socket import ClientSocket
from polltrace.servers.servers import Server
from polltrace.watch.host_monitor import HostMonitor
from polltrace.watch.inspection import Inspector
from polltrace.watch.snapshot import PollCosts, ServerRow, TimedCost
from tests.watch.samples import COST, COSTS, KNOT, exit_line, frame_line, process_line, server


class Machine:
    """A host whose clock and processes the test sets.

    With `changed` the probe leaves processes that did nothing out of its frames.
    """

    def __init__(self, *, changed: bool = False) -> None:
        self.changed, self.cpu_s = changed, dict[int, float]()
        self.now = 0.0
        self.inspected: list[int] = []
        self.start_ticks: dict[int, int] = {}
        self.inspector = Inspector(self.servers, lambda: self.now)
        self.host = HostMonitor(self.inspector, cpu_clock=lambda: 0.0)

    def servers(self, pids: Iterable[int]) -> list[Server]:
        self.inspected += pids
        return [server(pid, self.start_ticks.get(pid, 7)) for pid in self.inspected]

    def tick(self, *processes: tuple[int, float, float]) -> None:
        self.now += 1
        shown = [
            (pid, cpu_s, polls)
            for pid, cpu_s, polls in processes
            if not self.changed or polls or self.cpu_s.get(pid) != cpu_s
        ]
        self.cpu_s = {pid: cpu_s for pid, cpu_s, _ in processes}
        self.host.feed(frame_line(self.now, *shown))
        self.host.inspected(self.inspector.inspect(100))

    def rows(self, costs: PollCosts = COSTS) -> dict[int, ServerRow]:
        return {row.pid: row for row in self.host.snapshot(costs).rows}


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


def test_the_cost_per_poll_is_that_for_the_sessions_interval(machine: Machine) -> None:
    for second in range(1, 4):
        machine.tick((11, 0.8 * second, 100_000), (12, 0.0, 0))
    row = machine.rows()[11]
    assert row.knot == KNOT
    assert row.lost_pct is not None
    # Two of three checks do not poll; by the tests' model each takes 2.5 ns [0, 10].
    per_cpu_s = 100_000 / 0.8
    by_polls, checks = 100 * per_cpu_s * 500e-9, 100 * per_cpu_s * 3 * 2.5e-9
    assert row.lost_pct.value == pytest.approx(by_polls + checks)
    assert row.lost_pct.high - row.lost_pct.value == pytest.approx(
        math.hypot(0.1 * by_polls, 3 * checks)
    )
    elsewhere = PollCosts({Knot(BREAK_POLL, 4): COST})
    assert machine.rows(elsewhere)[11].poll_cost_s == row.poll_cost_s
    fresh = Machine()
    fresh.host.feed(process_line(11))
    for second in range(1, 4):
        fresh.tick((11, 0.8 * second, 100_000))
    assert fresh.rows(elsewhere)[11].lost_pct is None
    assert fresh.rows(COSTS)[11].lost_pct is not None


def test_timed_polls_replace_the_calibrated_cost_until_the_work_changes(machine: Machine) -> None:
    for second in range(1, 4):
        machine.tick((11, 0.8 * second, 100_000), (12, 0.0, 0))
    identity = machine.rows()[11].identity
    cost = Estimate(900e-9, 800e-9, 1000e-9)
    machine.host.set_timed_costs({identity: TimedCost(KNOT, cost)})
    row = machine.rows()[11]
    assert row.poll_cost_s == cost
    assert row.lost_pct is not None
    assert row.lost_pct.value == pytest.approx(100 * 100_000 * 907.5e-9 / 0.8)
    # Timed while it polled every 32 us: other work, of which nothing is known now.
    machine.host.set_timed_costs({identity: TimedCost(Knot(BREAK_POLL, 32), cost)})
    assert machine.rows()[11].poll_cost_s == COST


def test_the_rate_after_idling_leaves_out_the_idle_time(machine: Machine) -> None:
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
def test_an_idle_process_that_runs_again_has_figures_again(machine: Machine, idle: int) -> None:
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


def test_an_idle_process_is_inspected_once(machine: Machine) -> None:
    for _ in range(60):
        machine.tick((11, 0.0, 0), (12, 0.0, 0))
    assert machine.inspected == [11, 12]


def test_a_busy_process_is_inspected_again_now_and_then(machine: Machine) -> None:
    for second in range(1, 41):
        machine.tick((11, 1.0 * second, 0), (12, 0.0, 0))
    assert machine.inspected.count(11) == 3
    assert machine.inspected.count(12) == 1


def test_a_new_process_is_inspected_again_after_its_logon(machine: Machine) -> None:
    machine.tick((11, 0.0, 0), (12, 0.0, 0))
    machine.host.feed(process_line(13))
    for _ in range(10):
        machine.tick((11, 0.0, 0), (12, 0.0, 0), (13, 0.0, 0))
    assert machine.inspected.count(13) == 2


def test_a_process_that_ended_is_in_no_row(machine: Machine) -> None:
    machine.tick((11, 0.0, 0), (12, 0.0, 0))
    machine.host.feed(exit_line(12))
    machine.tick((11, 0.0, 0))
    assert list(machine.rows()) == [11]


def test_the_loss_of_an_ended_process_stays(machine: Machine) -> None:
    for second in range(1, 11):
        machine.tick((11, 0.8 * second, 100_000), (12, 0.0, 0))
    before = machine.host.snapshot(COSTS).totals.lost_s
    assert before == pytest.approx(10 * 100_000 * 507.5e-9)
    # Nor is it forgotten while it rests.
    for _ in range(10):
        machine.tick((11, 8.0, 0), (12, 0.0, 0))
    assert machine.host.snapshot(COSTS).totals.lost_s == pytest.approx(before)
    machine.host.feed(exit_line(11))
    assert machine.host.snapshot(COSTS).totals.lost_s == pytest.approx(before)


def test_a_reused_pid_is_not_taken_for_the_process_before_it(machine: Machine) -> None:
    machine.tick((11, 5.0, 1000), (12, 0.0, 0))
    machine.host.feed(exit_line(12))
    machine.start_ticks[12] = 99  # /proc knows the new one already, the probe has yet to report it
    machine.host.feed(process_line(12, start_ticks=7))
    machine.tick((11, 5.0, 1000))
    assert list(machine.rows()) == [11]
    machine.host.feed(process_line(12, start_ticks=99))
    machine.tick((11, 5.0, 1000))
    assert machine.rows()[12].identity == (12, 99)


def test_a_process_that_is_no_server_is_not_shown() -> None:
    inspector = Inspector(lambda _: [], lambda: 0.0)
    host = HostMonitor(inspector)
    host.feed(process_line(11))
    inspector.inspect(10)
    host.feed(frame_line(1.0, (11, 1.0, 0)))
    assert host.snapshot(COSTS).rows == ()


def test_costs_and_lost_events_of_the_probe_are_in_the_snapshot(machine: Machine) -> None:
    machine.tick((11, 0.0, 0), (12, 0.0, 0))
    machine.tick((11, 0.0, 0), (12, 0.0, 0))
    shown = machine.host.snapshot(COSTS)
    assert shown.cost is not None
    assert shown.cost.probe_pct == pytest.approx(1.0)
    assert shown.cost.bpf_pct == pytest.approx(0.1)
    assert not any(shown.lost.values())


def test_a_line_that_is_no_frame_is_an_error(machine: Machine) -> None:
    with pytest.raises(FrameError):
        machine.host.feed(b'{"type":"frame","t_s":1.0,"processes":[{"pid":1}],"lost":{}}')
    with pytest.raises(FrameError):
        machine.host.feed(b"nonsense")


def test_without_an_owner_the_client_is_the_socket_that_is_polled() -> None:
    # GIVEN a server with two connected sockets and no owner, which polls the younger
    younger = ClientSocket(15, "10.0.0.1:1521", "10.0.0.9:50000", 0)
    two = replace(server(11), candidates=(younger,))
    inspector = Inspector(lambda _: [two], lambda: 0.0)
    host = HostMonitor(inspector, cpu_clock=lambda: 0.0)
    host.feed(process_line(11))
    inspector.inspect(100)
    polled = {"fd": 15, "kind": "tcp", "local": younger.local, "peer": younger.peer, "polls": 20}
    host.feed(frame_line(1.0, (11, 0.5, 1000), sockets=[polled]))
    assert [row.client for row in host.snapshot(COSTS).rows] == [younger.peer]


def test_the_skip_of_a_file_that_was_not_read_is_not_known() -> None:
    unread = replace(server(11).settings, problem="it is a FIFO")
    inspector = Inspector(lambda _: [replace(server(11), settings=unread)], lambda: 0.0)
    host = HostMonitor(inspector, cpu_clock=lambda: 0.0)
    host.feed(process_line(11))
    inspector.inspect(100)
    assert [row.skip for row in host.snapshot(COSTS).rows] == [None]

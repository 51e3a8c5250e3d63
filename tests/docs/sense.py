# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether what a command printed makes sense to a reader who adds up: `doubts` of an output."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

_NUMBER = r"[-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?"
_INTERVAL = re.compile(rf"({_NUMBER})( %)? \[({_NUMBER}), ({_NUMBER})\]")
_NONSENSE = re.compile(r"\b(nan|inf|None|Traceback)\b|-0\.0+\b(?!\d)")
_ONE_OF_MANY = re.compile(
    r"(?<![\d.,=])1 (?:break |round )?(?:polls|trips|samples|sessions|stops|gaps|calls|checks"
    r"|stacks|segments|processes|servers|rounds|windows)\b"
)


def doubts(command: str, output: str) -> list[str]:
    """What a reader of the output would stumble over; empty where nothing is found."""
    found = [*_in_any(output)]
    for program, check in _CHECKS.items():
        if command.startswith(program):
            found += check(output)
    return found


def _in_any(output: str) -> Iterator[str]:
    for value, _, low, high in _INTERVAL.findall(output):
        if not number(low) <= number(value) <= number(high):
            yield f"{value} is not within [{low}, {high}]"
    yield from (f"nonsense: {match[0]}" for match in _NONSENSE.finditer(output))
    yield from (f"a plural: {match[0]}" for match in _ONE_OF_MANY.finditer(output))
    yield from (f"LOST: {line}" for line in output.splitlines() if re.search(r"\bLOST,", line))


def number(text: str) -> float:
    return float(text.replace(",", ""))


def _ps(output: str) -> Iterator[str]:
    rows = [line.split() for line in output.splitlines()[1:] if line.strip()[:1].isdigit()]
    if {row[4] for row in rows} < {"in-band", "out-of-band"}:
        yield "not both break modes"
    for row in rows:
        pid, mode, seen, cpu, polls = row[0], row[4], row[5], number(row[8]), number(row[9])
        # A tick of the scheduler more or less at both ends of a second.
        if not 0 <= cpu <= 102:
            yield f"{pid} used {cpu} % of a processor"
        if (mode == "in-band") != (polls > 1000) or (mode == "in-band") != seen.endswith("P"):
            yield f"{pid} is {mode}, {seen}, with {polls} polls a second"


def _stat(output: str) -> Iterator[str]:
    seconds, cpu = map(
        number, re.findall(r"^([\d.]+) s watched, ([\d.]+) s on CPU", output, re.M)[0]
    )
    polls, rate = map(number, re.findall(r"^break polls +([\d,]+) +([\d,]+)/s", output, re.M)[0])
    sockets = sum(map(number, re.findall(r"^  fd \d+ +([\d,]+)", output, re.M)))
    table = output.partition("syscall ")[2]
    calls = dict(re.findall(r"^(\w+) +([\d,]+)", table.partition("-----")[0], re.M))
    (total,) = re.findall(r"^sys totals +([\d,]+)", output, re.M)
    if cpu > 1.02 * seconds:
        yield f"{cpu} s on CPU in {seconds} s"
    if abs(polls / seconds - rate) > 0.001 * rate + 1:
        yield f"{polls} polls in {seconds} s are not {rate} a second"
    if sockets != polls:
        yield f"{sockets} polls of sockets, {polls} polls"
    # The programs that count the two are attached one after the other. Meanwhile a session that is
    # limited to a part of a processor (tests/busy.py) may have a whole slice of it, 3 ms of 2 s.
    if abs(number(calls["poll"]) - polls) > max(2, 0.05 * polls):
        yield f"{calls['poll']} calls of poll, {polls} break polls"
    if sum(map(number, calls.values())) != number(total):
        yield f"{sum(map(number, calls.values()))} calls, {total} in all"


def _stacks(output: str) -> Iterator[str]:
    shares = [number(each) for each in re.findall(r"^ *([\d.]+) %  ", output, re.M)]
    (seen, polls) = map(number, re.findall(r"^Sampled: ([\d,]+) of ([\d,]+)", output, re.M)[0])
    if not 95 < sum(shares) < 100.3:
        yield f"shares of {sum(shares)} % in all"
    if seen > polls:
        yield f"{seen} samples of {polls} polls"
    if shares != sorted(shares, reverse=True):
        yield "not the largest share first"


def _stop_at(output: str) -> Iterator[str]:
    names = re.findall(r"^ [0-9a-f]{16} (\w+)\+", output, re.M)
    if names[:1] != ["poll"] or "main" not in names or "nsmore2recv" not in names:
        yield f"a stack of {names}"


def _advise(output: str) -> Iterator[str]:
    text = " ".join(output.split())
    headline = re.search(r"break polling takes ([\d.]+) ± ([\d.]+) % of its CPU", text)
    if headline is None or number(headline[2]) >= number(headline[1]):
        yield "its first sentence does not say what polling takes, or might as well be nothing"
        return
    if "Counted:" not in text:  # the first lines alone
        return
    rows = _forecast(output)
    now = next((row for row in rows if row["now"]), None)
    if now is None:
        yield "the forecast does not say what is now"
        return
    if abs(now["pct"] - number(headline[1])) > 0.051:
        yield f"{headline[1]} % in the first sentence, {now['pct']} % in the table"
    if now["saved"] != 0:
        yield f"the skip of now saves {now['saved']} %"
    if len(_forecasts(output)) != len(rows):
        yield "a row that cannot be read"
    yield from _by_skip(rows)
    yield from _recommended(text, rows, now)
    changes = len(re.findall(r"^\d\. ", output, re.M))
    for label in ("change", "cancel", "check", "undo"):
        if len(re.findall(rf"^   {label} ", output, re.M)) != changes:
            yield f"what to change lacks {label}"


def _by_skip(rows: list[dict[str, float]]) -> Iterator[str]:
    for less, more in pairwise(rows):
        if more["polls"] >= less["polls"]:
            yield f"as many polls at {more['skip']:g} as at {less['skip']:g}"
        # The work is less, so there are a few more polls in a second of it.
        ratio = less["polls"] * less["skip"] / (more["polls"] * more["skip"])
        if not 0.8 < ratio < 1.02:
            yield f"polls at {more['skip']:g} do not follow from those at {less['skip']:g}"
        if more["pct"] > less["pct"]:
            yield f"{more['pct']} % at {more['skip']:g}, {less['pct']} % at {less['skip']:g}"
        if more["worst"] < less["worst"]:
            yield f"a quicker cancel at {more['skip']:g} than at {less['skip']:g}"


def _recommended(text: str, rows: list[dict[str, float]], now: dict[str, float]) -> Iterator[str]:
    saved = {row["skip"]: row["saved"] for row in rows}
    advised = re.search(r"BREAK_POLL_SKIP=(\d+) in the server's \S+ (saves|costs) ([\d.]+) %", text)
    stay = re.search(r"stay at BREAK_POLL_SKIP=(\d+)", text)
    if stay:
        if number(stay[1]) != now["skip"]:
            yield f"stay at {stay[1]}, where {now['skip']:g} is in force"
    elif advised is None:
        yield "no recommendation"
    elif abs(abs(saved[number(advised[1])]) - number(advised[3])) > 0.011:
        yield f"{advised[3]} % at {advised[1]}, {saved[number(advised[1])]} % in the table"
    elif text.count(f"BREAK_POLL_SKIP={advised[1]}") < 4:
        yield f"{advised[1]} is not what the rest of the text advises"


_ROW = re.compile(
    rf"^ +(?P<skip>\d+) +(?P<polls>[\d,]+) +(?P<pct>{_NUMBER}) \[{_NUMBER}, {_NUMBER}\]"
    rf" +(?P<saved>{_NUMBER})(?: \[{_NUMBER}, {_NUMBER}\])? +(?:-|{_NUMBER})"
    rf" +{_NUMBER} +{_NUMBER} +(?P<worst>{_NUMBER}) .*?"
    r"(?P<now> <- now)?$",
    re.M,
)


def _forecasts(output: str) -> list[str]:
    return re.findall(r"^ +\d+ +[\d,]+ +[\d.]+ \[.*", output, re.M)


def _forecast(output: str) -> list[dict[str, float]]:
    """The rows of the table; `now` is 1 in that of the skip in force."""
    return [
        {
            **{name: number(row[name]) for name in ("skip", "polls", "pct", "saved", "worst")},
            "now": float(bool(row["now"])),
        }
        for row in _ROW.finditer(output)
    ]


def _demo(output: str) -> Iterator[str]:
    if "The probe counted exactly what the lab did" not in output:
        yield "the probe's counts are not the lab's"
    rows = re.findall(r"in-band +([\d,]+) .*?\] +([\d,]+) +([\d,]+) +([\d,.]+) ", output)
    if len(rows) != 3:
        yield f"{len(rows)} rows of in-band sessions"
    executions = re.search(r"(\d+) counted", output)
    for skip, gets, polls, each in rows:
        # All three are rounded: two to whole numbers, one to hundredths.
        exact = number(gets) / number(each)
        if abs(exact - number(polls)) > 0.51 + (0.5 + 0.005 * exact) / number(each):
            yield f"{gets} gets and {polls} polls are not {each} gets a poll"
        # A session's counted part may begin and end between two polls.
        of_one_poll = number(each) / number(gets) / number(executions[1]) if executions else 0
        if abs(number(each) / number(skip) - 1) > max(0.02, of_one_poll):
            yield f"{each} gets a poll at skip {skip}"
    if "more time" in output and re.search(r"took -", output):
        yield "less than no more time"


def _top(output: str) -> Iterator[str]:
    heading = next(line for line in output.splitlines() if line.lstrip().startswith("PID "))
    names = heading.split()
    lost = re.search(r"Lost to break polling: ([\d.]+) CPUs .* of ([\d.]+) in use", output)
    rows = [line.split() for line in output.partition(heading)[2].splitlines() if line.strip()]
    at = names.index("CPUS")
    if lost is None:
        yield "no headline"
    elif abs(sum(number(row[at].rstrip("?")) for row in rows) - number(lost[1])) > 0.002 * len(
        rows
    ):
        yield f"{lost[1]} CPUs lost, and other figures in the rows"


def _ping(output: str) -> Iterator[str]:
    rows = re.findall(
        rf"^[a-z-]+ +\d+ +\d+ +\d+ +((?:{_NUMBER}(?: - {_NUMBER})? *){{7}})$", output, re.M
    )
    if not rows:
        yield "no layers"
    for row in rows:
        least, median, low, high, p90, p99, most, _ = map(number, row.replace(" - ", " ").split())
        if not least <= low <= median <= high <= most or not median <= p90 <= p99 <= most:
            yield f"not in order: {row}"


def _why_slow(output: str) -> Iterator[str]:
    shares = [
        number(each) for each in re.findall(r"^(?:network|client|server) +([\d.]+) %", output, re.M)
    ]
    if len(shares) != 3 or abs(sum(shares) - 100) > 0.2:
        yield f"shares of {shares}"


def _why(output: str) -> Iterator[str]:
    if "is in-band because" not in " ".join(output.split()) or "cure: " not in output:
        yield "neither a reason nor a cure"


def _dump(output: str) -> Iterator[str]:
    text = " ".join(output.split())
    shares = [number(each) for each in re.findall(r"^ *(?:stack)? +([\d.]+) % ", output, re.M)]
    if not shares or sum(shares) > 100.3:
        yield f"stacks of {shares} %"
    if not re.search(r"on CPU [\d.]+ % \(of that [\d.]+ % .* in the break check", text):
        yield "not how much of its time is polling"


def _report(output: str) -> Iterator[str]:
    text = " ".join(output.split())
    all_lost = re.search(
        r"Break polling takes ([\d.]+) CPUs(?: \[.*?\])? of the ([\d.]+) that are used \("
        r"([\d.]+) %",
        text,
    )
    worst = re.search(r"Most is lost by (\d+) .*?: ([\d.]+) % \[", text)
    if all_lost is None or worst is None:
        yield "no verdict"
        return
    lost, used, share = map(number, all_lost.groups())
    if abs(100 * lost / used - share) > 0.1:
        yield f"{lost} of {used} CPUs are not {share} %"
    rows = re.findall(
        rf"^ +(\d+) \S+ .*? ({_NUMBER}) +[\d,]+ +[\d,]+ +(?:-|({_NUMBER}) % \[.*)$", output, re.M
    )
    by_rows = sum(number(cpu) / 100 * number(pct or "0") / 100 for _, cpu, pct in rows)
    # A row's share is of its CPU time without what the probe added.
    if abs(by_rows - lost) > 0.06 * lost:
        yield f"{lost} CPUs lost, {by_rows:.3f} by the rows"
    if (worst[1], worst[2]) not in [(pid, pct) for pid, _, pct in rows]:
        yield f"{worst[1]} loses {worst[2]} %, but not in its row"
    if "Counted:" in text:
        yield from _advise(output)


def _capabilities(output: str) -> Iterator[str]:
    status = dict(re.findall(r"^(\w+):\s+(\w+)$", output, re.M))
    held = {name: int(value, 16) for name, value in status.items() if name.startswith("Cap")}
    if held.keys() != {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}:
        yield f"capabilities of {sorted(held)}"
    bpf = 1 << 39
    for name, mask in held.items():
        allowed = bpf if name in ("CapPrm", "CapEff") else 0
        if mask & ~allowed:
            yield f"{name} is {mask:x}"
    if (status.get("NoNewPrivs"), status.get("Seccomp")) != ("1", "2"):
        yield "no filter of system calls"


_CHECKS: dict[str, Callable[[str], Iterator[str]]] = {
    "polltrace ps": _ps,
    "polltrace stat -p $PID -d 2": _stat,
    "polltrace stat -p $PID -d 5": _capabilities,
    "polltrace stacks -p $PID -d": _stacks,
    "polltrace stop-at": _stop_at,
    "polltrace advise": _advise,
    "polltrace demo": _demo,
    "polltrace top -b": _top,
    "polltrace ping": _ping,
    "polltrace why --slow": _why_slow,
    "polltrace why -p": _why,
    "polltrace dump": _dump,
    "polltrace report demo": _report,
}

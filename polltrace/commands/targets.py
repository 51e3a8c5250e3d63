# SPDX-License-Identifier: GPL-2.0-or-later
"""Options that select processes, and the processes that they select."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence

from polltrace import procfs
from polltrace.commands.arguments import pid_list
from polltrace.engines.dialect import compiled, posix
from polltrace.errors import HostError, NoSuchProcessError, UsageError
from polltrace.printable import note
from polltrace.servers.cgroups import control_group, of_container
from polltrace.servers.chain_symbols import unmatched_chains
from polltrace.servers.servers import Server, check_seen, servers, unanswered
from polltrace.watch.titles import title_pattern

# A busy host or a slow file system may delay the one process that the user named.
_PATIENCE_WITH_ONE_S = 10.0


def add_target_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_argument_group("which processes (one of these)")
    which.add_argument(
        "-p",
        "--pid",
        type=pid_list,
        action="extend",
        metavar="PID[,PID…]",
        help="these processes; may be given more than once",
    )
    which.add_argument(
        "-n", "--name", type=_pattern, metavar="REGEX", help="processes whose title matches"
    )
    which.add_argument("--sid", metavar="INSTANCE", help="dedicated servers of this instance")
    which.add_argument("--all", action="store_true", help="every dedicated server of this host")
    which.add_argument(
        "--container",
        type=_not_empty,
        metavar="PREFIX",
        help="the processes of the container whose identifier begins so (Docker, Podman, "
        "containerd, CRI-O; of LXC its name)",
    )
    which.add_argument(
        "--unit", type=_not_empty, metavar="NAME", help="the processes of this systemd unit"
    )
    which.add_argument(
        "--cgroup",
        type=_not_empty,
        metavar="PATH",
        help="the processes in this control group and below it",
    )


def add_server_argument(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """The one server of a command that takes no more (one_server)."""
    parser.add_argument(
        *("-p", "--pid"),
        type=pid_list,
        action="extend",
        required=required,
        help="the dedicated server process",
    )


def target_pids(args: argparse.Namespace) -> list[int]:
    """The PIDs selected. Raises UsageError for no choice or two, NoSuchProcessError for no process,
    NotPermittedError where this user cannot see which processes are servers."""
    _check_one_choice(args)
    if args.pid:
        return list(dict.fromkeys(args.pid))
    if args.name is not None:
        titles = procfs.titles(procfs.pids())
        pids = [pid for pid, title in titles if args.name.search(title)]
        missing = f"process with a title like {args.name.pattern!r}"
    elif _is_by_group(args):
        pids, missing = _of_group(args)
    else:
        pids = [server.pid for server in servers() if args.all or server.instance == args.sid]
        missing = "dedicated server" if args.all else f"dedicated server of instance {args.sid}"
    # A pattern is on our own command line too, and on that of the shell or sudo that ran us.
    pids = sorted(set(pids) - procfs.ancestors())
    if not pids:
        if args.name is None and not _is_by_group(args):
            check_seen()
            _check_answered()
        raise NoSuchProcessError(f"no {missing} on this host ('polltrace ps' lists the servers)")
    if args.name is None and not _is_by_group(args):
        note_unanswered(pids)
    return pids


def _is_by_group(args: argparse.Namespace) -> bool:
    return any(choice is not None for choice in (args.container, args.unit, args.cgroup))


def _of_group(args: argparse.Namespace) -> tuple[list[int], str]:
    """The processes of the chosen control group, and the words for their absence.

    Raises UsageError where more than one container is meant.
    """
    if args.container is not None:
        containers = of_container(procfs.pids(), args.container)
        if len(containers) > 1:
            raise UsageError(
                f"{len(containers)} containers begin with {args.container!r}: "
                f"{', '.join(sorted(name[:16] for name in containers)[:5])}; give more of it"
            )
        return [pid for pids in containers.values() for pid in pids], (
            f"process in a container whose identifier begins with {args.container!r}"
        )
    groups = [(pid, control_group(pid)) for pid in procfs.pids()]
    if args.unit is not None:
        return [pid for pid, group in groups if group.is_of_unit(args.unit)], (
            f"process of the systemd unit {args.unit!r}"
        )
    return [pid for pid, group in groups if group.is_in(args.cgroup)], (
        f"process in the control group {args.cgroup!r}"
    )


def probe_targets(args: argparse.Namespace) -> list[str]:
    """The selection as options of polltrace-probe, which also follows processes to come where they
    are chosen by title.

    Raises UsageError for no choice or two.
    """
    _check_one_choice(args)
    if args.pid:
        return ["-p", ",".join(map(str, dict.fromkeys(args.pid)))]
    if args.name is not None:
        return ["-n", posix(args.name.pattern)]
    if _is_by_group(args):
        return ["-p", ",".join(map(str, target_pids(args)))]
    return ["-n", title_pattern(args.sid)]


def target_options(args: argparse.Namespace) -> list[str]:
    """The selection as options of another polltrace. Raises UsageError for no choice or two."""
    _check_one_choice(args)
    if args.pid:
        return ["-p", ",".join(map(str, args.pid))]
    if args.name is not None:
        return [f"--name={args.name.pattern}"]
    for name in ("container", "unit", "cgroup"):
        if (choice := getattr(args, name)) is not None:
            return [f"--{name}={choice}"]
    return ["--all"] if args.all else [f"--sid={args.sid}"]


def one_server(pids: Sequence[int], command: str) -> Server:
    """The one dedicated server meant.

    Raises UsageError for more than one PID, NoSuchProcessError for a process that is gone or no
    dedicated server, NotPermittedError where this user cannot see which it is.
    """
    if len(pids) != 1:
        raise UsageError(f"{command} takes one process: -p PID")
    matches = servers(pids, _PATIENCE_WITH_ONE_S)
    if matches:
        return matches[0]
    if procfs.start_ticks(pids[0]) is None:
        raise NoSuchProcessError(f"no process {pids[0]} ('polltrace ps' lists the servers)")
    check_seen(pids)
    _check_answered(pids)
    raise NoSuchProcessError(
        f"process {pids[0]} is no dedicated server of a known engine ('polltrace ps' lists them; "
        "'polltrace stat', 'stacks' and 'record' take any process)"
    )


def _check_answered(pids: Sequence[int] | None = None) -> None:
    """Raises HostError where a process that may be a server does not answer."""
    if silent := unanswered(pids):
        raise HostError(
            f"process {silent[0]} does not answer, so whether it is a dedicated server cannot be "
            "told: its arguments are in memory that its user, or a file system, keeps from readers"
        )


def note_unanswered(listed: Iterable[int]) -> None:
    """Report the processes that may be servers, do not answer, and are therefore not `listed`."""
    for pid in unanswered(set(procfs.pids()) - set(listed)):
        note(f"process {pid} does not answer: whether it is a dedicated server cannot be told")


def note_attached(duration_s: float | None, pids: Iterable[int] | None = None) -> None:
    """Report that counting has begun, how it ends, and which of `pids` have unknown checks."""
    until = "Ctrl-C" if duration_s is None else f"{duration_s:g} s are over, or Ctrl-C"
    note(f"attached; counting until {until}")
    # Counting goes on while symbols are read.
    note_unmatched_chains(pids or ())


def note_unmatched_chains(pids: Iterable[int]) -> None:
    """Report the servers among these whose break checks cannot be told from their stacks."""
    for sentence in unmatched_chains(pids):
        note(sentence)


def _check_one_choice(args: argparse.Namespace) -> None:
    values = (args.name, args.sid, args.container, args.unit, args.cgroup)
    chosen = [bool(args.pid), args.all, *(value is not None for value in values)]
    if sum(chosen) != 1:
        raise UsageError(
            "choose processes with one of -p PID, -n REGEX, --sid INSTANCE, --all, --container "
            "PREFIX, --unit NAME, --cgroup PATH"
        )


def _not_empty(text: str) -> str:
    """A name; an empty one, as of an unset variable, would choose every process or none."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty")
    return text


def _pattern(text: str) -> re.Pattern[str]:
    """A pattern that Python and polltrace-probe interpret alike."""
    try:
        return compiled(text, searched=True)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a regular expression of docs/reference/engines.md, Titles: {error}"
        ) from None

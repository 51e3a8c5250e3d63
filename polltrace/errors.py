# SPDX-License-Identifier: GPL-2.0-or-later
"""Everything that can go wrong, each with one line for the user and an exit code.

Exit codes: 0 done; 1 done, and the answer is no (a count did not match, a regression);
2 usage; 3 not permitted; 4 this host lacks something; 5 no such process; 6 the lab could not
start; 7 a driver is missing or failed; 130 interrupted; 141 nobody read what was printed.
"""


class PolltraceError(Exception):
    """One line that says what was wrong and what to do about it."""

    exit_code = 1


class UsageError(PolltraceError):
    exit_code = 2


class NotPermittedError(PolltraceError):
    exit_code = 3


class HostError(PolltraceError):
    exit_code = 4


class NoSuchProcessError(PolltraceError):
    exit_code = 5


class LabError(PolltraceError):
    exit_code = 6


class DriverError(PolltraceError):
    exit_code = 7


class FrameError(PolltraceError):
    """A record that is not of the frame format this release reads."""

    exit_code = 4

# SPDX-License-Identifier: GPL-2.0-or-later
"""Everything that can go wrong, each with one line for the user and an exit code.

docs/commands.md says what each exit code means.
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

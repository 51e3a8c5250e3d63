# SPDX-License-Identifier: GPL-2.0-or-later
"""Everything that can go wrong, each with one line for the user and an exit code.

docs/reference/commands.md documents the exit codes; each has one meaning for every command.
"""


class PolltraceError(Exception):
    """An error whose one line of text names the fault and the way out."""

    exit_code = 1


class UsageError(PolltraceError):
    """The command line is wrong."""

    exit_code = 2


class NotPermittedError(PolltraceError):
    """This user may not, or another tracer holds the process."""

    exit_code = 3


class HostError(PolltraceError):
    """This host lacks something: a kernel feature, a program, a free port."""

    exit_code = 4


class FrameError(HostError):
    """The probe's record is not of the frame format that this release reads."""


class NoSuchProcessError(PolltraceError):
    """No such process, or it is not of the kind that the command takes."""

    exit_code = 5


class LabError(PolltraceError):
    """The lab could not start."""

    exit_code = 6


class DriverError(PolltraceError):
    """A database driver is missing, or it failed."""

    exit_code = 7


class FileError(PolltraceError):
    """A file, or standard output, cannot be read or written, or holds something else."""

    exit_code = 8


class FileFormatError(FileError):
    """A file that is not in the format, or the version of it, that this release reads."""

# SPDX-License-Identifier: GPL-2.0-or-later
"""The errors of this package, one class per thing a caller may want to distinguish."""


class StacksError(Exception):
    """Base of every error raised here on purpose; its text is one line fit for a user."""


class ElfError(StacksError):
    """The bytes are not an ELF object this reader accepts (malformed, truncated, too large)."""


class RefusedError(ElfError):
    """The file is there and may not be opened, or is no regular file."""


class ProcessError(StacksError):
    """The process does not exist (any more), or may not be read."""


class FormatError(StacksError):
    """A file of ours (folded text, layer table) does not follow its format."""


class UnansweredError(StacksError):
    """A read of a process or of its files did not return in time, or took too much memory."""

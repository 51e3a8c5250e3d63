# SPDX-License-Identifier: GPL-2.0-or-later
"""The report of a run's file, in every form; `polltrace report FILE` finds it by the file's format."""

# SPDX-License-Identifier: GPL-2.0-or-later
"""What works on this host, what each thing enables, and the command that mends what does not."""

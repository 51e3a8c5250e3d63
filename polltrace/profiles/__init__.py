# SPDX-License-Identifier: GPL-2.0-or-later
"""What a look at processes gives: frames, folded into profiles, and their stacks by name."""

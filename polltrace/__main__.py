# SPDX-License-Identifier: GPL-2.0-or-later
"""`python -m polltrace`: for an interpreter that has no `polltrace` next to it."""

import sys

from polltrace.cli import main

sys.exit(main())

# SPDX-License-Identifier: GPL-2.0-or-later
"""`python -m polltrace`: how polltrace runs itself, and without a `polltrace` on the PATH."""

import sys

from polltrace.privileges import put_in_reserve

put_in_reserve()  # before anything is loaded that starts a thread

from polltrace.cli import main  # noqa: E402

sys.exit(main())

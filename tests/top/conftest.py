# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import sys
from pathlib import Path

# So that these tests find tests.top.top_samples, by the name that mypy knows it by as well.
sys.path.insert(0, str(Path(__file__).parents[2]))

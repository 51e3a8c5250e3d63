# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages of docs/ of which a command makes a part, between two marks:

<!-- made by COMMAND -->
…
<!-- end -->

As a program: tests.marked_page PAGE COMMAND FILE puts the file there, as it was printed.
"""

from __future__ import annotations

import sys
from pathlib import Path


def replace_part(page: Path, command: str, text: str) -> None:
    """Raises ValueError where the page has no such part."""
    begin, end = f"<!-- made by {command} -->\n", "<!-- end -->"
    before, found, rest = page.read_text().partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"{page} has no part made by {command}")
    page.write_text(f"{before}{begin}\n{text.strip()}\n\n{end}{after}")


if __name__ == "__main__":
    page, command, file = sys.argv[1:]
    replace_part(Path(page), command, f"```\n{Path(file).read_text().rstrip()}\n```")

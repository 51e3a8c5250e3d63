# SPDX-License-Identifier: GPL-2.0-or-later
"""rich's consoles on our streams: they style text, so they make it printable before that."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from polltrace.printable import printable, styled


class PrintableConsole(Console):
    """A console whose text commands no terminal, whatever it is the name of."""

    def __init__(self, stream: TextIO, **settings: Any) -> None:
        super().__init__(file=styled(stream), markup=False, highlight=False, **settings)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))

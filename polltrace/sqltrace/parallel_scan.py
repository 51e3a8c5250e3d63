# SPDX-License-Identifier: GPL-2.0-or-later
"""Scans any number of trace files on all processors.

Each thread scans a file of its own; a large file is scanned by all of them, a block each.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from polltrace.sqltrace.blocks import BLOCK, BlockReader, FilledBlock
from polltrace.sqltrace.file_scan import Block, FileScan, ScannedBatch, ScanOptions
from polltrace.sqltrace.file_summary import FileSummary
from polltrace.sqltrace.segments import open_trace
from polltrace.sqltrace.window import Window

_WAIT_S = 0.1


T = TypeVar("T")


class ParallelScan(Generic[T]):
    """The scan of `files`, in batches of the form that `form` gives those of a file of that name;
    `summaries` is complete when these are through; `failure` is the error that ended it early."""

    def __init__(
        self,
        files: Iterable[str],
        options: ScanOptions,
        form: Callable[[ScannedBatch, str], T],
        threads: int | None = None,
    ) -> None:
        self.summaries: list[FileSummary] = []
        self.failure: BaseException | None = None
        self._options = options
        self._form = form
        self._files = iter(files)
        self._threads = threads or len(os.sched_getaffinity(0))
        self._lock = threading.Lock()
        self._shared: _OpenFile | None = None
        self._found: queue.Queue[T | BaseException | None] = queue.Queue(2 * self._threads)
        self._stop = threading.Event()

    def batches(self) -> Iterator[T]:
        """Every batch, those of a file in its order. Raises the errors of reading a file."""
        threads = [threading.Thread(target=self._work) for _ in range(self._threads)]
        for thread in threads:
            thread.start()
        try:
            running = len(threads)
            while running:
                item = self._found.get()
                if isinstance(item, BaseException):
                    self.failure = item
                    raise item
                if item is None:
                    running -= 1
                else:
                    yield item
        finally:
            self._stop.set()
            for thread in threads:
                thread.join()

    def _work(self) -> None:
        try:
            block, window = Block(), Window()
            while not self._stop.is_set() and (file := self._next_file()):
                while not self._stop.is_set() and self._scan_block(file, block, window):
                    pass
                if file.is_last_out():
                    if (last_batch := file.close()) is not None:
                        self._put(self._form(last_batch, file.path))
                    with self._lock:
                        self.summaries.append(file.summary())
            self._put(None)
        except BaseException as error:
            self._stop.set()
            self._put(error)

    def _put(self, item: T | BaseException | None) -> None:
        while True:
            try:
                return self._found.put(item, timeout=_WAIT_S)
            except queue.Full:
                if self._stop.is_set() and not isinstance(item, BaseException):
                    return None

    def _next_file(self) -> _OpenFile | None:
        """The file that all are at, or the next one."""
        with self._lock:
            if self._shared and self._shared.join():
                return self._shared
            self._shared = None
            path = next(self._files, None)
            if path is None:
                return None
            file = _OpenFile(path, self._options)
            if file.is_large:
                self._shared = file
            return file

    def _scan_block(self, file: _OpenFile, block: Block, window: Window) -> bool:
        """Scan the next block of the file; whether there was one."""
        filled, turn = file.next(window)
        if filled is None:
            return False
        filled = file.read(filled, block)
        batch = file.in_turn(turn, filled, block, self._stop)
        if batch is not None:
            self._put(self._form(batch, file.path))
        return True


class _OpenFile:
    """A file while threads scan it."""

    def __init__(self, path: str, options: ScanOptions) -> None:
        self.path = path
        self._input = open_trace(path)
        self._reader = BlockReader(self._input)
        self.scan = FileScan(path, options)
        self.is_large = (self._input.size or 0) > 4 * BLOCK
        self._turn = threading.Condition()
        self._given = self._done = 0
        self._threads = 1
        self._at_end = False
        self._change = ""
        self._reading = threading.Lock()

    def join(self) -> bool:
        """Count one more scanning thread; False at the end of the file."""
        with self._turn:
            if self._at_end:
                return False
            self._threads += 1
            return True

    def is_last_out(self) -> bool:
        """True if the calling thread was the last to scan the file."""
        with self._turn:
            self._threads -= 1
            return self._threads == 0

    def next(self, window: Window) -> tuple[FilledBlock | None, int]:
        """The next block and its number; None at the end."""
        with self._reading:
            filled = None if self._at_end else self._reader.next(self._last_tim, window)
            turn = self._given
            self._given += 1
            if filled is None:
                with self._turn:
                    self._at_end = True
        return filled, turn

    def read(self, filled: FilledBlock, block: Block) -> FilledBlock:
        """Find the records of a block; return the part of it that could be read."""
        records = self.scan.read(block, filled.address, filled.length) if filled.length else 0
        if isinstance(filled.data, Window):
            if filled.data.is_torn():
                with self._turn:
                    filled = self._reader.read_torn(filled)
                return self.read(filled, block)
            self._reader.adapt(records)
        return filled

    def _last_tim(self) -> int:
        """Timestamp of the last call, once every earlier block has been merged."""
        with self._turn:
            self._turn.wait_for(lambda: self._done == self._given)
        return self.scan.last_tim()

    def in_turn(
        self, turn: int, filled: FilledBlock, block: Block, stop: threading.Event
    ) -> ScannedBatch | None:
        """The batch of the block, when those before it are through."""
        with self._turn:
            while self._done != turn:
                if stop.is_set():
                    return None
                self._turn.wait(_WAIT_S)
        if filled.passed:
            self.scan.pass_line(filled.passed)
        batch = self.scan.batch(block) if filled.length else None
        self._reader.give_back(filled)
        with self._turn:
            self._done += 1
            self._turn.notify_all()
        return batch

    def close(self) -> ScannedBatch | None:
        """After the last block; the rows that are left."""
        self._change = self._input.change()
        if self._reader.cut:
            self.scan.cut_line(self._reader.cut)
        self._input.close()
        return self.scan.batch(None)

    def summary(self) -> FileSummary:
        """Totals of the closed file."""
        return self.scan.end()._replace(
            change=self._change,
            segments=self._input.segments,
            segments_missing=self._input.missing,
        )

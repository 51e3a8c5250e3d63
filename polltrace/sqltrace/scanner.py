# SPDX-License-Identifier: GPL-2.0-or-later
"""Scans any number of trace files on all processors, into Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as arrow

from polltrace.sqltrace.arrow_batch import ArrowForm
from polltrace.sqltrace.file_scan import ScanOptions
from polltrace.sqltrace.parallel_scan import ParallelScan


class TraceScan(ParallelScan[arrow.RecordBatch]):
    """The scan of `files`; its batches are Arrow's, with the columns that `schema` has."""

    def __init__(
        self, files: Iterable[str], options: ScanOptions, threads: int | None = None
    ) -> None:
        form = ArrowForm(options)
        super().__init__(files, options, form, threads)
        self.schema = form.schema

    def reader(self) -> arrow.RecordBatchReader:
        """The batches as a stream of Arrow."""
        return arrow.RecordBatchReader.from_batches(self.schema, self.batches())

rem SPDX-License-Identifier: GPL-2.0-or-later
rem lotslios_autotrace ROWS: lotslios, timed, with the statistics of SET AUTOTRACE.

set verify off
set timing on
@@lotslios &1
set autotrace traceonly statistics
@@lotslios &1
set autotrace off
set timing off

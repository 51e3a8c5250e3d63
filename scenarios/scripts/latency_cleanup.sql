rem SPDX-License-Identifier: GPL-2.0-or-later
rem latency_cleanup: drops what latency_setup has created.

drop function db_time_us;
drop function round_trips;
drop table latency_rows purge;

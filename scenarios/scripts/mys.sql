rem SPDX-License-Identifier: GPL-2.0-or-later
rem mys PATTERN: one's own statistics whose names contain PATTERN.

set verify off
column mys_name  heading NAME format a50 truncate
column mys_value heading VALUE format 9999999999999999
set linesize 100 pagesize 1000

select n.name mys_name,
       m.value mys_value
from   v$mystat m, v$statname n
where  m.statistic# = n.statistic#
and    m.value != 0
and    lower(n.name) like lower('%&1%')
order  by n.name;

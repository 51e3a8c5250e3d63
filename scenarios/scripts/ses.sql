rem SPDX-License-Identifier: GPL-2.0-or-later
rem ses SID[,SID...] PATTERN: the statistics of sessions whose names contain PATTERN.

set verify off
column ses_name heading NAME format a50 truncate
column ses_sid  heading SID format 99999
column ses_value heading VALUE format 9999999999999999
set linesize 100 pagesize 1000

select s.sid ses_sid,
       n.name ses_name,
       s.value ses_value
from   v$sesstat s, v$statname n
where  s.statistic# = n.statistic#
and    s.sid in (&1)
and    s.value != 0
and    lower(n.name) like lower('%&2%')
order  by s.sid, n.name;

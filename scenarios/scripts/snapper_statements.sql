rem SPDX-License-Identifier: GPL-2.0-or-later
rem snapper_statements SID: the statements that a session snapper sends: which sessions there are,
rem what they have counted, waited and used so far, and a sample of what they do.

set verify off
set linesize 160 pagesize 1000
column username format a12 truncate
column program format a24 truncate
column machine format a16 truncate
column name format a45 truncate
column event format a40 truncate
column class format a14 truncate
column activity format a40 truncate

prompt Sessions
select s.inst_id, s.sid, s.serial#, s.username, s.machine, s.program, s.module, s.action,
       p.spid, nvl(s.sql_id, '-') sql_id
from   gv$session s, gv$process p
where  s.paddr = p.addr
and    s.inst_id = p.inst_id
and    s.sid in (&1)
order  by s.sid;

prompt Counters
select *
from   (select 'STAT' stype, s.sid, s.statistic# id, n.name, s.value
        from   gv$sesstat s, v$statname n
        where  s.statistic# = n.statistic# and s.sid in (&1)
        union all
        select 'TIME', t.sid, -1, t.stat_name, t.value
        from   gv$sess_time_model t
        where  t.sid in (&1)
        union all
        select 'WAIT', w.sid, n.event_id, w.event,
               w.time_waited_micro + decode(s.event || s.state, w.event || 'WAITING',
                                            s.wait_time_micro, 0)
        from   gv$session_event w, v$event_name n, gv$session s
        where  w.event = n.name and w.sid = s.sid and w.sid in (&1))
where  value > 0
order  by stype, sid, name;

prompt Latches
select 'LATC' stype, -1 sid, latch# id, name, gets + immediate_gets value
from   gv$latch
where  gets + immediate_gets > 0
order  by name;

prompt A sample of active sessions
select s.sid,
       case when s.state != 'WAITING' then 'ON CPU' else 'WAITING' end state,
       case when s.state != 'WAITING' then 'ON CPU' else s.event end activity,
       case when s.state != 'WAITING' then 'ON CPU' else s.wait_class end class,
       s.sql_id, s.sql_child_number, s.p1, s.p2, s.p3, s.blocking_session
from   gv$session s
where  s.status = 'ACTIVE'
and   (s.wait_class != 'Idle' or s.state != 'WAITING')
order  by s.sid;

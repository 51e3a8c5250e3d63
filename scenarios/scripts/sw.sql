rem SPDX-License-Identifier: GPL-2.0-or-later
rem sw SID[,SID...]: what sessions wait for now.

set verify off
column sw_event heading EVENT format a40 truncate
column sw_sid   heading SID format 99999
column sw_seq   heading SEQ# format 999999
column sw_time  heading SEC_IN_WAIT format 999999999
column sw_state heading STATE format a7
column sw_p1    heading P1 format a24 truncate
column sw_p2    heading P2 format a24 truncate
column sw_p3    heading P3 format a24 truncate
set linesize 180

select w.sid sw_sid,
       case when w.state != 'WAITING' then 'WORKING' else 'WAITING' end sw_state,
       case when w.state != 'WAITING' then 'On CPU / runqueue' else w.event end sw_event,
       w.seq# sw_seq,
       w.seconds_in_wait sw_time,
       nvl2(w.p1text, w.p1text || '= ' || to_char(w.p1), null) sw_p1,
       nvl2(w.p2text, w.p2text || '= ' || to_char(w.p2), null) sw_p2,
       nvl2(w.p3text, w.p3text || '= ' || to_char(w.p3), null) sw_p3
from   v$session_wait w
where  w.sid in (&1)
order  by sw_state, sw_event, sw_sid;

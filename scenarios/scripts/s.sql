rem SPDX-License-Identifier: GPL-2.0-or-later
rem s SID[,SID...]: what sessions do now: SQL, state, event and its parameters.

set verify off
column s_event   heading EVENT format a40 truncate
column s_sid     heading SID format 99999
column s_seq     heading SEQ# format 999999
column s_time    heading SEC_IN_STATE format 999999999999
column s_state   heading STATE format a7
column s_p1      heading P1 format 99999999999999
column s_p2      heading P2 format 99999999999999
column s_p3      heading P3 format 99999999999999
column s_p1text  heading P1TEXT format a16 truncate
column s_blocker heading BLOCKER format a8
column s_sql_id  heading SQL_ID format a13
set linesize 200

select s.sid s_sid,
       s.sql_id s_sql_id,
       case when s.state != 'WAITING' then 'WORKING' else 'WAITING' end s_state,
       case when s.state != 'WAITING' then 'On CPU / runqueue' else s.event end s_event,
       s.seq# s_seq,
       s.seconds_in_wait s_time,
       nvl2(s.blocking_session, to_char(s.blocking_session), '') s_blocker,
       s.p1 s_p1,
       s.p2 s_p2,
       s.p3 s_p3,
       s.p1text s_p1text
from   v$session s
where  s.sid in (&1)
order  by s_state, s_event, s_sid;

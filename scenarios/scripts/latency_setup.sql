rem SPDX-License-Identifier: GPL-2.0-or-later
rem latency_setup: the table and the functions of latency_test. latency_cleanup drops them.

set echo on
create table latency_rows (id number, filler varchar2(200));

execute dbms_random.seed(0);
insert into latency_rows
select rownum, dbms_random.string('L', dbms_random.value(100, 100))
from   all_objects
where  rownum <= 5000;
commit;
execute dbms_stats.gather_table_stats(user, 'LATENCY_ROWS');

create or replace function round_trips return number as
    found number;
begin
    select m.value into found
    from   v$mystat m, v$statname n
    where  m.statistic# = n.statistic#
    and    n.display_name = 'SQL*Net roundtrips to/from client';
    return found;
end;
/

create or replace function db_time_us return number as
    found number;
begin
    select value into found
    from   v$sess_time_model
    where  sid = sys_context('USERENV', 'SID')
    and    stat_name = 'DB time';
    return found;
end;
/

set echo off

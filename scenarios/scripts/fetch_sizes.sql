rem SPDX-License-Identifier: GPL-2.0-or-later
rem fetch_sizes ROWS: the waits and statistics of the same query with two fetch sizes, then those of
rem PL/SQL that takes its rows one by one and in arrays. It needs snap_my_stats and snap_events.

set verify off
set serveroutput on
set linesize 120
set trimspool on

prompt ======================
prompt &1 rows, arraysize 20
prompt ======================

set feedback only
set arraysize 20
execute snap_my_stats.start_snap
execute snap_events.start_snap
select * from all_objects where rownum <= &1;
set feedback off
execute snap_events.end_snap
execute snap_my_stats.end_snap

prompt ======================
prompt &1 rows, arraysize 2000
prompt ======================

set feedback only
set arraysize 2000
execute snap_my_stats.start_snap
execute snap_events.start_snap
select * from all_objects where rownum <= &1;
set feedback off
execute snap_events.end_snap
execute snap_my_stats.end_snap

prompt ======================
prompt A cursor FOR loop
prompt ======================

execute snap_events.start_snap
declare
    total number := 0;
    taken number := 0;
begin
    for each in (select * from all_objects where rownum <= &1) loop
        total := total + each.object_id;
        taken := taken + 1;
    end loop;
    dbms_output.put_line(taken || ' rows');
end;
/
execute snap_events.end_snap

prompt ======================
prompt BULK COLLECT
prompt ======================

execute snap_events.start_snap
declare
    cursor objects is select * from all_objects where rownum <= &1;
    type object_rows is table of objects%rowtype index by binary_integer;
    taken   object_rows;
    fetches number := 0;
begin
    open objects;
    loop
        fetch objects bulk collect into taken limit 1000;
        fetches := fetches + 1;
        exit when objects%notfound;
    end loop;
    close objects;
    dbms_output.put_line(fetches || ' fetches');
end;
/
execute snap_events.end_snap

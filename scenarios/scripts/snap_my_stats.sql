rem SPDX-License-Identifier: GPL-2.0-or-later
rem snap_my_stats: a package that reports how the session's statistics have changed:
rem     execute snap_my_stats.start_snap
rem     execute snap_my_stats.end_snap

create or replace package snap_my_stats as
    procedure start_snap;
    procedure end_snap(least_change number default 0);
end;
/

create or replace package body snap_my_stats as

    cursor statistics is
        select s.statistic#, n.name, s.value
        from   v$mystat s, v$statname n
        where  n.statistic# = s.statistic#;

    type figures is table of statistics%rowtype index by binary_integer;

    before figures;
    began  date;

    procedure start_snap is
    begin
        began := sysdate;
        before.delete;
        for each in statistics loop
            before(each.statistic#) := each;
        end loop;
    end start_snap;

    procedure end_snap(least_change number default 0) is
        change number;
    begin
        dbms_output.put_line('Session statistics from ' || to_char(began, 'HH24:MI:SS')
            || ' to ' || to_char(sysdate, 'HH24:MI:SS'));
        dbms_output.put_line(rpad('Name', 44) || lpad('Value', 18));
        dbms_output.put_line(rpad('----', 44) || lpad('-----', 18));
        for each in statistics loop
            change := each.value;
            if before.exists(each.statistic#) then
                change := change - before(each.statistic#).value;
            end if;
            if change <> 0 and abs(change) >= least_change then
                dbms_output.put_line(
                    rpad(each.name, 44) || to_char(change, '9,999,999,999,999'));
            end if;
        end loop;
    end end_snap;

begin
    start_snap;
end;
/

rem SPDX-License-Identifier: GPL-2.0-or-later
rem snap_events: a package that reports what the session has waited for:
rem     execute snap_events.start_snap
rem     execute snap_events.end_snap

create or replace package snap_events as
    procedure start_snap;
    procedure end_snap;
end;
/

create or replace package body snap_events as

    cursor waits is
        select n.event#, e.event, e.total_waits, e.total_timeouts, e.time_waited_micro, e.max_wait
        from   v$session_event e, v$event_name n
        where  n.name = e.event
        and    e.sid = sys_context('userenv', 'sid')
        order  by n.event#;

    type figures is table of waits%rowtype index by binary_integer;

    before figures;

    procedure start_snap is
    begin
        before.delete;
        for each in waits loop
            before(each.event#) := each;
        end loop;
    end start_snap;

    procedure end_snap is
        waited   number;
        timeouts number;
        us       number;
    begin
        dbms_output.put_line(rpad('Event', 43) || lpad('Waits', 12) || lpad('Time_outs', 12)
            || lpad('Csec', 15) || lpad('Avg Csec', 12) || lpad('Max Csec', 12));
        dbms_output.put_line(rpad('-----', 43) || lpad('-----', 12) || lpad('---------', 12)
            || lpad('----', 15) || lpad('--------', 12) || lpad('--------', 12));
        for each in waits loop
            waited := each.total_waits;
            timeouts := each.total_timeouts;
            us := each.time_waited_micro;
            if before.exists(each.event#) then
                waited := waited - before(each.event#).total_waits;
                timeouts := timeouts - before(each.event#).total_timeouts;
                us := us - before(each.event#).time_waited_micro;
            end if;
            if waited > 0 then
                dbms_output.put_line(rpad(each.event, 43)
                    || to_char(waited, '999,999,999')
                    || to_char(timeouts, '999,999,999')
                    || to_char(us / 10000, '999,999,990.99')
                    || to_char(us / 10000 / waited, '999,990.999')
                    || to_char(each.max_wait, '999,999,999'));
            end if;
        end loop;
    end end_snap;

begin
    start_snap;
end;
/

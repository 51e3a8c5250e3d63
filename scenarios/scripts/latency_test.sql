rem SPDX-License-Identifier: GPL-2.0-or-later
rem latency_test ARRAYSIZE: what a round trip of a fetch takes without the database's part. It needs
rem latency_setup. The fewer rows a fetch has, the more round trips there are.

set verify off
variable trips_before number
variable trips_after  number
variable began        number
variable ended        number
variable db_before    number
variable db_after     number

set feedback only arraysize &1
begin
    :trips_before := round_trips;
    :db_before := db_time_us;
    :began := dbms_utility.get_time;
end;
/

select filler from latency_rows;

begin
    :trips_after := round_trips;
    :db_after := db_time_us;
    :ended := dbms_utility.get_time;
end;
/

set serveroutput on feedback off
execute dbms_output.put_line(to_char(:trips_after - :trips_before) || ' network round trips');
execute dbms_output.put_line(to_char((:ended - :began) * 10) || ' ms elapsed time');
execute dbms_output.put_line(to_char((:db_after - :db_before) / 1000) || ' ms DB time');
execute dbms_output.put_line( -
    to_char(round(((:ended - :began) * 10 - (:db_after - :db_before) / 1000) -
            / (:trips_after - :trips_before), 3)) || ' ms a round trip');

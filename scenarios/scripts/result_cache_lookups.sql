rem SPDX-License-Identifier: GPL-2.0-or-later
rem result_cache_lookups ROWS TIMES: single rows of a hash cluster of ROWS by their key, TIMES times,
rem from the cluster and from the result cache. Hundredths of a second, and the gets of the latch.

set verify off
column sid format a10

create table work_times (sid number, time_ela number);
create cluster lookup_cluster (n number(*,0)) single table hashkeys 15000 size 230;
create table lookup_rows (n number(*,0), v varchar2(200)) cluster lookup_cluster (n);
insert into lookup_rows
select level, dbms_random.string('p', 200)
from   dual
connect by level <= &1;
commit;

create or replace procedure look_up(p_iterations in number) is
    l_rowid rowid;
    l_n     number;
begin
    insert into work_times values (sys_context('userenv', 'sid'), dbms_utility.get_time)
    returning rowid into l_rowid;

    for i in 1 .. p_iterations loop
        l_n := trunc(dbms_random.value(1, &1));
        for each in (select * from lookup_rows where n = l_n) loop
            null;
        end loop;
    end loop;

    update work_times set time_ela = dbms_utility.get_time - time_ela where rowid = l_rowid;
end;
/

create or replace procedure look_up_cached(p_iterations in number) is
    l_rowid rowid;
    l_n     number;
begin
    insert into work_times values (sys_context('userenv', 'sid'), dbms_utility.get_time)
    returning rowid into l_rowid;

    for i in 1 .. p_iterations loop
        l_n := trunc(dbms_random.value(1, &1));
        for each in (select /*+ result_cache */ * from lookup_rows where n = l_n) loop
            null;
        end loop;
    end loop;

    update work_times set time_ela = dbms_utility.get_time - time_ela where rowid = l_rowid;
end;
/

execute look_up(&2)
commit;
select case grouping(sid) when 1 then 'Total:' else to_char(sid) end sid, sum(time_ela) ela
from   work_times
group  by rollup((sid, time_ela));
select gets, misses, sleeps, wait_time from v$latch where name = 'Result Cache: RC Latch';

delete from work_times;
commit;
execute look_up_cached(&2)
commit;
select case grouping(sid) when 1 then 'Total:' else to_char(sid) end sid, sum(time_ela) ela
from   work_times
group  by rollup((sid, time_ela));
select gets, misses, sleeps, wait_time from v$latch where name = 'Result Cache: RC Latch';

drop procedure look_up_cached;
drop procedure look_up;
drop cluster lookup_cluster including tables;
drop table work_times purge;

rem SPDX-License-Identifier: GPL-2.0-or-later
rem result_cache: how often the latch of the result cache is got, for a result that is new and for one
rem that is there.

column name format a25
column free format a4

select name, level#, gets from v$latch where name like 'Result Cache%';

create table cached_rows (n number, v varchar2(2000));
insert into cached_rows
select level, rpad('x', 2000, 'x')
from   dual
connect by level <= 100;
commit;

select free, count(*) cnt from v$result_cache_memory group by free order by free;
select gets from v$latch where name = 'Result Cache: RC Latch';

begin
    for each in (select /*+ result_cache */ * from cached_rows) loop
        null;
    end loop;
end;
/

select free, count(*) cnt from v$result_cache_memory group by free order by free;
select gets from v$latch where name = 'Result Cache: RC Latch';

begin
    for each in (select /*+ result_cache */ * from cached_rows) loop
        null;
    end loop;
end;
/

select gets from v$latch where name = 'Result Cache: RC Latch';
select count(*) from v$latch_children where name = 'Result Cache: RC Latch';

drop table cached_rows purge;

select /*+ ordered use_nl(b) use_nl(c) use_nl(d) full(a) full(b) full(c) full(d) */ count(*) from sys.obj$ a, sys.obj$ b, sys.obj$ c, sys.obj$ d where a.owner# = b.owner# and b.owner# = c.owner# and c.owner# = d.owner# and rownum <= :n
select n.name, m.value from v$mystat m, v$statname n where m.statistic# = n.statistic#
select s.value from v$sesstat s, v$statname n where s.statistic# = n.statistic# and s.sid = :sid and n.name = :name
select nvl(sum(total_timeouts), 0) from v$session_event where sid = :sid and event = :event
select p.spid from v$process p, v$session s where p.addr = s.paddr and s.sid = :sid
select p.spid from v$process p, v$session s where p.addr = s.paddr and s.sid = sys_context('userenv','sid')
select sid from v$mystat where rownum = 1
select state, event from v$session where sid = :sid
select m.value from v$mystat m, v$statname n where m.statistic# = n.statistic# and n.name =
select count(*) from sys.obj$ where rownum <= 20000
select level, 'x' from dual connect by level <= 1000
select :a, :b from dual
select 1 from no_such_table
select 1 from dual
select n.name, s.value from v$mystat s, v$statname n where s.statistic# = n.statistic# and n.name in ('lab break checks', 'lab break polls')
select module, action, client_info, client_identifier from v$session where sid = :sid
begin dbms_application_info.set_module(:m, action_name => 'load'); dbms_application_info.set_client_info('x'); null; dbms_session.set_identifier(client_id => :c); dbms_output.enable; end;
begin dbms_session.clear_identifier; end;
begin null; end;
begin nothing_of_the_kind(1); end;
begin dbms_lock.sleep(1); end;
begin for r in (select 1 from dual) loop null; end loop; end;
select sys_context('userenv', 'module') from dual
select 2 from dual
select count(*) from v$sesstat, v$mystat, dual
select count(*) from dual connect by level <= 1000000000000
select status from v$session where sid = :s
select 3 from dual
select 4 from dual
select 6 from dual
select 5 from dual
select count(*) from sys.obj$
select object_name, object_type, generated, namespace from {} order by object_id
select table_name, tablespace_name, status from user_tables order by table_name
create table t (n number primary key, v varchar2(10))
create index t_v on t (v)
create table "Mixed case" as select 1 x from dual
select object_id from user_objects
drop table "Mixed case"
select object_name, object_id, created, last_ddl_time, status from user_objects
select owner, count(*) from all_objects group by owner
select count(*) from sys.obj$ where obj# > 99999
select * from user_objects
select count(*) from all_objects
select * from all_tables
select * from dba_objects
select * from scott.user_objects
select * from "all_objects"
delete from all_objects
drop table user_tables
select count(*) from
select level from dual connect by level <= 1000
select m.value from v$mystat m, v$statname n where m.statistic# = n.statistic# and n.name = 'SQL*Net roundtrips to/from client'
select m.value from v$mystat m, v$statname n where m.statistic# = n.statistic#
select level from dual connect by level <= 2003
select level from dual connect by level <= :n
create table kept (n number)
insert into kept values (1)
drop table kept
select 1, 'x', null from dual
select count(*) from sys.obj$ where rownum <= 100
select count(*) from kept
select n from kept
select count(*) from t
insert into t select level, 'row ' || level from dual connect by level <=
select n, v from t
create table t (n number, v varchar2(20))
update t set v = 'new' where n < 4
delete t where n > 500
insert into t values (0, null)
select obj#, name from sys.obj$ where rownum <= 2003
select statistic#, value from v$mystat
select level, 'x' from dual connect by level <= 3001
update t set v = 'not for long'
create table k (i number, r number, w number, t varchar2(40), x varchar2(1), d date, s timestamp, b raw(9))
insert into k select level, level / 8, 12345678901234567890123456789012345678 - level, 'äöü€' || chr(1) || level, null, date '2024-02-29' + level / 24, timestamp '2024-02-29 13:14:15.123456', :b from dual connect by level <= 20
select * from k
create table made (n number)
select 1 / (1000 - n) from t
select a.n from t a, t b where a.n = b.n and b.v = a.v
update t set v = 'never'
select obj# from sys.obj$ where rownum <= 503
select rpad('x', 4000) from dual connect by level <= 100000
insert into t values (-1 - :n, 'late')
update t set n = n + 5000 where n = :n
select count(*) from t where n > 5000
select count(*) from made
select rownum from dual where 1 = 2 union all select 1 from dual union all select 2 from dual union all select 3 from dual union all select 4 from dual union all select * from (
select count(*) from sys.obj$ where rownum < 8
select x, y from kept where x < 10 order by x
insert into kept (x) values (:x)
select y from kept where x = :x and y = :y
select :b, 'x' from dual where 1 < :b
select * from kept
select x from kept
select x from kept where x = 7
select count(*) from sys.
select count(*) from sys.obj$ where rownum <= 10
create table t (n number)
select count(*) from v$process
select count(*) from v$session
insert into t values (1)
update t set n = n + 1
begin exclusive
select user from dual
select count(*) from v$session where sid = :s
create table t (n number, v varchar2(4000))
insert into t values (:1, :2)
update t set n = 3
select sys_context('userenv', 'network_protocol') from dual
select count(*), sum(length(v)) from t
select obj#, name from sys.obj$
create table t (c number, d number)
create table e (c number, x number)
create table q ("level" number, "Date" number, "COMMENT" number)
insert into t values (1, 2)
insert into e values (1, 3)
insert into q values (4, 5, 6)
update t set t.c = 1
update t set scott.t.c = 1
update scott.t set t.c = 1, d = 2
update t x set x.c = 1 where x.d = 2
insert into t (t.c, scott.t.d) values (1, 2)
insert into q ("level", "COMMENT") values (1, 2)
delete t x where x.c = 1
update t x set t.c = 1
update t x set scott.t.c = 1
update t set e.c = 1
update t set sys.t.c = 1
update t x set c = 1 where t.d = 2
insert into t (e.c) values (1)
create table table (n number)
create table access (n number)
create table n (level number)
create table n (n number, comment varchar2(9))
create table n (rowid number)
create table n as select c size from t
create index mode on t (c)
drop table index
select * from file
select c comment from t
select c as number from t
select c from t public
select comment from q
select q.comment from q
select c from t where size = 1
update q set comment = 1
insert into q (comment) values (1)
update t mode set c = 1
delete from t session
select t.c from t join e using (c)
select a.d from t a join e b using (c) where b.c = 1
select d from t a left join e b using (c) order by nvl(a.c, 0)
select count(scott.t.c) from t join e using (c)
select (select t.c from t join e using (c)) from dual
select 1 from dual union select e.c from t join e using (c)
create table "t" (n number)
create table n (n number, "N" number)
select * from "t"
select "c" from t
select "level", "Date", q."COMMENT" from q
select c "size", d as "mode" from t "public"
select user, level from dual connect by level < 2
select c, t.d, e.x from t join e using (c)
select d, z.c from t join e using (c), e z
select (select t.c from t) from t join e using (c)
select t.c from t join e on t.c = e.c
select c from t join e using (c) union all select t.c from t
select date '2024-01-01' - date '2023-12-31' from dual
create table emp (id number(6) primary key, name varchar2(10) not null, dept number(3), sal number(7,2), hired date)
insert into emp values (1, 'KING', 10, 5000, date '1981-11-17')
insert into emp values (2, 'Blake', 30, 2850.5, date '1981-05-01')
insert into emp values (3, 'ward', 30, null, date '1981-02-22')
insert into emp values (4, 'ADAMS', null, 1100, null)
create table wide (n number, i integer, v varchar2(40), t timestamp)
insert into wide values (12345678901234567890123456789012345678, 9007199254740993, '10', timestamp '2020-01-02 00:00:00')
insert into wide values (.1234567890123456789, -9007199254740993, '9', null)
insert into wide values (-98765432109876543210.5, 3, '010', null)
insert into wide values (2, 4, 'abc', null)
select name from emp where id = :b
select count(*) from emp where id < :b
select id from emp where hired = :b
select value from nls_session_parameters where parameter = 'NLS_DATE_FORMAT'
select id from emp order by sal
select id from emp order by sal desc
select id from emp order by sal desc nulls last, 1
select id, sal from emp order by 2 desc, id
select id k from emp order by k desc
select id, row_number() over (order by sal) r from emp order by id
select v from wide order by n
select v from wide where n > 1 order by v
select v from wide where n < 0
select v from wide where n = 12345678901234567890123456789012345678
select max(n), min(n) from wide
select sum(i), sum(n) from wide
select i from wide where i = 9007199254740993
select count(*) from wide where i = 9007199254740992
select avg(sal) from emp
select -sal sal from emp where sal > 2000 order by sal
select sal id from emp where id = 1
select id * 2 twice from emp order by twice + 0 desc
select id from emp where rownum <= 2 order by id desc
select rownum, id from (select id from emp order by id desc) where rownum <= 2
select rownum r, id from emp order by id desc
select dept, count(*), sum(sal) from emp group by dept order by dept
select upper(substr(name, 1, 1)) f, count(distinct dept) from emp group by upper(substr(name, 1, 1)) having count(*) >= 1 order by 1
select count(sal), count(*), max(name) from emp where 1 = 0
select 1 from dual having count(*) = 1
select distinct dept from emp order by dept
select 1 from dual union select 2 from dual minus select 1 from dual
select id from emp intersect select 2 from dual
select id, name from emp where id < 3 union all select 9, 'x' from dual order by 1 desc
select name from emp where name like '%a%' order by name
select name from emp order by name
select id from emp where hired = '17-NOV-81'
select v from wide where t = date '2020-01-02'
select e.name, f.name from emp e left join emp f on f.id = e.id + 1 and f.dept = 30 where e.id <= 2 order by e.id
select id from emp where dept in (select dept from emp where id = 2) order by id
select id from emp where id in ('1', 3) order by id
select id from emp e where exists (select 1 from emp f where f.id = e.id + 3)
select (select max(f.sal) from emp f where f.dept = e.dept) m from emp e order by e.id
select (select f.name from emp f where f.id = e.id + 1) from emp e order by e.id
select id from emp where dept = (select dept from emp where name = 'KING')
with w(a, b) as (select id, name from emp) select b from w where a = 1
with emp as (select id * 2 id from emp) select id from emp where id > 6
with w(n) as (select 1 from dual union all select n + 1 from w where n < 3) select n from w order by n
select count(*) from (select a.id, b.id from emp a, emp b)
select count(*) from emp a cross join emp b join emp c on c.id = b.id
select x from (select '9' x from dual union all select '10' from dual) where x > 9
select name, count(*) from emp
select name from emp group by dept
select dept from emp group by dept order by name
select * from emp group by id
select dept, count(*) from emp group by 1
select id from emp where count(*) > 1
select id from emp a, emp b
select a.id from emp a, emp b where a.id = b.id(+)
select 'x' from dual union select 1 from dual
select 1, 2 from dual union select 1 from dual
select id from emp order by 2
select distinct dept from emp order by id
select id from emp where name = 1
select id from emp where hired = 1
select id from emp where hired = 'x'
select id from emp where id
select id = 1 from emp
select id from emp where id is 1
select id from emp where id in (1
select ifnull(id, 1) from emp
select sqlite_version() from dual
select regexp_substr('a', 'a') from dual
select 1 from dual where 'a' = 'a '
select rowid from emp
select _rowid_ from emp
select oid from emp
select true from dual
select "id" from emp
select nothing from emp
select sal * 2 x from emp where x > 1
select id x from emp e where exists (select 1 from dual where x = 1)
select upper(name) u, count(*) from emp group by u
select count(*) c from emp group by dept having c > 1
select id x, sal x from emp order by x
select (select name from emp) from dual
select id from emp where sal > (select sal from emp where id < 3)
update emp set sal = (select f.sal from emp f where f.dept = 30)
select (select id, name from emp where id = 1) from dual
select (select * from emp where id = 1) from dual
select id from emp where id in (select id, name from emp)
select * from (select a.id, b.id from emp a, emp b)
select id from (select a.id, b.id from emp a, emp b)
select * from (select a.*, b.* from emp a, emp b)
select *, 1 from emp
select 1, * from emp
select * from emp join wide using (id)
select * from emp natural join wide
select count(*) from emp a join emp b
select count(*) from emp a left join emp b where a.id = b.id
select count(*) from emp a cross join emp b on a.id = b.id
select * from "emp"
select * from main.dual
select * from scott.dual
select * from nobody.emp
select coalesce(id, 'x') from emp
select cast(55 as varchar2(1)) from dual
create table twice (a number, a date)
create table several (a number, b number, unique (a, b))
create unique index several on emp (dept, sal)
create index upper_name on emp (upper(name))
insert into emp (id) select id, name from emp
insert into emp (id, name) select id from emp
select 1 from emp limit 1
select case when 1 = 1 then 1 else 'x' end from dual
select substr('x') from dual
select nvl(1) from dual
select 1e200 from dual
select 1d from dual
select 1e100 * 1e100 from dual
select sum(n) over (order by n) from wide where n between 'a' and 2
select to_char(sysdate, 'BLAH') from dual
select to_char(sysdate, 'DDTH') from dual
select to_char(sysdate, 'FF') from dual
select to_char(1, '9A') from dual
select to_date('2024-13-01', 'YYYY-MM-DD') from dual
select to_date('2023-02-29', 'YYYY-MM-DD') from dual
select to_date('2024-01-01 x', 'YYYY-MM-DD') from dual
select to_date('2024', 'YYYY-MM') from dual
select date '2024-02-30' from dual
select trunc(sysdate, 'X') from dual
select rank() from emp
select rank() over () from emp
insert into emp (id, name, sal) values (9, 'x', 100000)
insert into emp (id, name) values (1000000, 'x')
insert into emp (id, name) values (9, 'elevenchars')
insert into emp (id) values (9)
update emp set name = null
update emp set name = ''
insert into emp (id, name, sal) values (9, 'x', 'y')
insert into emp values (1, 'x')
insert into emp (id, nothing) values (1, 'x')
insert or replace into emp (id, name) values (1, 'x')
update or ignore emp set id = 1
update emp set id = 1 where rownum = 1
insert into wide (n, v) values (:n, 'stored')
insert into emp (id, name, sal) values (9.4, 'x', 1.005)
update emp set sal = '12.345' where id = 1
insert into emp (id, name, sal) select '1' || id, id, '7.777' from emp
update emp set sal = 1 where id = 4
create table made as select id, name n, sal * 2 twice, sysdate now from emp
drop table made
select x from (select case when dept = 30 then sal end x from emp) order by 1 desc
select v.n from (select sal * 1 n from emp where id = 3) v
select x y from (select max(sal) x from emp where 1 = 0)
with w as (select null x from dual union all select 1 from dual) select x from w
with w(a, b) as (select 'x', sum(sal) from emp where 1 = 0) select b from w
select (select sal from emp where id = 3) from dual
create table long_names (n varchar2(3 char) unique, b varchar2(3 byte))
insert into long_names values ('äöü', 'abc')
drop table long_names
select count(distinct to_char(systimestamp, 'SS.FF')), max(to_char(systimestamp, 'SS.FF')) from sys.obj$
select :v from dual
select n from wide where v = 'stored'
select count(*) from wide where n = :n
select id, sal from emp where id in (1, 9) order by id
select id from emp where name = :b
select upper(:t) from dual
select id, name, sal from emp where id > 10 and rownum = 1
select 'on ' || date '2024-05-07' from dual
select id from emp where hired = '1981-11-17'
update wide set i = v where n is not null
delete from emp where id < 1 / (3 - id)
select sal from emp where id = 4
select count(*) from emp
select i from wide where v = '10'
select count(*) from made where twice > '9' and now > date '2020-01-01'
create table made as select to_number(name) n from emp
select * from made
select n, length(n) from long_names
select to_char(systimestamp, 'SS.FF') from dual
select sessiontimezone from dual
insert into made values (
insert into long_names values (
select rpad(level, 100, 'x') from dual connect by level <=
select obj#, name n, ctime, oid$, count(*) over () from sys.obj$
select :1, :2 from dual
select level from dual connect by level <= 9999
select '', nvl('', 'n'), 'a' || '' || 'b' from dual
select :a, :b, :a from dual
select * from no_such_table
select nothing from dual
select 1 from dual where
select 1 from dual limit 1
select (1 from dual
select 1/0 from dual
select to_number('x') from dual
select sysdate + sysdate from dual
select sysdate * 2 from dual
select 1 - sysdate from dual
select systimestamp - systimestamp from dual
select 'a' + 1 from dual
select 'a' || 1 + 2 from dual
select 1 + from dual
select rownum from dual order by rownum
select a.obj#, b.obj# from sys.obj$ a, sys.obj$ b where rownum < 5 order by 1
delete from sys.obj$
select 1 from t@remote
select dummy from sys.dual
select 7/2, 1/4, 2 * 3 / 4 from dual
select count(*) from sys.obj$ where rownum < 11
select count(*) from sys.obj$ where 10 >= rownum and obj# > 5
select count(*) from sys.obj$ where rownum > 1
select max(obj#) from sys.obj$ where rownum <= 3
select obj# from sys.obj$ where rownum <= 3 order by obj# desc
select rownum, obj# from sys.obj$ where rownum <= 2
select obj# from (select obj# from sys.obj$ order by obj# desc) where rownum = 1
select 1 from dual where rownum <= 1 union all select 2 from dual
select 1 from dual minus select 1 from dual
select level * 2 n from dual connect by level < 4
with w as (select 1 a from dual) select a from w
select case when 1 = 1 and 2 between 1 and 3 then 'y' end from dual
select 'Ab' from dual where 'a' like 'A'
select nvl2(null, 1, 2), mod(7, 4), lpad('x', 3, '-'), rpad('x', 2) from dual
select 1 from dual where 0.1 + 0.2 = 0.3
select '1' + 1, -(-2), 2 - -1, -'3' + 0, 10 - 4 - 3, 2 + 3 * 4, (2 + 3) * 4 from dual
select 'a' || 1 || null || 'b', 1 + 2 || 'c' from dual
select 999999999999999999 - 1 from dual
select 1 + null, case when 1 = 1 then 2 end + 1, count(*) + 1 from dual
select date '2024-02-28' + 2, date '2024-03-01' - date '2024-02-28', date '2024-01-01' - 0.5 from dual
select max(ctime) + 0 - max(ctime) from sys.obj$
select /* c */ 1 -- e from dual;
select date '2020-02-29' from dual
select "MY COL" from (select 1 "MY COL" from dual)
select sysdate from dual
select to_number('x
select 1 from dual where 1 = 2
create table t (n number primary key, v varchar2(10), d date default sysdate not null)
insert into t values (:1, :2, :3)
insert into t (n) values (1)
insert into t (n) values (2)
insert into t (n) select level from dual connect by level <= 7
insert into t (n) select a.obj# + 100 from sys.obj$ a where a.obj# < 99 or exists (select 1 from sys.obj$ b where b.owner# = -a.obj#)
create table a as select obj#, name, ctime from sys.obj$ where rownum <= 5
create unique index i on a (obj#)
select * from scott.a order by obj#
drop table a purge
select n from t for update
insert into t (n, v) select level, 'x' from dual connect by level <= 100
update t set v = :v where n <= 10
delete t where n > 50
select v, count(*) from t group by v order by v
truncate table t
select sum(n), min(d) from t
insert into t (n) values (:n)
insert into t (n) select 3 - level from dual connect by level <= 2
create table sys.x (n number)
update sys.obj$ set name = 'x'
insert into dual values ('Y')
drop table dual
create table c (x clob)
create table c (x number(39))
create table c (x varchar2(5000))
create table t (x number)
select * from sqlite_master
select * from a
select n from t where n = 1 for update
select n from t for update nowait
select n from t for update of n wait 1
select n from t for update skip locked
insert into t values (
select event, total_waits, total_timeouts, time_waited_micro from v$session_event where sid = :sid
select stat_name, value from v$sess_time_model where sid = :sid
select event from v$session where sid = :sid and state = 'WAITING'
select seconds_in_wait from v$session where sid = :s
select total_waits from v$system_event where event = :e
select status, state, event, sql_id, wait_time_micro from v$session where sid = :s
select status, state, event, wait_class, wait_class#, wait_time, seconds_in_wait from v$session where sid = :s
select * from dual
create table t (n number primary key)
update t set n = 2
select state, wait_class, p1text, p1raw, blocking_session_status, blocking_session, seconds_in_wait from v$session where sid = :s
select inst_id,
select sql_id, sql_hash_value from v$session where sid = :s
select stat_name, value from v$sys_time_model
select count(*) from sys.v_$
select to_char(:t, 'HH24.MI TZH TZM'), to_char(cast(:t as date), 'HH24') from dual
select to_char(extract(hour from :t)) from dual
select sessiontimezone, to_char(current_timestamp, 'TZR'), round((current_date - sysdate) * 24, 4), case when current_timestamp = systimestamp and localtimestamp = systimestamp then 'same' end, sysdate from dual
select to_char(:b, 'HH24') from dual
select case when :t =
select a.owner# from sys.obj$ a
select /*+ ordered */ 1 from a, b
select 1 from a, b
select 'a''b' from dual
select a || b * 2 from t
select 1 - 2 + 3 from t
select count(*) from t where n = 1 and rownum <= 5
select 1 from v_$x, sys.v_$mystat
select 1 from sys.t
with t as (select n from t) select n from t
select (select n from t) from b
select (select max(n) from t) from b
select 1 from t where n < 5
select 1 from t where n < :b
select 1 from t where wide = 5
select 1 from t where wide < 5
select 1 from t where v = 5
select 1 from t where x = 5
select n v from t where v = 'x'
select 1 from t order by v desc
select 1 from t order by wide
insert into t (v) values (1)
select 1 from t where a = 1 or rownum <= 5
select rownum from (select 1 from t where rownum = a or 1 = 1)
select a from t where a.x(+) = 1
select $ from dual
select 1 from dual)
select , from dual
select rowid, t.rowid, rowidtochar(rowid), a.rowid from t a, t where rowid = :1 and a.rowid = chartorowid('AAAYqIAAEAAAABBAAB') order by rowid
insert into t (n) values (1.5d) returning rowid, n + 2f into :r, :n
select -1.5d, binary_double_nan, to_binary_float(n), cast(n as binary_double), sum(n * 1d) from t where n < 0.1f group by n
create table t (d binary_double default 1.5d, f binary_float not null)
select n, v from t@l where n = :1 and v like 'x%' order by n
select a.n, b.v from t@l a join t@l.x.y b on a.n = b.n
select a.n, b.v from t@l a, t b where a.n = b.n
select "N" from "T"@"L" where sysdate > d
with w as (select n from t@l) select count(*) from w
select n from t@l for update
insert into t select * from t@l
insert into t@l values (1)
create database link l connect to u identified by "p" using 'h:1/s'
create shared database link l connect to u identified by p authenticated by v identified by q using 'h'
create public database link l connect to current_user using 'x'
drop database link l.x.y
select /*+ result_cache */ count(*) from t
select t.rowid, a.rowid from t, t a where t.rowid = a.rowid and a.rowid > chartorowid(:1)
update t set n = 1 where rowid = :r returning rowid into :s
select max(b), b + 1.5f, -2d, binary_double_nan, cast(n as binary_float) from t group by b
begin dbms_result_cache.bypass(true); dbms_result_cache.flush; end;
create table f (n number default 1, v varchar2(9)) result_cache (mode force)
create table f result_cache (mode default) as select n from t
alter table t result_cache (mode force)
create or replace function f (k number default 1) return varchar2 deterministic result_cache relies_on (t, a.t) is begin return k; end;
create package p as function f return number result_cache; end;
select case grouping(n) when 1 then 'Total:' else to_char(n) end, sum(wide) from t group by rollup((n, v)) order by grouping(n), v
select n, v, count(*) from t group by v, rollup(n, d) having count(*) > 1 order by 1 desc nulls last, 2
select n from t group by cube(n, v)
select n from t group by grouping sets ((n), v)
select a.n, b.v from t a, t b where a.n = b.n(+) and b.v(+) = 'x' and a.d > b.d(+) order by 1
select * from t a, (select n from t) b, dual where a.n(+) = b.n and rownum <= 3
select n from t where (n, v) in ((1, 'a'), (2, 'b')) and (n, wide) not in (select n, wide from t)
select n from t where (n, d) <> (select n, d from t) or lnnvl(n > 1)
update t set (n, v) = (select n, v from t where rownum = 1), d = sysdate where n = :n
savepoint a
rollback work to savepoint a
merge into t x using (select n, v from t) y on (x.n = y.n) when matched then update set v = y.v where y.v is not null when not matched then insert (n, v) values (y.n, y.v) where y.n > 1
merge into t using dual on (1 = 0) when not matched then insert values (1, 2, 'x', sysdate, null, null, null, 1d)
create sequence s start with -5 increment by 2 maxvalue 100 minvalue -10 cycle nocache order
drop sequence s
insert into t (n, v) values (s.nextval, s.currval)
select s.nextval from t where n = s.currval
select n from t where regexp_like(v, '^(a|b)[[:alpha:]]{2,3}?\1$', 'im')
select regexp_replace(v, '([^,]*),', '\1;', 1, 2, 'i'), regexp_substr(v, '\d+'), regexp_instr(v, 'a', 1, 1, 1), regexp_count(v, 'x') from t
select listagg(v, ',') within group (order by wide desc nulls last, d) from t group by n
select rawtohex(sys_guid()), hextoraw('00'), vsize(n), nvl(n, 'x') from t
select xmlelement(n) from t pivot (count(*) for n in (1))
lock table t in share row exclusive mode wait 3
alter table t add (x number(5,2) not null)
alter table t rename column n to m
alter table t drop column wide
alter table t rename to u
declare x number := 1; c constant varchar2(10) := 'a'; d t.d%type; b boolean; begin x := x + 1; if b and x > 1 then null; elsif not b then x := 2; else x := 3; end if; end;
<<o>> declare type r is record (a number := 7, b varchar2(5)); type m is table of r index by pls_integer; v m; begin v(1).a := 4; v.delete; o.v(2).b := 'x'; end;
declare cursor c(k number) is select * from t where n > k; r c%rowtype; type a is table of c%rowtype; m a; begin open c(1); loop fetch c bulk collect into m limit 100; exit when c%notfound; end loop; close c; for x in c(2) loop continue when x.n = 1; end loop; end;
declare e exception; pragma exception_init(e, -20001); begin <<a>> for i in reverse 1..3 loop while true loop exit a when i = 2; end loop; end loop a; raise e; exception when no_data_found or e then raise_application_error(-20001, sqlerrm(sqlcode)); when others then raise; end;
begin forall i in 1..9 update t set v = m(i) where n = i returning n bulk collect into k; case x when 1 then null; else null; end case; end;
declare x number; begin execute immediate 'select 1 from dual where :1 = 1' into x using in 1; open rc for 'select 1 from dual' using 1; open :c for select n from t where n = :b; insert into t values (1) returning rowid into x; commit; rollback; end;
create or replace package body scott.p as n number; procedure q(a in out nocopy number default 1, b out varchar2) is begin a := 2; return; end q; function f(x date) return number is begin return case when x is null then 1 else 2 end; end; begin n := f(b => 1); end p;
create procedure p authid current_user as pragma autonomous_transaction; begin commit; end;
drop package body p
call p(1, b => 2)
select pk.f(n), dbms_random.value(1, 2) from t
create or replace view v (a, b) as select id, name from emp where id > 1 with read only
create or replace public synonym s for scott.emp@link.world
create synonym s for emp
drop public synonym s
drop view v
select level, prior name, connect_by_root name, sys_connect_by_path(name, '/'), connect_by_isleaf from emp start with boss is null connect by nocycle prior id = boss order siblings by name desc nulls last
select e.*, connect_by_iscycle from emp e, dep d where e.dept = d.id(+) and level > 1 connect by nocycle prior e.id = e.boss and prior e.name <> d.city
select count(*) from (select level l from dual connect by level <= 10) start with l = 1 connect by l = prior l + 1 group by level
select interval '4 5:12:10.222' day to second(3), interval '123-2' year(3) to month, - interval '30.12345' second(2,4) from dual
select numtodsinterval(1, 'DAY') + to_dsinterval('1 0:0:0') * 2 / 3, sysdate - interval '1' hour, extract(day from systimestamp - systimestamp) from dual
select dept, boss, grouping(dept) from emp group by cube(dept, (boss, id)) having count(*) > 1 order by dept
select dept, boss from emp group by grouping sets ((dept, boss), dept)
select cast(name as char(5)), nullif(cast('a' as char(3)), 'a ') from emp where 'a ' = 'a' or name in ('x ', 'y')
select dump(name, 1016, 1, 2), userenv('sid') from emp where hextoraw('0a') = '0A' for update skip locked
create table t (a char(5), b char, c char(3 char), d number(*,0), e number(*))
select q'[it's]', Q'!a''b!', q'{a}b}' || q'<x>' || q'(y)', nq'[z]', n'a', trim(q'[']' from 'a') from dual q where date q'[2020-01-02]' = sysdate
create table t (n number default 5, v varchar2(10) default q'[it's]' check (v <> q'!x'y!'))
declare type t is table of number; x t := t(1, null, -2 ** 2); y t; begin y := t(); y.extend(2, 1); x := y; x(1) := 2 ** -1; x.trim(1); x.delete(1, 2); if x is null then x := null; end if; execute immediate q'{begin null; end;}'; end;
declare l dbms_output.chararr; n integer := 10; begin dbms_output.get_lines(l, n); dbms_output.get_lines(:l, :n); end;
declare j number; begin dbms_job.submit(job => j, what => 'null;', next_date => sysdate); dbms_job.run(j); dbms_job.remove(j); end;
begin dbms_scheduler.create_job('a', 'PLSQL_BLOCK', 'null;', enabled => true, auto_drop => false); dbms_scheduler.run_job('a', false); dbms_scheduler.drop_job('a'); end;
select job, what, broken, failures from user_jobs union all select run_count, job_action, state, failure_count from user_scheduler_jobs
create cluster hc (n number(*,0)) single table hashkeys 15000 size 230
create cluster scott.hc (a number(5), b varchar2(10), c date) size 2 k hashkeys 10 hash is a
create table hc_t (n number(5), v varchar2(200), constraint hc_k primary key (n)) cluster c (n)
create table hc_u (a number(5,0) not null, b number) cluster s (a) result_cache (mode force)
create table hc_v cluster c (n) as select n from t
create index i on cluster c pctfree 10
drop cluster c including tables cascade constraints
select cluster_name, hashkeys, single_table from user_clusters natural join user_clu_columns
truncate table t
alter table t drop column n
select * from table(dbms_xplan.display_cursor(null, null, 'ALLSTATS LAST'))
select /*+ gather_plan_statistics */ t.x from t left join u on t.x = u.x where t.x = 1 or u.y = 2 order by 1

// SPDX-License-Identifier: GPL-2.0-or-later
// node-oracledb, any version with a thin mode; ../README.md describes what this program does.
'use strict';
const oracledb = require('oracledb');

const [host, port, service, sdu, lengthsArgument, ...sections] = process.argv.slice(2);

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function check(name, got, want) {
  const wrong = same(got, want) ? '' : `${JSON.stringify(got)}, not ${JSON.stringify(want)}`;
  console.log(JSON.stringify({ check: name, wrong: wrong.slice(0, 500) }));
}

// Says what the version cannot do, and is therefore not asked.
const leftOut = (what) => check(`left out: ${what}`, null, null);
const old = oracledb.version < 60500;

const connect = (more = {}) =>
  oracledb.getConnection({
    user: 'scott',
    password: 'tiger',
    connectString:
      `(DESCRIPTION=(SDU=${sdu})(ADDRESS=(PROTOCOL=tcp)(HOST=${host})(PORT=${port}))` +
      `(CONNECT_DATA=(SERVICE_NAME=${service})))`,
    ...more,
  });

async function failure(run) {
  try {
    await run();
  } catch (error) {
    return (error.message.match(/ORA-\d+|NJS-\d+/) || [error.message])[0];
  }
  return 'done';
}

function* lengths() {
  for (const part of lengthsArgument.split(',')) {
    const [first, last] = part.split('-').map(Number);
    for (let n = first; n <= last; n++) yield n;
  }
}

const rows = async (c, sql, binds = [], options = {}) => (await c.execute(sql, binds, options)).rows;

// What the lab does not have is refused, and the session lives.
async function refusals(c) {
  const json = { type: oracledb.DB_TYPE_JSON, val: { a: 1 } };
  for (const [name, run] of [
    ['JSON', () => c.execute('select :1 from dual', [json])],
    ['an object type', () => c.getDbObjectClass('SYS.ODCINUMBERLIST')],
    ['another schema', async () => { c.currentSchema = 'hr'; await c.execute('select 1 from dual'); }],
  ]) {
    const refused = await failure(run);
    check(`${name} is refused`, /^ORA-/.test(refused) ? '' : refused, '');
    if (name === 'another schema') c.currentSchema = 'scott'; // asked for with each call
    check(`the session lives after ${name}`, await rows(c, 'select 7 from dual'), [[7]]);
  }
}

// Every bit comes back, but that of -0, which Oracle does not have.
async function binaryNumbers(c) {
  const type = oracledb.DB_TYPE_BINARY_DOUBLE;
  await c.execute('create table bits (d binary_double, f binary_float)');
  for (const value of [0.1 + 0.2, -1 / 3, Number.MAX_VALUE, 5e-324, -5e-324, Infinity, -Infinity, NaN, -0]) {
    const bind = { type, val: value }, out = { type, dir: oracledb.BIND_OUT };
    const insert = 'insert into bits (d) values (:d) returning d into :o';
    const got = [(await c.execute(insert, { d: bind, o: out })).outBinds.o[0]];
    got.push((await rows(c, 'select :1 from dual', [bind]))[0][0]);
    got.push((await rows(c, 'select d from bits where d = :1', [bind]))[0][0]);
    const wrong = got.filter((each) => !Object.is(each, value === 0 ? 0 : value));
    check(`bits of ${value}`, wrong.map(String), []);
  }
  for (const value of [Math.fround(0.1), 3.4028234663852886e38, 1.401298464324817e-45, Infinity, NaN]) {
    const bind = { type: oracledb.DB_TYPE_BINARY_FLOAT, val: value };
    await c.execute('insert into bits (f) values (:1)', [bind]);
    const [[got]] = await rows(c, 'select f from bits where f = :1', [bind]);
    check(`bits of the single ${value}`, Object.is(got, value) ? '' : String(got), '');
  }
  check('a sum', await rows(c, 'select 0.1d + 0.2d from dual'), [[0.1 + 0.2]]);
  await c.execute('drop table bits');
}

const checks = {
  async lengths(c) {
    let wrong = [];
    const values = ['v1', 12.5, null, Buffer.from([0, 254, 255]), new Date('2024-07-01T12:34:56.789Z'), 'é€'];
    for (const n of lengths()) {
      const got = await rows(c, `select ${' '.repeat(n)}:a s, :b n, :c, :d r, :e t, :f from dual`, values);
      if (!same(got, [values])) wrong.push([n, got]);
    }
    check('binds after a statement of any length', wrong.slice(0, 3), []);
    wrong = [];
    const out = { n: { type: oracledb.NUMBER, dir: oracledb.BIND_OUT }, v: { type: oracledb.STRING, dir: oracledb.BIND_OUT, maxSize: 4000 } };
    for (const n of lengths()) {
      const block = `begin ${' '.repeat(n)}select 'v' || :a, 7 into :v, :n from dual; end;`;
      const { outBinds } = await c.execute(block, { a: n, v: out.v, n: out.n });
      if (!same(outBinds, { v: `v${n}`, n: 7 })) wrong.push([n, outBinds]);
    }
    check('binds of a block of any length', wrong.slice(0, 3), []);
    wrong = [];
    if (old) leftOut('rows with texts of more than 252 bytes: where a packet ends in the length of a piece, it reads another');
    const most = old ? 252 : 4000;
    for (const n of lengths()) {
      const sizes = [...Array(Math.floor(n / most)).fill(most), n % most];
      const columns = sizes.map((size, i) => `lpad('x', ${size}, 'x') c${i}`).join(', ');
      const got = await rows(c, `select ${columns}, level n from dual connect by level <= 3`);
      const want = [1, 2, 3].map((level) => [...sizes.map((s) => 'x'.repeat(s) || null), level]);
      if (!same(got, want)) wrong.push([n, got.length]);
    }
    check('rows of any length', wrong.slice(0, 3), []);
    await c.execute('create table lengths (n number, v varchar2(4000))');
    wrong = [];
    for (const n of lengths()) {
      const batch = [0, 1, 2].map((i) => [i, 'y'.repeat(Math.floor((n * (i + 1)) / 3) % 4000)]);
      await c.executeMany('insert into lengths values (:1, :2)', batch, {
        bindDefs: [{ type: oracledb.NUMBER }, { type: oracledb.STRING, maxSize: 4000 }],
      });
      const got = await rows(c, 'select n, v from lengths order by n');
      if (!same(got, batch.map(([i, v]) => [i, v || null]))) wrong.push(n);
      await c.rollback();
    }
    check('arrays of binds of any length', wrong.slice(0, 3), []);
    wrong = [];
    for (const n of lengths()) {
      const sql = "insert into lengths values (:a, :b) returning n + 1, v || '!' into :n, :v" + ' '.repeat(n);
      const text = 'y'.repeat(n % 3999);
      const { outBinds } = await c.execute(sql, { a: n, b: text, ...out });
      if (!same(outBinds, { n: [n + 1], v: [`${text}!`] })) wrong.push(n);
    }
    await c.rollback();
    check('RETURNING of any length', wrong.slice(0, 3), []);
    await c.execute('drop table lengths');
  },

  async batches(c) {
    await c.execute('create table batches (n number primary key, v varchar2(10))');
    const insert = 'insert into batches values (:1, :2)';
    const bindDefs = [{ type: oracledb.NUMBER }, { type: oracledb.STRING, maxSize: 100 }];
    for (const count of [1, 3000, 50000]) {
      const batch = Array.from({ length: count }, (_, i) => [i, 'x'.repeat(i % 11)]);
      const done = await c.executeMany(insert, batch, { bindDefs });
      check(`rows changed by ${count}`, done.rowsAffected, count);
      const there = await rows(c, 'select count(*), sum(n) from batches');
      check(`rows there of ${count}`, there, [[count, (count * (count - 1)) / 2]]);
      await c.rollback();
    }
    // Executed again, it expects counts that it does not ask for: other statements.
    const counted = insert.replace('into', ' into');
    const six = [0, 1, 2, 3, 4, 5].map((i) => [i, 'x']);
    let done = await c.executeMany(counted, six, { bindDefs, dmlRowCounts: true });
    check('counts of an insert', done.dmlRowCounts, [1, 1, 1, 1, 1, 1]);
    done = await c.executeMany("update batches set v = 'y' where n < :1", [[3], [0], [6]], {
      dmlRowCounts: true,
    });
    check('counts of an update', done.dmlRowCounts, [3, 0, 6]);
    const bad = [[7, 'x'], [1, 'x'], [8, 'x'.repeat(11)], [9, 'x']];
    done = await c.executeMany(counted, bad, { bindDefs, batchErrors: true, dmlRowCounts: true });
    const errors = done.batchErrors.map((e) => [e.offset, e.message.slice(0, 9)]);
    check('batch errors', errors, [[1, 'ORA-00001'], [2, 'ORA-12899']]);
    check('counts with batch errors', done.dmlRowCounts, [1, 0, 0, 1]);
    check('an error ends it', await failure(() => c.executeMany(insert, bad, { bindDefs })), 'ORA-00001');
    check('the session lives', await rows(c, 'select count(*) from batches'), [[8]]);
    await c.rollback();
    const nowhere = Array.from({ length: 3000 }, (_, i) => [i, 'x'.repeat(40)]);
    const missing = () => c.executeMany('insert into no_such_table values (:1, :2)', nowhere, { bindDefs });
    check('no such table', await failure(missing), 'ORA-00942');
    await c.execute('drop table batches');
  },

  async types(c) {
    const moment = new Date('2024-07-01T12:34:56.123Z');
    const back = async (name, value, bind, want = value) => {
      let got;
      try {
        [[got]] = await rows(c, 'select :1 from dual', [bind ? { ...bind, val: value } : value]);
      } catch (error) {
        got = error.message.split('\n')[0];
      }
      check(name, got, want);
    };
    await back('int', 42);
    await back('negative', -17);
    await back('float', 1.5);
    await back('text', 'text');
    await back('text that is not ASCII', 'é€😀');
    await back('national text', 'é€😀', { type: oracledb.DB_TYPE_NVARCHAR });
    await back('long text', 'x'.repeat(4000));
    await back('raw', Buffer.from([0, 1, 255]));
    await back('date', new Date('2024-07-01T12:34:56Z'), { type: oracledb.DB_TYPE_DATE });
    await back('timestamp', moment, { type: oracledb.DB_TYPE_TIMESTAMP });
    await back('timestamp with local zone', moment, { type: oracledb.DB_TYPE_TIMESTAMP_LTZ });
    await back('timestamp with zone', moment, { type: oracledb.DB_TYPE_TIMESTAMP_TZ });
    await back('binary double', 1.25, { type: oracledb.DB_TYPE_BINARY_DOUBLE });
    await back('binary float', 1.25, { type: oracledb.DB_TYPE_BINARY_FLOAT });
    await back('null', null);
    await binaryNumbers(c);
    check('the session lives', await rows(c, 'select 1 from dual'), [[1]]);
  },

  async rowids(c) {
    await c.execute('create table rowids (n number)');
    const numbers = Array.from({ length: 1000 }, (_, n) => [n]);
    await c.executeMany('insert into rowids values (:1)', numbers);
    const all = await rows(c, 'select rowid, n from rowids order by n');
    check('different ones', new Set(all.map(([rowid]) => rowid)).size, 1000);
    const wrong = [];
    for (const [rowid, n] of all.filter((_, i) => i % 83 === 0))
      if (!same(await rows(c, 'select n from rowids where rowid = :1', [rowid]), [[n]])) wrong.push(n);
    check('bound as text', wrong, []);
    const changed = await c.execute('update rowids set n = -1 where n = 9');
    check('the last one', changed.lastRowid, all[9][0]);
    const out = { type: oracledb.DB_TYPE_ROWID, dir: oracledb.BIND_OUT };
    const { outBinds } = await c.execute('delete from rowids where n = 500 returning rowid into :r', { r: out });
    check('returned', outBinds, { r: [all[500][0]] });
    await c.rollback();
    await c.execute('drop table rowids');
  },

  async lobs(c) {
    await c.execute('create table lobs (n number, c clob, b blob)');
    const insert = 'insert into lobs values (:1, :2, :3)';
    const values = [1, 3000, 5000, 40000, 200000].map((size, n) => [n, 'é€üx'[n % 4].repeat(size), Buffer.alloc(size, n)]);
    for (const [n, text, data] of values) {
      const binds = [n, { type: oracledb.CLOB, val: text }, { type: oracledb.BLOB, val: data }];
      if (n < 4) {
        await c.execute(insert, binds);
        continue;
      }
      const clob = await c.createLob(oracledb.CLOB), blob = await c.createLob(oracledb.BLOB);
      for (const [lob, content] of [[clob, text], [blob, data]])
        await new Promise((done, failed) => lob.on('error', failed).on('finish', done).end(content));
      await c.execute(insert, [n, clob, blob]);
    }
    await c.execute(insert, [5, null, null]);
    const query = 'select n, c, b from lobs order by n';
    const typeHandler = ({ dbType }) =>
      dbType === oracledb.DB_TYPE_CLOB ? { type: oracledb.STRING }
      : dbType === oracledb.DB_TYPE_BLOB ? { type: oracledb.BUFFER } : undefined;
    const fetchInfo = { C: { type: oracledb.STRING }, B: { type: oracledb.BUFFER } };
    const equal = (got) =>
      got.length === 6 && same(got[5], [5, null, null]) &&
      values.every(([n, text, data], i) => got[i][0] === n && got[i][1] === text && data.equals(got[i][2]));
    for (const times of ['once', 'again'])
      check(`strings ${times}`, equal(await rows(c, query, [], { fetchInfo, fetchArraySize: 2 })), true);
    // Another statement: before 26 it would be fetched as strings again.
    const got = await rows(c, `${query} `);
    for (const row of got.slice(0, 5)) [row[1], row[2]] = [await row[1].getData(), await row[2].getData()];
    check('locators', equal(got), true);
    check('no comparison', await failure(() => c.execute("select n from lobs where c = 'x'")), 'ORA-00932');
    await c.execute('drop table lobs');
  },

  async cursors(c) {
    const block = 'begin open :c for select level n, :v v from dual connect by level <= 250; end;';
    for (let i = 0; i < 3; i++) {
      const { outBinds } = await c.execute(block, { c: { type: oracledb.CURSOR, dir: oracledb.BIND_OUT }, v: `v${i}` });
      const got = await outBinds.c.getRows();
      check(`cursor ${i}`, got, Array.from({ length: 250 }, (_, n) => [n + 1, `v${i}`]));
      await outBinds.c.close();
    }
    const { implicitResults } = await c.execute(
      "declare a sys_refcursor; b sys_refcursor; begin open a for select 'first' x from dual; dbms_sql.return_result(a);" +
        ' open b for select level from dual connect by level <= 3; dbms_sql.return_result(b); end;');
    check('implicit results', implicitResults, [[['first']], [[1], [2], [3]]]);
    check('the session lives', await rows(c, 'select 1 from dual'), [[1]]);
  },

  async returning(c) {
    await c.execute('create table returning (n number primary key, v varchar2(10))');
    const out = { n: { type: oracledb.NUMBER, dir: oracledb.BIND_OUT }, v: { type: oracledb.STRING, dir: oracledb.BIND_OUT } };
    for (let i = 0; i < 3; i++) {
      const sql = "insert into returning values (:a, :b) returning n, v || '!' into :n, :v";
      const { outBinds } = await c.execute(sql, { a: i, b: `v${i}`, ...out });
      check(`insert ${i}`, outBinds, { n: [i], v: [`v${i}!`] });
    }
    const change = "update returning set v = v || 'x' where n >= :a returning n, v into :n, :v";
    check('update', (await c.execute(change, { a: 1, ...out })).outBinds, { n: [1, 2], v: ['v1x', 'v2x'] });
    check('update of no row', (await c.execute(change, { a: 9, ...out })).outBinds, { n: [], v: [] });
    const many = await c.executeMany('delete from returning where n = :a returning v into :v', [{ a: 2 }, { a: 0 }, { a: 7 }], {
      bindDefs: { a: { type: oracledb.NUMBER }, v: { type: oracledb.STRING, dir: oracledb.BIND_OUT, maxSize: 10 } },
    });
    check('deletes', many.outBinds, [{ v: ['v2x'] }, { v: ['v0'] }, { v: [] }]);
    await c.rollback();
    await c.execute('drop table returning');
  },

  async cache(c) {
    const day = new Date('2024-07-01T12:34:56.789Z');
    const values = [1, 'text', null, 2.5, 'x'.repeat(4000), Buffer.from([0, 1]), day, 'again', null, 7];
    for (const [i, value] of values.entries())
      check(`value ${i} of another type`, await rows(c, 'select :1 v from dual', [value]), [[value]]);
    for (const round of [0, 1]) {
      const wrong = [];
      for (let n = 0; n < 60; n++)
        if (!same(await rows(c, `select ${n} n, :1 v from dual`, [n]), [[n, n]])) wrong.push(n);
      check(`sixty statements, round ${round}`, wrong, []);
    }
    await c.execute('create table cached (n number)');
    if (old) leftOut('a statement anew whose table has other columns: ORA-01007 and ORA-00932 are its program\'s matter');
    for (const [columns, row] of [['n number', [7]], ['v varchar2(9), n number', ['seven', 8]], ['v varchar2(9)', ['x']]]) {
      await c.execute('drop table cached');
      await c.execute(`create table cached (${columns})`);
      await c.execute(`insert into cached values (${row.map((_, i) => `:${i + 1}`)})`, row);
      const changed = old ? await failure(() => rows(c, 'select * from cached')) : 'done';
      check(`${columns}, anew`, /done|ORA-0(1007|0932)/.test(changed) ? '' : changed, '');
      for (const times of ['once', 'again'])
        check(`${columns}, ${times}`, await rows(c, 'select * from cached'), [row]);
    }
    await c.execute('drop table cached');
  },

  async cancels() {
    const c = await connect(); // always in-band
    const burn =
      'select /*+ ordered use_nl(b) use_nl(c) use_nl(d) full(a) full(b) full(c) full(d) */ count(*)' +
      ' from sys.obj$ a, sys.obj$ b, sys.obj$ c, sys.obj$ d where a.owner# = b.owner#' +
      ' and b.owner# = c.owner# and c.owner# = d.owner# and rownum <= 2000000';
    const wrong = [];
    for (let n = 0; n < 25; n++) {
      const running = failure(() => c.execute(burn));
      await new Promise((done) => setTimeout(done, n * 2));
      await c.break();
      const ended = await running;
      const got = await rows(c, 'select :1 from dual', [n]);
      if (ended !== 'ORA-01013' || !same(got, [[n]])) wrong.push([n, ended, got]);
    }
    check('cancels in-band', wrong, []);
    c.callTimeout = 150;
    check('call time-out', await failure(() => c.execute(burn)), 'NJS-123');
    c.callTimeout = 0;
    check('usable', await rows(c, 'select 7 from dual'), [[7]]);
    await c.close();
  },

  async ways(c) {
    const about = { user: 'scott', password: 'tiger', connectString: `${host}:${port}/${service}` };
    const pool = await oracledb.createPool({ ...about, poolMin: 1, poolMax: 3, poolIncrement: 1, poolPingInterval: 0 });
    const wrong = [];
    const work = async (k) => {
      for (let n = 0; n < 20; n++) {
        const own = await pool.getConnection();
        const got = await rows(own, 'select :1, :2 from dual', [k, `v${n}`]);
        if (!same(got, [[k, `v${n}`]])) wrong.push([k, n, got]);
        await own.close();
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(work));
    await pool.close(0);
    check('a pool', wrong, []);
    const at_once = await Promise.all([1, 2, 3, 4, 5].map((n) => rows(c, 'select :1 from dual', [n])));
    check('calls at once', at_once, [1, 2, 3, 4, 5].map((n) => [[n]]));
    const sql = 'select level from dual connect by level <= 1009';
    const all = Array.from({ length: 1009 }, (_, i) => [i + 1]);
    const { resultSet } = await c.execute(sql, [], { resultSet: true, prefetchRows: 3, fetchArraySize: 5 });
    const got = [await resultSet.getRow(), ...(await resultSet.getRows(7)), ...(await resultSet.getRows(0))];
    await resultSet.close();
    check('a result set', got, all);
    // The driver cancels its cursor and keeps it for the statement's next execution.
    const half = await c.execute(sql, [], { resultSet: true, prefetchRows: 3, fetchArraySize: 5 });
    await half.resultSet.getRow();
    await half.resultSet.close();
    check('a statement after half a result set', await rows(c, 'select 3 from dual'), [[3]]);
    check('all of it again', await rows(c, sql), all);
    const streamed = [];
    for await (const row of c.queryStream(sql, [], { fetchArraySize: 10 })) streamed.push(row);
    check('a stream', streamed, all);
  },

  async metadata() {}, // it has none of its own

  async described(c) {
    await c.execute('create table described (a number(5,2), b varchar2(3), c number, d date)');
    await c.execute('insert into described values (null, null, null, null)');
    await c.execute("insert into described values (1.25, 'abc', 7, null)");
    const { metaData, rows: got } = await c.execute(
      'select * from described order by a nulls first', [], { extendedMetaData: true });
    const columns = metaData.map((m) => [m.name, m.dbTypeName, m.byteSize ?? null, m.precision ?? null, m.scale ?? null]);
    check('columns', columns, [
      ['A', 'NUMBER', null, 5, 2],
      ['B', 'VARCHAR2', 3, null, null],
      ['C', 'NUMBER', null, 0, -127],
      ['D', 'DATE', null, null, null],
    ]);
    check('a null first', got[1], [1.25, 'abc', 7, null]);
    const some = await rows(c, 'select nullif(level, 1) n from dual connect by level <= 3');
    check('an expression', some, [[null], [2], [3]]);
    await c.execute('drop table described');
  },

  async fetches(c) {
    for (const size of [1, 2, 7, 100, 1000]) {
      const got = await rows(c, "select level, 'row' || level from dual connect by level <= 1009", [],
        { fetchArraySize: size, prefetchRows: size });
      check(`${size} rows a fetch`, got, Array.from({ length: 1009 }, (_, i) => [i + 1, `row${i + 1}`]));
    }
  },

  async blocks(c) {
    for (let i = 0; i < 5; i++) {
      const done = await c.execute("begin select 'v' || :a into :b from dual; end;", {
        a: i, b: { dir: oracledb.BIND_OUT, type: oracledb.STRING, maxSize: 100 } });
      check(`out bind ${i}`, done.outBinds.b, `v${i}`);
    }
  },

  async scrolling() {}, // it has no such cursors

  async session(c) {
    c.module = 'a module';
    c.action = 'an action';
    c.clientId = 'a client';
    const attributes = await rows(c,
      "select module, action, client_identifier from v$session where sid = sys_context('userenv', 'sid')");
    check('attributes', attributes, [['a module', 'an action', 'a client']]);
    await c.ping();
    check('wrong password', await failure(() => connect({ password: 'x' })), 'ORA-01017');
    check('SYSDBA', await failure(() => connect({ privilege: oracledb.SYSDBA })), 'ORA-01031');
    check('proxy user', await failure(() => connect({ user: 'scott[hr]' })), 'ORA-28150');
    check('logon with a new password', await failure(() => connect({ newPassword: 'y' })), 'ORA-01031');
    check('change of password', await failure(() => c.changePassword('scott', 'tiger', 'y')), 'ORA-01031');
    await refusals(c);
    check('unknown parameter', await failure(() => c.execute('alter session set nosuchparam=1')), 'ORA-02248');
    check('the session lives', await rows(c, 'select 1 from dual'), [[1]]);
  },
};

(async () => {
  const connection = await connect();
  for (const section of sections) {
    console.log(JSON.stringify({ section }));
    await checks[section](connection);
  }
  await connection.close();
})();

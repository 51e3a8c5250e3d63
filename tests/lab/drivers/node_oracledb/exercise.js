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

const checks = {
  async lengths(c) {
    let wrong = [];
    for (const n of lengths()) {
      const got = await rows(c, `select ${' '.repeat(n)}:a x, :b y from dual`, ['v1', 'v2']);
      if (!same(got, [['v1', 'v2']])) wrong.push([n, got]);
    }
    check('binds after a statement of any length', wrong.slice(0, 3), []);
    wrong = [];
    for (const n of lengths()) {
      const sizes = [...Array(Math.floor(n / 4000)).fill(4000), n % 4000];
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
    check('the session lives', await rows(c, 'select 1 from dual'), [[1]]);
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
    const got = await rows(c, query);
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

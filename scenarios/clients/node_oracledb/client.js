// SPDX-License-Identifier: GPL-2.0-or-later
// node-oracledb (thin mode) as a scenario client; ../README.md says what it is asked.
'use strict';
const oracledb = require('oracledb');
const readline = require('readline');

let connection = null;
let running = false;
let breakSent = null;
let sized = {};

const now = () => Number(process.hrtime.bigint()) / 1e9;
const say = (answer) => process.stdout.write(JSON.stringify(answer) + '\n');
const brief = (error) => error.message.split('\n')[0];

async function executed({ sql, binds, times, keep }) {
  const elapsed = [];
  let result = {};
  for (let i = 0; i < times; i++) {
    const began = now();
    result = await connection.execute(sql, binds, { maxRows: 0, ...sized });
    elapsed.push(now() - began);
  }
  const rows = result.rows || [];
  return {
    elapsed_s: elapsed,
    rows: keep ? rows : [],
    row_count: rows.length,
    changed: result.rowsAffected || 0,
  };
}

const carryOut = {
  async connect({ dsn, user, password, fetch_size, sdu, wallet }) {
    sized = fetch_size ? { fetchArraySize: fetch_size, prefetchRows: fetch_size } : {};
    // Thin mode sends no urgent data: there is nothing to disable.
    connection = await oracledb.getConnection({
      user,
      password,
      connectString: wallet ? `tcps://${dsn}` : dsn,
      ...(wallet ? { walletLocation: wallet, sslServerDNMatch: false } : {}),
      ...(sdu ? { sdu } : {}),
    });
    return {};
  },
  async query(request) {
    breakSent = null;
    running = true;
    try {
      return await executed(request);
    } catch (error) {
      const returned = now();
      const late = breakSent === null ? {} : { break_ms: 1e3 * (returned - breakSent) };
      return { error: brief(error), ...late };
    } finally {
      running = false;
    }
  },
  commit: () => connection.commit().then(() => ({})),
  rollback: () => connection.rollback().then(() => ({})),
  async ping({ times }) {
    const elapsed = [];
    for (let i = 0; i < times; i++) {
      const began = now();
      await connection.ping();
      elapsed.push(now() - began);
    }
    return { elapsed_s: elapsed };
  },
  close: () => connection.close().then(() => ({})),
};

const lines = readline.createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { do: verb, ...request } = JSON.parse(line);
  if (verb === 'break') {
    if (running) {
      breakSent = now();
      connection.break().catch(() => {});
    }
    return;
  }
  carryOut[verb](request).then(say, (error) => say({ error: brief(error) }));
});
lines.on('close', () => process.exit(0));
say({
  driver: 'node-oracledb',
  version: oracledb.versionString,
  out_of_band: false,
  sdu: true,
});

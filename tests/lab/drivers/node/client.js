// SPDX-License-Identifier: GPL-2.0-or-later
// Carries out what is asked of it line by line: see test_drivers.py.
const oracledb = require('oracledb');
const readline = require('readline');

function say(answer) {
  process.stdout.write(JSON.stringify(answer) + '\n');
}

function brief(error) {
  return error.message.split('\n')[0];
}

async function main() {
  const [port] = process.argv.slice(2);
  const connection = await oracledb.getConnection({
    user: 'scott',
    password: 'tiger',
    connectString: `127.0.0.1:${port}/LAB`,
  });
  say({ ready: connection.oracleServerVersionString });

  const run = (sql, binds) =>
    connection.execute(sql, binds).then(
      (result) => say({ rows: result.rows || [], changed: result.rowsAffected || 0 }),
      (error) => say({ error: brief(error) }),
    );
  const carryOut = {
    query: ({ sql, binds }) => run(sql, binds || []),
    cancel: () => connection.break(),
    commit: () => connection.commit().then(() => say({ done: 'commit' })),
    rollback: () => connection.rollback().then(() => say({ done: 'rollback' })),
    ping: () => connection.ping().then(() => say({ done: 'ping' })),
    close: () => connection.close().then(() => say({ done: 'close' })),
  };
  readline.createInterface({ input: process.stdin }).on('line', (line) => {
    const { ask, ...rest } = JSON.parse(line);
    carryOut[ask](rest);
  });
}

main().catch((error) => {
  say({ error: brief(error) });
  process.exit(1);
});

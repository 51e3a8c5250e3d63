// SPDX-License-Identifier: GPL-2.0-or-later
// node-oracledb (thin mode) as a load client; ../README.md has the requests.
'use strict';
const oracledb = require('oracledb');
const readline = require('readline');

const ENTRY_BYTES = 16;
const RECORD_BYTES = 32;
const FLUSH_RECORDS = 2048;
const FLUSH_NS = 100e6;
const EXECUTED = 0;
const DROPPED = -1;
// Node's timers count whole milliseconds; what is left then is slept by the kernel.
const TIMER_NS = 2e6;

// hrtime is CLOCK_MONOTONIC, as the generator reads it. A double keeps its nanoseconds for 104 days
// of uptime; after those it rounds to two, then four.
const now = () => Number(process.hrtime.bigint());
const reply = (message) => process.stdout.write(JSON.stringify(message) + '\n');
const brief = (error) => error.message.split('\n')[0].slice(0, 300);
const sleeper = new Int32Array(new SharedArrayBuffer(4));

let statements = [];
const sessions = new Map();

// What a session has done since its last flush.
class Records {
  constructor(session) {
    this.session = session;
    this.data = Buffer.alloc(FLUSH_RECORDS * RECORD_BYTES);
    this.length = 0;
    this.errors = [];
    this.flushed = now();
  }

  add(due, began, ended, statement, outcome) {
    const at = this.length;
    this.data.writeDoubleLE(due, at);
    this.data.writeDoubleLE(began, at + 8);
    this.data.writeDoubleLE(ended, at + 16);
    this.data.writeInt32LE(statement, at + 24);
    this.data.writeInt32LE(outcome, at + 28);
    this.length += RECORD_BYTES;
    if (this.length === this.data.length) this.flush();
  }

  // The outcome that stands for this error until the next flush.
  failed(text) {
    if (!this.errors.includes(text)) this.errors.push(text);
    return 1 + this.errors.indexOf(text);
  }

  // `until`: when this session can flush again.
  flushIfDue(until) {
    if (until - this.flushed >= FLUSH_NS) this.flush();
  }

  flush() {
    this.flushed = now();
    if (!this.length) return;
    const records = this.data.toString('base64', 0, this.length);
    reply({ session: this.session, records, errors: this.errors });
    this.length = 0;
    this.errors = [];
  }
}

// One connection. The generator gives a process of this program one session alone: a second one
// would wait for the first one's sleeps.
class Session {
  constructor(number) {
    this.number = number;
    this.entries = [];
    this.stopped = false;
    this.wake = () => {};
  }

  stop() {
    this.stopped = true;
    this.wake();
  }

  add(entries) {
    this.entries.push(entries);
    this.wake();
  }

  async connect({ at_ns, dsn, user, password, fetch_size, sdu, first, identify }) {
    // Thin mode sends no urgent data: there is nothing to disable.
    this.options = { maxRows: 0 };
    if (fetch_size) Object.assign(this.options, { fetchArraySize: fetch_size, prefetchRows: fetch_size });
    await this.waitUntil(at_ns);
    const began = now();
    const how = { user, password, connectString: dsn, ...(sdu ? { sdu } : {}) };
    this.connection = await oracledb.getConnection(how);
    const ended = now();
    for (const text of first) await this.connection.execute(text);
    const identity = [];
    for (const text of identify) identity.push(await this.oneValue(text));
    reply({ session: this.number, began_ns: began, connected_ns: ended, identity });
  }

  async oneValue(text) {
    try {
      const { rows } = await this.connection.execute(text);
      return rows[0][0] === null ? null : String(rows[0][0]);
    } catch {
      return null;
    }
  }

  async run(how) {
    let failure = null;
    try {
      failure = await this.executeAll(how);
      await this.connection.close();
    } catch (error) {
      failure = brief(error);
    }
    reply({ session: this.number, ended: failure });
  }

  // Carries out the plan until the end; why the session ended before that, or null.
  async executeAll({ start_ns, end_ns, open_loop, max_lag_ns, per_commit, rollback }) {
    const finish = () => (rollback ? this.connection.rollback() : this.connection.commit());
    const records = new Records(this.number);
    let changed = 0;
    let previous = start_ns;
    let failure = null;
    let entries = null;
    let at = 0;
    while (!this.stopped && !failure) {
      if (entries === null || at === entries.length) {
        entries = await this.next(records);
        at = 0;
        if (entries === null) break;
      }
      const number = entries.readUInt32LE(at);
      const row = entries.readUInt32LE(at + 4);
      const due = (open_loop ? start_ns : previous) + entries.readDoubleLE(at + 8);
      at += ENTRY_BYTES;
      if (due >= end_ns) break;
      records.flushIfDue(Math.max(due, now()));
      if (!(await this.waitUntil(due))) break;
      const began = now();
      if (began >= end_ns) break;
      if (max_lag_ns !== null && began - due > max_lag_ns) {
        records.add(due - start_ns, began - start_ns, began - start_ns, number, DROPPED);
        continue;
      }
      let outcome = EXECUTED;
      try {
        const { sql, query, rows } = statements[number];
        await this.connection.execute(sql, rows[row], this.options);
        if (!query && ++changed >= per_commit) {
          changed = 0;
          await finish();
        }
      } catch (error) {
        outcome = records.failed(brief(error));
        if (!(await this.answers(error))) failure = brief(error);
      }
      previous = now();
      records.add(due - start_ns, began - start_ns, previous - start_ns, number, outcome);
      records.flushIfDue(previous);
    }
    records.flush();
    if (changed && !failure) await finish();
    return failure;
  }

  // Whether the server still answers after an error: one of its own has come from it.
  async answers(error) {
    if (error.message.startsWith('ORA-') && this.connection.isHealthy()) return true;
    return this.connection.ping().then(
      () => true,
      () => false,
    );
  }

  // The next piece of the plan, waiting where it has not come yet; null where stopped.
  async next(records) {
    if (!this.entries.length) records.flush();
    while (!this.entries.length && !this.stopped) await new Promise((wake) => (this.wake = wake));
    return this.stopped ? null : this.entries.shift();
  }

  // False where the session was stopped meanwhile.
  async waitUntil(due) {
    const left = due - now();
    if (left > TIMER_NS) {
      await new Promise((wake) => {
        const timer = setTimeout(wake, Math.floor((left - TIMER_NS) / 1e6));
        this.wake = () => {
          clearTimeout(timer);
          wake();
        };
      });
    }
    if (!this.stopped) {
      const rest = due - now();
      if (rest > 0) Atomics.wait(sleeper, 0, 0, rest / 1e6);
    }
    return !this.stopped;
  }
}

const carryOut = {
  prepare: (request) => (statements = request.statements),
  connect(request) {
    const session = new Session(request.session);
    sessions.set(request.session, session);
    session
      .connect(request)
      .catch((error) => reply({ session: request.session, failed: brief(error) }));
  },
  plan: ({ session, entries }) => sessions.get(session).add(Buffer.from(entries, 'base64')),
  run: (request) => sessions.get(request.session).run(request),
  stop: ({ session }) => sessions.get(session).stop(),
};

const lines = readline.createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const request = JSON.parse(line);
  carryOut[request.do](request);
});
lines.on('close', () => process.exit(0));
reply({ driver: 'node-oracledb', version: oracledb.versionString });

// SPDX-License-Identifier: GPL-2.0-or-later
#include "plsql/job_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "net/breakcheck.h"
#include "plsql/plsql.h"
#include "process/sql_trace.h"
#include "process/trace_file.h"
#include "sql/execute/cursor.h"
#include "sql/execute/transaction.h"

// The block sees the number of its job, as in Oracle.
void job_block(const struct job *job, char *to, size_t size) {
    snprintf(to, size, "DECLARE job BINARY_INTEGER := %u; BEGIN %s END;",
             job->number, job->what);
}

static bool parse(struct cursor *cursor, struct database *database,
                  const struct job *job, struct ora_error *error) {
    char text[JOB_BLOCK];
    job_block(job, text, sizeof text);
    return cursor_parse(cursor, database, text, strlen(text), error);
}

bool job_check(struct database *database, const struct job *job,
               struct ora_error *error) {
    struct cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor) {
        ora_error_set(error, 4030, "");
        return false;
    }
    const bool ok = parse(cursor, database, job, error);
    cursor_close(cursor);
    free(cursor);
    return ok;
}

bool job_execute(struct database *database, const struct job *job,
                 struct ora_error *error) {
    struct cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor) {
        ora_error_set(error, 4030, "");
        return false;
    }
    const struct statement_call outer = statement_call_deeper(database);
    bool ok = parse(cursor, database, job, error);
    if (ok) {
        statement_call_begins(cursor, EXEC_CALL);
        ok = cursor_execute(cursor, error);
        statement_call_ends(database, ok, error);
    }
    cursor_close(cursor);
    statement_call_back(database, outer);
    free(cursor);
    return ok;
}

static void log_on(struct session_slot *self, const struct sga *sga,
                   const struct job *job) {
    char host[SGA_NAME] = "";
    gethostname(host, sizeof host - 1);
    snprintf(self->user, sizeof self->user, "%s", sga->user);
    snprintf(self->program, sizeof self->program, "oracle@%.40s (J%03u)", host,
             job->process);
    snprintf(self->machine, sizeof self->machine, "%s", host);
    snprintf(self->client_pid, sizeof self->client_pid, "%d", (int)self->pid);
    if (*job->name) {
        snprintf(self->module, sizeof self->module, "DBMS_SCHEDULER");
        snprintf(self->action, sizeof self->action, "%.*s",
                 (int)sizeof self->action - 1, job->name);
    }
    self->logon_time = time(NULL);
    self->logged_on = true;
    self->stat[STAT_LOGONS]++;
}

static bool run(struct database *database, const struct job *job,
                struct ora_error *error) {
    struct session_slot *self = database->self;
    time_model_call_begins(&self->time);
    self->active = true;
    bool ok = job_execute(database, job, error);
    if (ok && !transaction_commit(database)) {
        transaction_error(database, error);
        ok = false;
    }
    if (!ok)
        transaction_rollback(database);
    self->active = false;
    time_model_call_ends(&self->time);
    self->call_ended_us = clock_us();
    return ok;
}

// There is no client, whose break would have to be looked for: its gets make no
// checks and no polls.
void job_server_run(struct sga *sga, struct session_slot *self,
                    uint32_t number) {
    static struct database database;
    static struct tns no_client = {.fd = -1};
    struct break_channel channel = {
        .tns = &no_client,
        .mode = BREAK_BY_SIGNAL,
        .skip = 1,
        .checks = &self->stat[STAT_BREAK_CHECKS],
        .polls = &self->stat[STAT_BREAK_POLLS],
        .bridge_gone = &self->bridge_gone,
    };
    struct ora_error error = {0};
    char why[200] = "";
    static struct job job;
    bool is_found = false;
    for (unsigned i = 0; i < MOST_JOBS && !is_found; i++)
        is_found = job_at(sga, self, i, &job) && job.number == number;
    sql_trace_of(self);
    bool ok = is_found &&
              database_open(&database, sga, self, &channel, why, sizeof why);
    if (ok && plsql_open(&database)) {
        log_on(self, sga, &job);
        ok = run(&database, &job, &error);
    } else if (is_found) {
        ora_error_set(&error, 600, *why ? why : "memory");
        ok = false;
    }
    if (!ok && is_found) {
        if (*job.name)
            trace_write("ORA-12012: error on auto execute of job "
                        "\"%s\".\"%s\"\n%s",
                        sga->user, job.name, error.text);
        else
            trace_write("ORA-12012: error on auto execute of job %u\n%s",
                        job.number, error.text);
    }
    job_done(sga, number, !ok);
    plsql_close(&database);
    database_close(&database);
    trace_flush();
}

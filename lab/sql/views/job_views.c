// SPDX-License-Identifier: GPL-2.0-or-later
// USER_JOBS, of DBMS_JOB, and USER_SCHEDULER_JOBS. A session sees those that it
// has not committed, too.
#include <sqlite3.h>

#include "sql/types/oracle_date.h"
#include "sql/views/fixed_table.h"

static bool get(const struct fixed_cell *cell, struct job *to) {
    return job_at(cell->database->sga, cell->database->self,
                  (unsigned)cell->row, to);
}

static bool is_old_job(const struct database *database, int row) {
    struct job job;
    return job_at(database->sga, database->self, (unsigned)row, &job) &&
           !*job.name;
}

static bool is_scheduled(const struct database *database, int row) {
    struct job job;
    return job_at(database->sga, database->self, (unsigned)row, &job) &&
           *job.name;
}

static void owner(const struct fixed_cell *cell) {
    fixed_text(cell, cell->database->sga->user);
}

static void number(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job))
        fixed_integer(cell, job.number);
}

static void name(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job))
        fixed_text(cell, job.name);
}

static void what(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job))
        fixed_text(cell, job.what);
}

static void next_date(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job))
        fixed_date(cell, job.made);
}

static void last_date(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job) && job.runs_so_far > job.failures)
        fixed_date(cell, job.began);
}

static void this_date(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job) && job.state == JOB_RUNNING)
        fixed_date(cell, job.began);
}

static void last_start(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job) && job.began)
        fixed_date(cell, job.began);
}

static void broken(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job))
        fixed_text(cell, job.state == JOB_FAILED ? "Y" : "N");
}

static void failures(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job) && job.runs_so_far > 0)
        fixed_integer(cell, job.failures);
}

static void failure_count(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job))
        fixed_integer(cell, job.failures);
}

static void runs(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job))
        fixed_integer(cell, job.runs_so_far);
}

static void enabled(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job))
        fixed_text(cell, job.state == JOB_QUEUED || job.state == JOB_RUNNING
                             ? "TRUE"
                             : "FALSE");
}

static void auto_drop(const struct fixed_cell *cell) {
    struct job job;
    if (get(cell, &job))
        fixed_text(cell, job.stays ? "FALSE" : "TRUE");
}

static void state(const struct fixed_cell *cell) {
    static const char *const states[] = {
        [JOB_DISABLED] = "DISABLED",   [JOB_QUEUED] = "SCHEDULED",
        [JOB_RUNNING] = "RUNNING",     [JOB_FAILED] = "FAILED",
        [JOB_SUCCEEDED] = "SUCCEEDED",
    };
    struct job job;
    if (get(cell, &job) && states[job.state])
        fixed_text(cell, states[job.state]);
}

static const struct fixed_column old_jobs[] = {
    {"JOB", "NUMBER", number},
    {"LOG_USER", "VARCHAR2(128)", owner},
    {"PRIV_USER", "VARCHAR2(128)", owner},
    {"SCHEMA_USER", "VARCHAR2(128)", owner},
    {"LAST_DATE", "DATE", last_date},
    {"THIS_DATE", "DATE", this_date},
    {"NEXT_DATE", "DATE", next_date},
    {"BROKEN", "VARCHAR2(1)", broken},
    {"INTERVAL", "VARCHAR2(200)", .text = "null"},
    {"FAILURES", "NUMBER", failures},
    {"WHAT", "VARCHAR2(4000)", what},
    {0},
};

// user_scheduler_jobs has all but the owner.
static const struct fixed_column scheduled[] = {
    {"OWNER", "VARCHAR2(128)", owner},
    {"JOB_NAME", "VARCHAR2(128)", name},
    {"JOB_TYPE", "VARCHAR2(16)", .text = "PLSQL_BLOCK"},
    {"JOB_ACTION", "VARCHAR2(4000)", what},
    {"ENABLED", "VARCHAR2(5)", enabled},
    {"AUTO_DROP", "VARCHAR2(5)", auto_drop},
    {"STATE", "VARCHAR2(20)", state},
    {"RUN_COUNT", "NUMBER", runs},
    {"FAILURE_COUNT", "NUMBER", failure_count},
    {"LAST_START_DATE", "DATE", last_start},
    {0},
};

const struct fixed_table job_views[] = {
    {"USER_JOBS", old_jobs, MOST_JOBS, is_old_job},
    {"ALL_JOBS", old_jobs, MOST_JOBS, is_old_job},
    {"DBA_JOBS", old_jobs, MOST_JOBS, is_old_job},
    {"USER_SCHEDULER_JOBS", scheduled + 1, MOST_JOBS, is_scheduled},
    {"ALL_SCHEDULER_JOBS", scheduled, MOST_JOBS, is_scheduled},
    {"DBA_SCHEDULER_JOBS", scheduled, MOST_JOBS, is_scheduled},
    {0},
};

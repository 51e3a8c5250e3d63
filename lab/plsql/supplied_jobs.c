// SPDX-License-Identifier: GPL-2.0-or-later
// DBMS_JOB and DBMS_SCHEDULER, as far as a block is to run once, now, in a
// process of its own.
#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "plsql/job_run.h"
#include "plsql/supplied.h"
#include "process/trace_file.h"
#include "sql/execute/transaction.h"
#include "sql/types/oracle_date.h"

enum {
    UNIMPLEMENTED = 3001,
    FAILED_JOBS = 12011,
    NO_SUCH_NUMBER = 23421,
    NO_SUCH_NAME = 27475,
    NAME_IS_USED = 27477,
    IS_RUNNING = 27478,
};

static bool refuse(struct ora_error *error, unsigned number,
                   const char *about) {
    ora_error_set(error, number, about);
    return false;
}

// The text of an argument; false: it is too long.
static bool text_of(struct plsql_session *p, const struct scalar *argument,
                    char *to, size_t size) {
    size_t length;
    char *text = scalar_text(p, argument, &length);
    const bool fits = !text || length < size;
    snprintf(to, size, "%s", text ? text : "");
    sqlite3_free(text);
    return fits;
}

static bool is_true(const struct scalar *argument) {
    return argument->kind == SCALAR_INTEGER && argument->integer != 0;
}

static uint32_t number_of(const struct scalar *argument) {
    const double number = scalar_double(argument);
    return number >= 1 && number < 4e9 ? (uint32_t)number : 0;
}

static bool is_given(const struct scalar *argument) {
    return argument->kind != SCALAR_NULL;
}

// A date of the session's clock that is still to come.
static bool is_to_come(const struct scalar *date) {
    struct oracle_date start_date, now = oracle_date_of(time(NULL), 0);
    uint8_t bytes[DATE_BYTES];
    if (date->kind != SCALAR_VALUE)
        return false;
    const size_t size = (size_t)sqlite3_value_bytes(date->value);
    const uint8_t *from = sqlite3_value_blob(date->value);
    oracle_date_write(&now, bytes, sizeof bytes);
    return !from || size < DATE_BYTES ||
           !oracle_date_read(from, size, &start_date) ||
           memcmp(from, bytes, sizeof bytes) > 0;
}

void jobs_undo(struct plsql_session *p, uint32_t since) {
    struct database *database = p->database;
    database->has_jobs = jobs_roll_back(database->sga, database->self, since);
    transaction_show(database);
}

static uint32_t add(struct plsql_session *p, const struct job *job,
                    struct ora_error *error) {
    struct database *database = p->database;
    const uint32_t number = job_add(database->sga, database->self, job);
    if (number == 0)
        ora_error_set(error, UNIMPLEMENTED, "more than 128 jobs");
    else
        database->has_jobs = true;
    transaction_show(database);
    return number;
}

static bool commit(struct plsql_session *p, struct ora_error *error) {
    if (transaction_commit(p->database))
        return true;
    transaction_error(p->database, error);
    return false;
}

// (job OUT, what, next_date, interval, no_parse, instance, force)
static bool submit(struct plsql_session *p, struct scalar *argument,
                   struct scalar *result, struct ora_error *error) {
    struct job job = {.runs = true};
    (void)result;
    if (!text_of(p, &argument[1], job.what, sizeof job.what))
        return refuse(error, UNIMPLEMENTED, "a job of more than 4,000 bytes");
    if (is_to_come(&argument[2]))
        return refuse(error, UNIMPLEMENTED, "NEXT_DATE of a job in the future");
    if (is_given(&argument[3]))
        return refuse(error, UNIMPLEMENTED, "INTERVAL of a job");
    if (!is_true(&argument[4]) && !job_check(p->database, &job, error))
        return false;
    const uint32_t number = add(p, &job, error);
    argument[0] = (struct scalar){.kind = SCALAR_INTEGER, .integer = number};
    return number > 0;
}

// The job that a number means.
static bool numbered(struct plsql_session *p, const struct scalar *argument,
                     struct job *to, struct ora_error *error) {
    char about[24];
    const uint32_t number = number_of(argument);
    if (job_find(p->database->sga, p->database->self, number, "", to))
        return true;
    snprintf(about, sizeof about, "%u", number);
    return refuse(error, NO_SUCH_NUMBER, about);
}

static bool remove_number(struct plsql_session *p, struct scalar *argument,
                          struct scalar *result, struct ora_error *error) {
    struct job job;
    (void)result;
    if (!numbered(p, &argument[0], &job, error))
        return false;
    job_remove(p->database->sga, p->database->self, job.number);
    p->database->has_jobs = true;
    transaction_show(p->database);
    return true;
}

// In this session, in a transaction of its own.
static bool run_here(struct plsql_session *p, const struct job *job,
                     struct ora_error *error) {
    const bool ok = commit(p, error) && job_execute(p->database, job, error) &&
                    commit(p, error);
    if (!ok)
        transaction_rollback(p->database);
    job_ran_here(p->database->sga, job->number, !ok);
    return ok;
}

// It fails as Oracle's does,
// which leaves the cause in the trace file alone.
static bool run_number(struct plsql_session *p, struct scalar *argument,
                       struct scalar *result, struct ora_error *error) {
    struct job job;
    (void)result;
    if (!numbered(p, &argument[0], &job, error))
        return false;
    if (job.state == JOB_RUNNING || job.state == JOB_UNCOMMITTED)
        return refuse(error, UNIMPLEMENTED,
                      job.state == JOB_RUNNING ? "DBMS_JOB.RUN of one that runs"
                                               : "DBMS_JOB.RUN before COMMIT");
    const bool ok = run_here(p, &job, error);
    if (ok || error->number == 1013)
        return ok;
    trace_write("ORA-12012: error on auto execute of job %u\n%s", job.number,
                error->text);
    return refuse(error, FAILED_JOBS, "1");
}

// A name of the scheduler's, of which the owner may be a part.
static bool name_of(struct plsql_session *p, const struct scalar *argument,
                    char name[JOB_NAME]) {
    char text[JOB_NAME + SGA_NAME];
    const size_t owner = strlen(p->database->sga->user);
    if (!text_of(p, argument, text, sizeof text))
        return false;
    for (char *c = text; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    const bool is_own =
        strncmp(text, p->database->sga->user, owner) == 0 && text[owner] == '.';
    const char *from = text + (is_own ? owner + 1 : 0);
    if (!*from || strlen(from) >= JOB_NAME || strpbrk(from, ".\" "))
        return false;
    strcpy(name, from);
    return true;
}

static void shown_name(const struct plsql_session *p, const char *name,
                       char *to, size_t size) {
    snprintf(to, size, "\"%s\".\"%s\"", p->database->sga->user, name);
}

static bool refuse_name_of(struct plsql_session *p, unsigned number,
                           const char *name, struct ora_error *error) {
    char display_name[JOB_NAME + SGA_NAME + 6];
    shown_name(p, name, display_name, sizeof display_name);
    return refuse(error, number, display_name);
}

static bool named(struct plsql_session *p, const struct scalar *argument,
                  struct job *to, struct ora_error *error) {
    char name[JOB_NAME];
    if (!name_of(p, argument, name))
        return refuse(error, UNIMPLEMENTED, "such a name of a job");
    return job_find(p->database->sga, p->database->self, 0, name, to) ||
           refuse_name_of(p, NO_SUCH_NAME, name, error);
}

// Which of CREATE_JOB's arguments are given that make another kind of job.
static const char *more_than_once(const struct scalar *argument) {
    enum { ARGUMENTS = 3, START = 4, REPEAT = 5, END = 6, CLASS = 7 };
    enum { CREDENTIAL = 11, DESTINATION = 12 };
    return is_given(&argument[ARGUMENTS]) &&
                   scalar_double(&argument[ARGUMENTS]) != 0
               ? "NUMBER_OF_ARGUMENTS of a job"
           : is_to_come(&argument[START]) ? "START_DATE of a job in the future"
           : is_given(&argument[REPEAT])  ? "REPEAT_INTERVAL of a job"
           : is_given(&argument[END])     ? "END_DATE of a job"
           : is_given(&argument[CLASS])   ? "JOB_CLASS of a job"
           : is_given(&argument[CREDENTIAL]) || is_given(&argument[DESTINATION])
               ? "an external job"
               : NULL;
}

// (job_name, job_type, job_action, number_of_arguments, start_date,
// repeat_interval, end_date, job_class, enabled, auto_drop, comments, ...),
// which commits.
static bool create(struct plsql_session *p, struct scalar *argument,
                   struct scalar *result, struct ora_error *error) {
    enum { ENABLED = 8, AUTO_DROP = 9 };
    struct job job = {0}, other;
    char type[20];
    (void)result;
    const char *why = more_than_once(argument);
    if (!text_of(p, &argument[1], type, sizeof type) ||
        strcasecmp(type, "PLSQL_BLOCK") != 0)
        why = "a job of another type than PLSQL_BLOCK";
    else if (!text_of(p, &argument[2], job.what, sizeof job.what))
        why = "a job of more than 4,000 bytes";
    else if (!name_of(p, &argument[0], job.name))
        why = "such a name of a job";
    if (why)
        return refuse(error, UNIMPLEMENTED, why);
    if (job_find(p->database->sga, p->database->self, 0, job.name, &other))
        return refuse_name_of(p, NAME_IS_USED, job.name, error);
    job.runs = is_true(&argument[ENABLED]);
    job.stays =
        is_given(&argument[AUTO_DROP]) && !is_true(&argument[AUTO_DROP]);
    return add(p, &job, error) > 0 && commit(p, error);
}

// (job_name, force)
static bool drop(struct plsql_session *p, struct scalar *argument,
                 struct scalar *result, struct ora_error *error) {
    struct job job;
    (void)result;
    if (!named(p, &argument[0], &job, error))
        return false;
    if (job.state == JOB_RUNNING)
        return is_true(&argument[1])
                   ? refuse(error, UNIMPLEMENTED, "DROP_JOB of one that runs")
                   : refuse_name_of(p, IS_RUNNING, job.name, error);
    job_remove(p->database->sga, p->database->self, job.number);
    p->database->has_jobs = true;
    return commit(p, error);
}

// (job_name, use_current_session)
static bool run_name(struct plsql_session *p, struct scalar *argument,
                     struct scalar *result, struct ora_error *error) {
    struct job job;
    (void)result;
    if (!named(p, &argument[0], &job, error))
        return false;
    if (job.state == JOB_RUNNING)
        return refuse_name_of(p, IS_RUNNING, job.name, error);
    if (is_given(&argument[1]) && !is_true(&argument[1])) {
        job_enable(p->database->sga, job.number, true);
        return true;
    }
    return run_here(p, &job, error);
}

static bool set_enabled(struct plsql_session *p, struct scalar *argument,
                        struct ora_error *error, bool runs) {
    struct job job;
    if (!named(p, &argument[0], &job, error))
        return false;
    if (job.state == JOB_RUNNING && !runs)
        return refuse_name_of(p, IS_RUNNING, job.name, error);
    if (!commit(p, error))
        return false;
    if (job.state != JOB_RUNNING && job.state != JOB_QUEUED)
        job_enable(p->database->sga, job.number, runs);
    else if (!runs)
        job_enable(p->database->sga, job.number, false);
    return true;
}

static bool enable(struct plsql_session *p, struct scalar *argument,
                   struct scalar *result, struct ora_error *error) {
    (void)result;
    return set_enabled(p, argument, error, true);
}

static bool disable(struct plsql_session *p, struct scalar *argument,
                    struct scalar *result, struct ora_error *error) {
    (void)result;
    return set_enabled(p, argument, error, false);
}

#define OPTIONAL(name)                                                         \
    { name, MODE_IN, true }

const struct supplied job_packages[] = {
    {"DBMS_JOB",
     "SUBMIT",
     {{"JOB", MODE_OUT},
      {"WHAT", MODE_IN},
      OPTIONAL("NEXT_DATE"),
      OPTIONAL("INTERVAL"),
      OPTIONAL("NO_PARSE"),
      OPTIONAL("INSTANCE"),
      OPTIONAL("FORCE")},
     .call = submit},
    {"DBMS_JOB", "REMOVE", {{"JOB", MODE_IN}}, .call = remove_number},
    {"DBMS_JOB",
     "RUN",
     {{"JOB", MODE_IN}, OPTIONAL("FORCE")},
     .call = run_number},
    {"DBMS_SCHEDULER",
     "CREATE_JOB",
     {{"JOB_NAME", MODE_IN},
      {"JOB_TYPE", MODE_IN},
      {"JOB_ACTION", MODE_IN},
      OPTIONAL("NUMBER_OF_ARGUMENTS"),
      OPTIONAL("START_DATE"),
      OPTIONAL("REPEAT_INTERVAL"),
      OPTIONAL("END_DATE"),
      OPTIONAL("JOB_CLASS"),
      OPTIONAL("ENABLED"),
      OPTIONAL("AUTO_DROP"),
      OPTIONAL("COMMENTS"),
      OPTIONAL("CREDENTIAL_NAME"),
      OPTIONAL("DESTINATION_NAME")},
     .call = create},
    {"DBMS_SCHEDULER",
     "DROP_JOB",
     {{"JOB_NAME", MODE_IN}, OPTIONAL("FORCE")},
     .call = drop},
    {"DBMS_SCHEDULER",
     "RUN_JOB",
     {{"JOB_NAME", MODE_IN}, OPTIONAL("USE_CURRENT_SESSION")},
     .call = run_name},
    {"DBMS_SCHEDULER", "ENABLE", {{"NAME", MODE_IN}}, .call = enable},
    {"DBMS_SCHEDULER",
     "DISABLE",
     {{"NAME", MODE_IN}, OPTIONAL("FORCE")},
     .call = disable},
    {NULL},
};

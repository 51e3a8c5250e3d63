// SPDX-License-Identifier: GPL-2.0-or-later
// DBMS_RESULT_CACHE.
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plsql/supplied.h"
#include "process/result_latch.h"

enum { NO_SUCH_TABLE = 942, INVALID_OPTION = 922 };

static bool flush(struct plsql_session *p, struct scalar *argument,
                  struct scalar *result, struct ora_error *error) {
    (void)argument, (void)result, (void)error;
    result_cache_flush(p->database->sga, p->database->self);
    return true;
}

// (owner, name): results that depend on the table or function become invalid.
static bool invalidate(struct plsql_session *p, struct scalar *argument,
                       struct scalar *result, struct ora_error *error) {
    const struct database *database = p->database;
    size_t length;
    (void)result;
    char *owner = scalar_text(p, &argument[0], &length);
    char *name = scalar_text(p, &argument[1], &length);
    const bool is_known =
        owner && name && strcmp(owner, database->sga->user) == 0;
    if (is_known) {
        const struct result_key key = statement_table_key(owner, name);
        result_cache_invalidate(database->sga, database->self, &key);
    } else {
        ora_error_set(error, NO_SUCH_TABLE, "");
    }
    sqlite3_free(owner);
    sqlite3_free(name);
    return is_known;
}

// (bypass_mode): no session uses the cache until it is switched off again.
static bool bypass(struct plsql_session *p, struct scalar *argument,
                   struct scalar *result, struct ora_error *error) {
    (void)result;
    if (argument[0].kind == SCALAR_NULL) {
        ora_error_set(error, INVALID_OPTION, "");
        return false;
    }
    __atomic_store_n(&p->database->sga->result_cache.bypass,
                     argument[0].integer != 0, __ATOMIC_SEQ_CST);
    return true;
}

static bool status(struct plsql_session *p, struct scalar *argument,
                   struct scalar *result, struct ora_error *error) {
    const struct result_cache *cache = &p->database->sga->result_cache;
    const char *text = cache->limit == 0 ? "DISABLED"
                       : cache->bypass   ? "BYPASS"
                                         : "ENABLED";
    (void)argument, (void)error;
    return scalar_of_text(p, text, strlen(text), result);
}

// Counts of the cache's blocks by use.
struct usage {
    unsigned tables; // a block each
    struct {
        unsigned count, blocks;
    } sql, plsql, invalid;
    unsigned growing; // blocks of results that are being made
};

static void add_object(struct usage *usage, const struct result_block *block) {
    if (block->type == RESULT_BLOCK_DEPENDENCY)
        usage->tables++;
    if (block->type != RESULT_BLOCK_RESULT)
        return;
    if (block->status == RESULT_NEW) {
        usage->growing += block->head.blocks;
        return;
    }
    if (block->status == RESULT_INVALID) {
        usage->invalid.count++;
        usage->invalid.blocks += block->head.blocks;
    } else if (block->head.plsql) {
        usage->plsql.count++;
        usage->plsql.blocks += block->head.blocks;
    } else {
        usage->sql.count++;
        usage->sql.blocks += block->head.blocks;
    }
}

// The size of the cache and its use, at one moment: a get.
static struct usage usage_of(const struct database *database, unsigned *taken) {
    const struct result_cache *cache = &database->sga->result_cache;
    struct usage usage = {0};
    result_latch_get(database->sga, database->self, LATCH_SHARED, WHERE_REPORT);
    *taken = cache->taken;
    for (uint32_t at = 1; at <= cache->taken; at++)
        add_object(&usage, &cache->block[at]);
    kslfre(database->sga, database->self);
    return usage;
}

struct report {
    struct plsql_session *session;
    struct ora_error *error;
    bool failed;
};

__attribute__((format(printf, 2, 3))) static void
line(struct report *report, const char *format, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!report->failed)
        report->failed = !output_line(report->session, text, report->error);
}

static void report_size(struct report *report, const char *label,
                        unsigned blocks) {
    line(report, "%s = %uK bytes (%u blocks)", label,
         blocks * (RESULT_BLOCK_BYTES / 1024), blocks);
}

// Memory that does not depend on the cached results.
static void report_fixed(struct report *report, bool detailed) {
    const struct result_cache *cache =
        &report->session->database->sga->result_cache;
    const size_t fixed = offsetof(struct result_cache, block);
    const size_t sessions =
        sizeof cache->pin + sizeof cache->committing + sizeof cache->changes;
    line(report, "... Fixed Memory = %zu bytes", fixed);
    if (!detailed)
        return;
    line(report, "....... Hash Table = %zuK bytes (%uK buckets)",
         sizeof cache->bucket / 1024, RESULT_BUCKETS / 1024);
    line(report, "....... State Objs = %zu bytes (%u sessions)", sessions,
         SGA_SESSIONS);
    line(report, "....... Cache Mgr = %zu bytes",
         fixed - sizeof cache->bucket - sessions);
}

static void report_results(struct report *report, const char *label,
                           unsigned blocks, unsigned count) {
    if (count > 0)
        line(report, "................... %s = %u blocks (%u count)", label,
             blocks, count);
}

static void report_usage(struct report *report, const struct usage *usage,
                         unsigned taken) {
    const unsigned results = usage->sql.blocks + usage->plsql.blocks +
                             usage->invalid.blocks + usage->growing;
    const unsigned used = usage->tables + results;
    line(report, "........... Unused Memory = %u blocks", taken - used);
    line(report, "........... Used Memory = %u blocks", used);
    line(report, "............... Dependencies = %u blocks (%u count)",
         usage->tables, usage->tables);
    line(report, "............... Results = %u blocks", results);
    report_results(report, "SQL", usage->sql.blocks, usage->sql.count);
    report_results(report, "PLSQL", usage->plsql.blocks, usage->plsql.count);
    report_results(report, "Invalid", usage->invalid.blocks,
                   usage->invalid.count);
}

// (detailed), as Oracle prints it, of memory that there is: the lab has no
// shared pool that it could be a share of.
static bool memory_report(struct plsql_session *p, struct scalar *argument,
                          struct scalar *result, struct ora_error *error) {
    const struct result_cache *cache = &p->database->sga->result_cache;
    const bool detailed =
        argument[0].kind == SCALAR_INTEGER && argument[0].integer != 0;
    struct report report = {p, error, false};
    unsigned taken_count = 0;
    (void)result;
    if (cache->limit == 0) {
        line(&report, "Result cache is disabled");
        return !report.failed;
    }
    const struct usage usage = usage_of(p->database, &taken_count);
    line(&report, "R e s u l t   C a c h e   M e m o r y   R e p o r t");
    line(&report, "[Parameters]");
    line(&report, "Block Size = %uK bytes", RESULT_BLOCK_BYTES / 1024);
    report_size(&report, "Maximum Cache Size", cache->limit);
    report_size(&report, "Maximum Result Size",
                cache->limit * RESULT_SHARE_PERCENT / 100);
    line(&report, "[Memory]");
    line(&report, "Total Memory = %zu bytes",
         offsetof(struct result_cache, block) +
             (size_t)taken_count * RESULT_BLOCK_BYTES);
    report_fixed(&report, detailed);
    line(&report, "... Dynamic Memory = %u bytes",
         taken_count * RESULT_BLOCK_BYTES);
    if (taken_count > 0) {
        report_size(&report, "....... Cache Memory", taken_count);
        report_usage(&report, &usage, taken_count);
    }
    return !report.failed;
}

#define OPTIONAL(name)                                                         \
    { name, MODE_IN, true }

const struct supplied result_cache_package[] = {
    {"DBMS_RESULT_CACHE", "FLUSH", .call = flush},
    {"DBMS_RESULT_CACHE",
     "INVALIDATE",
     {OPTIONAL("OWNER"), OPTIONAL("NAME")},
     .call = invalidate},
    {"DBMS_RESULT_CACHE", "BYPASS", {OPTIONAL("BYPASS_MODE")}, .call = bypass},
    {"DBMS_RESULT_CACHE", "STATUS", .result = OPERAND_TEXT, .call = status},
    {"DBMS_RESULT_CACHE",
     "MEMORY_REPORT",
     {OPTIONAL("DETAILED")},
     .call = memory_report},
    {NULL},
};

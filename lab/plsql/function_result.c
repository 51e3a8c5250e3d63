// SPDX-License-Identifier: GPL-2.0-or-later
#include "plsql/function_result.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "plsql/scalar_bytes.h"
#include "sql/execute/result_digest.h"

// One call: the search for its result, and the tables that its statements read.
struct function_call {
    struct result_search search;
    struct result_key key;
    struct statements_read read;
    struct statements_read *outer;
    int64_t began_us;
};

// The part of the key shared by all calls of the function, and its dependency.
static bool digest_of(struct plsql_session *p, const struct routine *routine,
                      uint8_t to[RESULT_KEY_BYTES]) {
    struct result_digest digest;
    result_digest_begin(&digest);
    result_digest_add_text(&digest, "PL/SQL");
    result_digest_add_text(&digest, p->database->sga->user);
    result_digest_add_text(&digest, routine->unit->name);
    result_digest_add_text(&digest, routine->unit->text);
    result_digest_add(&digest, &routine->tree->from,
                      sizeof routine->tree->from);
    return result_digest_end(&digest, to);
}

static void add_value(struct result_digest *digest,
                      const struct scalar *value) {
    uint8_t number[SCALAR_NUMBER_BYTES];
    const void *bytes;
    size_t length = scalar_bytes(value, number, &bytes);
    const uint8_t type = scalar_byte_type(value);
    result_digest_add(digest, &type, sizeof type);
    result_digest_add(digest, bytes, length);
}

// As Oracle names it: "OWNER"."UNIT"::type."FUNCTION"#hash #line.
static void name_result(struct plsql_session *p, const struct routine *routine,
                        const uint8_t digest[RESULT_KEY_BYTES],
                        char to[RESULT_NAME]) {
    enum { FUNCTION = 8, PACKAGE_BODY = 11 };
    char hash[17], text[2 * RESULT_NAME];
    unsigned line, column;
    for (int i = 0; i < 8; i++)
        snprintf(hash + 2 * i, 3, "%02x", digest[i]);
    statement_place(&routine->unit->s, routine->tree->from, &line, &column);
    snprintf(text, sizeof text, "\"%s\".\"%s\"::%d.\"%s\"#%s #%u",
             p->database->sga->user, routine->unit->name,
             routine->unit->kind == UNIT_ROUTINE ? FUNCTION : PACKAGE_BODY,
             routine->name, hash, line);
    memset(to, 0, RESULT_NAME);
    memcpy(to, text, strnlen(text, RESULT_NAME - 1));
}

static bool make_key(struct plsql_session *p, const struct frame *frame,
                     struct result_key *key) {
    const struct routine *routine = frame->routine;
    uint8_t function[RESULT_KEY_BYTES];
    struct result_digest digest;
    if (!digest_of(p, routine, function))
        return false;
    name_result(p, routine, function, key->name);
    result_digest_begin(&digest);
    result_digest_add(&digest, function, sizeof function);
    for (unsigned i = 0; i < routine->parameters; i++) {
        const struct parameter *parameter = &routine->parameter[i];
        add_value(&digest, &frame->slot[parameter->variable->slot].scalar);
    }
    result_digest_add(&digest, &p->definitions, sizeof p->definitions);
    result_digest_add_session(&digest);
    return result_digest_end(&digest, key->digest);
}

static void begin(struct plsql_session *p, const struct frame *frame,
                  struct function_call *call) {
    struct database *database = p->database;
    memset(call, 0, sizeof *call);
    call->outer = database->reading;
    call->began_us = clock_us();
    call->read.since = result_changes_now(database->sga);
    call->read.tables.read[0] =
        statement_table_key(database->sga->user, frame->routine->unit->name);
    call->read.tables.reads = 1;
    call->search = (struct result_search){
        .key = &call->key,
        .table = call->read.tables.read,
        .tables = 1,
        .mode =
            database->cached_results.exclusive ? LATCH_EXCLUSIVE : LATCH_SHARED,
        .plsql = true,
    };
}

// Whether the session has changed one of the tables and not committed.
static bool has_changed(const struct database *database,
                        const struct statement_tables *tables) {
    bool changed = false;
    for (unsigned i = 0; i < tables->reads && !changed; i++)
        changed = result_changes_include(database->sga, database->self,
                                         &tables->read[i]);
    return changed;
}

// The pinned result. False if it is none for this session, or was given up.
static bool take(struct plsql_session *p, struct function_call *call,
                 struct scalar *to) {
    struct database *database = p->database;
    struct statement_tables *tables = &call->read.tables;
    const uint64_t limit = result_cache_most(database->sga);
    const struct result_size size =
        result_cache_size(database->sga, &call->search);
    void *bytes = size.bytes <= limit ? sqlite3_malloc64(size.bytes + 1) : NULL;
    if (bytes)
        result_cache_copy(database->sga, &call->search, bytes);
    tables->reads =
        result_cache_tables(database->sga, &call->search, tables->read);
    const bool valid =
        result_cache_unpin(database->sga, database->self, &call->search);
    const bool is_taken = bytes && valid && !has_changed(database, tables) &&
                          scalar_of_bytes(p, bytes, size.bytes, to);
    sqlite3_free(bytes);
    // Neither a result that is not kept nor one that depends on it is kept.
    tables->others = !is_taken;
    return is_taken;
}

static void keep(struct plsql_session *p, struct function_call *call,
                 const struct scalar *result) {
    struct database *database = p->database;
    const struct statement_tables *tables = &call->read.tables;
    struct result_size size = {.rows = 1, .columns = 1};
    if (!call->search.keep || tables->others || tables->varies ||
        has_changed(database, tables))
        return;
    void *bytes = scalar_to_bytes(result, &size.bytes);
    if (!bytes)
        return;
    call->search.since = call->read.since;
    if (tables->reads > call->search.tables) {
        call->search.tables = tables->reads;
        result_cache_find_tables(database->sga, database->self, &call->search);
    }
    if (call->search.keep)
        result_cache_keep(database->sga, database->self, &call->search, &size,
                          bytes, (uint64_t)(clock_us() - call->began_us));
    sqlite3_free(bytes);
}

static bool is_possible(const struct database *database) {
    const struct result_cache *cache = &database->sga->result_cache;
    return cache->limit > 0 && !cache->bypass;
}

static bool search(struct plsql_session *p, struct frame *frame,
                   struct function_call *call) {
    struct database *database = p->database;
    return make_key(p, frame, &call->key) &&
           result_cache_find(database->sga, database->self, &call->search) &&
           take(p, call, &frame->result.scalar);
}

static bool run(struct plsql_session *p, struct frame *frame,
                struct function_call *call) {
    p->database->reading = &call->read;
    const bool ok = run_routine(p, frame);
    p->database->reading = call->outer;
    if (ok)
        keep(p, call, &frame->result.scalar);
    return ok;
}

bool function_result_run(struct plsql_session *p, struct frame *frame) {
    if (!is_possible(p->database))
        return run_routine(p, frame);
    struct function_call *call = sqlite3_malloc64(sizeof *call);
    if (!call)
        return raise_memory(p);
    begin(p, frame, call);
    const bool ok = search(p, frame, call) || run(p, frame, call);
    if (call->outer)
        statements_read_add(call->outer, &call->read.tables, call->read.since);
    sqlite3_free(call);
    return ok;
}

static bool is_lob(const struct type *type) {
    return type->kind == TYPE_SCALAR && operand_is_lob(type->operand);
}

static void disallow(struct compiler *c, unsigned token, const char *what) {
    char about[200];
    snprintf(about, sizeof about,
             "PLS-00999: implementation restriction (may be temporary) "
             "RESULT_CACHE is disallowed on subprograms %s",
             what);
    statement_refuse_plsql(c->s, token, about);
}

static const char *refused_parameter(const struct parameter *parameter) {
    const struct type *type = parameter->variable->type;
    return parameter->mode != MODE_IN  ? "with OUT or IN OUT parameters"
           : is_lob(type)              ? "with IN parameter of LOB type"
           : type->kind == TYPE_RECORD ? "with IN parameter of record type"
           : type->kind == TYPE_TABLE  ? "with IN parameter of table type"
           : type->kind == TYPE_CURSOR ? "with IN parameter of REF CURSOR type"
                                       : NULL;
}

void function_result_check(struct compiler *c, const struct routine *routine) {
    const unsigned token = routine->tree->cached;
    const struct type *result = routine->result;
    if (!token || c->s->error)
        return;
    if (!c->unit->shown)
        disallow(c, token, "in anonymous blocks");
    else if (routine->level > 1)
        statement_refuse(c->s, 3001, token,
                         "RESULT_CACHE of a nested function");
    for (unsigned i = 0; i < routine->parameters; i++)
        if (refused_parameter(&routine->parameter[i]))
            disallow(c, token, refused_parameter(&routine->parameter[i]));
    if (is_lob(result))
        disallow(c, token, "returning a LOB");
    else if (result->kind == TYPE_CURSOR)
        disallow(c, token, "returning a REF CURSOR");
    else if (result->kind == TYPE_RECORD || result->kind == TYPE_TABLE)
        statement_refuse(c->s, 3001, token,
                         "RESULT_CACHE of a record or a table");
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Stored procedures, functions and packages: their texts are rows of a table in
// the user's data file, which no statement can name. A session compiles a unit
// when it first needs it.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plsql/compile.h"
#include "sql/execute/transaction.h"

enum { NAME_IS_USED = 955, NO_SUCH_OBJECT = 4043 };

// Gets of these statements are those of the library cache, which no statement
// counts.
static sqlite3_stmt *prepare(struct plsql_session *p, const char *format) {
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_mprintf(format, p->database->own_schema);
    if (sql)
        sqlite3_prepare_v2(p->database->db, sql, -1, &statement, NULL);
    sqlite3_free(sql);
    return statement;
}

static char *stored_text(struct plsql_session *p, const char *name, int kind) {
    struct sqlite3 *counted = p->database->lio.db;
    char *text = NULL;
    p->database->lio.db = NULL;
    sqlite3_stmt *statement =
        prepare(p, "SELECT text FROM %s.\"sqlite plsql\" WHERE name = ?1 AND "
                   "kind = ?2");
    if (statement) {
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
        sqlite3_bind_int(statement, 2, kind);
        if (sqlite3_step(statement) == SQLITE_ROW)
            text = strdup((const char *)sqlite3_column_text(statement, 0));
        sqlite3_finalize(statement);
    }
    p->database->lio.db = counted;
    return text;
}

static const char *shown_name(struct plsql_session *p, struct unit *unit) {
    struct compiler c = {.unit = unit};
    char *display_name = compile_take(&c, SGA_NAME + LONGEST_NAME + 2);
    snprintf(display_name, SGA_NAME + LONGEST_NAME + 2, "%s.%s",
             p->database->sga->user, unit->name);
    return display_name;
}

// The text after CREATE, compiled; NULL with `error` set.
static struct unit *compile_stored(struct plsql_session *p, const char *name,
                                   int kind, const char *text,
                                   struct unit *specification,
                                   struct ora_error *error) {
    char *create_text = sqlite3_mprintf("CREATE %s", text);
    struct unit *unit =
        create_text ? unit_new(p, create_text, strlen(create_text)) : NULL;
    sqlite3_free(create_text);
    if (!unit) {
        ora_error_set(error, 4030, "");
        return NULL;
    }
    snprintf(unit->name, sizeof unit->name, "%s", name);
    unit->kind = kind;
    unit->specification = specification;
    unit->shown = shown_name(p, unit);
    if (unit_compile(unit, NULL, error))
        return unit;
    unit_free(unit);
    return NULL;
}

struct unit *unit_stored(struct plsql_session *p, const char *name, int kind,
                         struct ora_error *error) {
    for (struct unit *known = p->units; known; known = known->next)
        if (known->kind == kind && strcmp(known->name, name) == 0)
            return known;
    char *text = stored_text(p, name, kind);
    if (!text)
        return NULL;
    struct unit *unit = compile_stored(p, name, kind, text, NULL, error);
    free(text);
    if (unit) {
        unit->next = p->units;
        p->units = unit;
    }
    return unit;
}

struct unit *unit_body(struct unit *specification, struct ora_error *error) {
    struct plsql_session *p = specification->session;
    if (specification->body)
        return specification->body;
    char *text = stored_text(p, specification->name, UNIT_PACKAGE_BODY);
    if (!text)
        return NULL;
    specification->body = compile_stored(
        p, specification->name, UNIT_PACKAGE_BODY, text, specification, error);
    free(text);
    return specification->body;
}

void units_forget(struct plsql_session *p) {
    while (p->units) {
        struct unit *next = p->units->next;
        unit_free(p->units);
        p->units = next;
    }
    p->generation++;
}

static bool is_as_stored(struct plsql_session *p, const struct unit *unit) {
    enum { CREATE = 7 };
    char *text = stored_text(p, unit->name, unit->kind);
    const bool is_same = text && strcmp(text, unit->text + CREATE) == 0;
    free(text);
    return is_same && (!unit->body || is_as_stored(p, unit->body));
}

void units_refresh(struct plsql_session *p) {
    const uint64_t current = __atomic_load_n(
        &p->database->sga->result_cache.definitions, __ATOMIC_SEQ_CST);
    if (current == p->definitions)
        return;
    p->definitions = current;
    bool is_same = true;
    for (const struct unit *one = p->units; one && is_same; one = one->next)
        is_same = is_as_stored(p, one);
    if (!is_same)
        units_forget(p);
}

static bool run(struct plsql_session *p, const char *format, const char *name,
                int kind, const char *text) {
    sqlite3_stmt *statement = prepare(p, format);
    if (!statement)
        return false;
    if (name)
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    if (name)
        sqlite3_bind_int(statement, 2, kind);
    if (text)
        sqlite3_bind_text(statement, 3, text, -1, SQLITE_STATIC);
    const bool ok = sqlite3_step(statement) == SQLITE_DONE;
    return sqlite3_finalize(statement) == SQLITE_OK && ok;
}

static bool store(struct plsql_session *p, const char *name, int kind,
                  const char *text) {
    return run(p,
               "CREATE TABLE IF NOT EXISTS %s.\"sqlite plsql\"(name TEXT, "
               "kind INT, text TEXT, PRIMARY KEY(name, kind))",
               NULL, 0, NULL) &&
           run(p, "INSERT OR REPLACE INTO %s.\"sqlite plsql\" VALUES(?1,?2,?3)",
               name, kind, text);
}

// The specification is compiled for itself: the changes of a body to it do not
// concern the session until the body is stored.
static bool check(struct plsql_session *p, const char *name, int kind,
                  const char *text, struct ora_error *error) {
    struct unit *specification = NULL;
    if (kind == UNIT_PACKAGE_BODY) {
        char *of = stored_text(p, name, UNIT_PACKAGE);
        if (of)
            specification =
                compile_stored(p, name, UNIT_PACKAGE, of, NULL, error);
        free(of);
        if (!specification) {
            if (!error->number)
                ora_error_set(error, NO_SUCH_OBJECT, name);
            return false;
        }
    }
    struct unit *unit =
        compile_stored(p, name, kind, text, specification, error);
    unit_free(unit);
    unit_free(specification);
    return unit;
}

static bool drop(struct plsql_session *p, const char *name, int kind,
                 struct ora_error *error) {
    char *text = stored_text(p, name, kind);
    if (!text) {
        ora_error_set(error, NO_SUCH_OBJECT, name);
        return false;
    }
    free(text);
    static const char delete_sql[] =
        "DELETE FROM %s.\"sqlite plsql\" WHERE name = ?1 AND kind = ?2";
    return run(p, delete_sql, name, kind, NULL) &&
           (kind != UNIT_PACKAGE ||
            run(p, delete_sql, name, UNIT_PACKAGE_BODY, NULL));
}

static bool create(struct plsql_session *p, const struct statement *s,
                   const char *name, struct ora_error *error) {
    const struct unit_tree *tree = s->tree->unit;
    const char *text = s->tokens[tree->from].at;
    const int other_kind =
        tree->kind == UNIT_ROUTINE ? UNIT_PACKAGE : UNIT_ROUTINE;
    char *replaced_text = stored_text(p, name, tree->kind);
    char *conflicting_text = stored_text(p, name, other_kind);
    const bool used = (replaced_text && !s->tree->replaces) || conflicting_text;
    free(replaced_text);
    free(conflicting_text);
    if (used) {
        ora_error_set(error, NAME_IS_USED, "");
        return false;
    }
    return check(p, name, tree->kind, text, error) &&
           store(p, name, tree->kind, text);
}

bool unit_define(struct cursor *cursor, struct ora_error *error) {
    struct database *database = cursor->database;
    struct plsql_session *p = database->plsql;
    struct statement s = {0};
    char name[LONGEST_NAME + 1];
    if (!transaction_commit(database)) {
        transaction_error(database, error);
        return false;
    }
    bool ok = parse_read(&s, cursor->sql, cursor->sql_length) && parse_tree(&s);
    if (!ok) {
        ora_error_set(error, s.error, s.about);
        parse_free(&s);
        return false;
    }
    const struct unit_tree *tree = s.tree->unit;
    name_spell(&s.tokens[tree->name.last], name);
    if (p->depth == 0)
        units_refresh(p);
    ok = s.tree->kind == TREE_DROP_UNIT ? drop(p, name, tree->kind, error)
                                        : create(p, &s, name, error);
    if (!ok && !error->number)
        ora_error_from_sqlite(error, database->db);
    parse_free(&s);
    if (ok) { // other sessions check their loaded units
        result_changes_add_all(database->sga, database->self);
        result_changes_commit(database->sga, database->self);
        result_changes_end(database->sga, database->self, true);
    }
    return ok;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/views/sys_columns.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sql/views/dictionary_views.h"

struct sys_columns {
    struct sys_columns *next;
    enum table_owner kind;
    unsigned count;
    // The table's name, and of each column its name and its type, which is ""
    // where there is none; each ends with a 0.
    char text[];
};

const struct sys_columns *sys_columns_of(const struct sys_columns *all,
                                         const char *table) {
    while (all && strcmp(all->text, table) != 0)
        all = all->next;
    return all;
}

static const char *after(const char *text) {
    return text + strlen(text) + 1;
}

enum table_owner sys_columns_take(const struct sys_columns *table,
                                  take_column_of *take, void *to) {
    const char *name = after(table->text);
    for (unsigned i = 0; i < table->count; i++) {
        const char *declared = after(name);
        take(to, name, *declared ? declared : NULL, false);
        name = after(declared);
    }
    return table->kind;
}

static const char *type_of(sqlite3_stmt *statement, int column,
                           enum table_owner kind) {
    const char *declared = sqlite3_column_decltype(statement, column);
    if (!declared && kind == DICTIONARY_VIEW)
        declared =
            dictionary_views_type(sqlite3_column_name(statement, column));
    return declared ? declared : "";
}

static char *put(char *to, const char *text) {
    const size_t size = strlen(text) + 1;
    return (char *)memcpy(to, text, size) + size;
}

enum table_owner sys_columns_keep(struct sys_columns **all, const char *table,
                                  enum table_owner kind,
                                  sqlite3_stmt *statement, take_column_of *take,
                                  void *to) {
    const int count = sqlite3_column_count(statement);
    size_t size = strlen(table) + 1;
    for (int i = 0; i < count; i++) {
        const char *name = sqlite3_column_name(statement, i);
        const char *declared = type_of(statement, i, kind);
        take(to, name, *declared ? declared : NULL, false);
        size += strlen(name) + strlen(declared) + 2;
    }
    struct sys_columns *entry = malloc(sizeof *entry + size);
    if (!entry)
        return kind;
    entry->kind = kind;
    entry->count = (unsigned)count;
    char *text = put(entry->text, table);
    for (int i = 0; i < count; i++) {
        text = put(text, sqlite3_column_name(statement, i));
        text = put(text, type_of(statement, i, kind));
    }
    entry->next = *all;
    *all = entry;
    return kind;
}

void sys_columns_free(struct sys_columns **all) {
    while (*all) {
        struct sys_columns *entry = *all;
        *all = entry->next;
        free(entry);
    }
}

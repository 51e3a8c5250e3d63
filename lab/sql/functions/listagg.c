// SPDX-License-Identifier: GPL-2.0-or-later
// LISTAGG: the texts of a group's rows, in the order of their keys.
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/functions/sort_keys.h"
#include "sql/types/value.h"

enum { LONGEST_LIST = 4000, FIRST_KEY = 3 };

struct row {
    sqlite3_value *key[MOST_SORT_KEYS];
    unsigned number; // rows with equal keys come as they were read
    int length;
    char *text;
};

struct list {
    struct row *row;
    unsigned rows, room;
    int keys;
    char directions[MOST_SORT_KEYS + 1];
    sqlite3_value *delimiter;
    bool failed;
};

static const struct list *sorted; // by sort()

static int compare_rows(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    const int order =
        sort_keys_compare(x->key, y->key, sorted->keys, sorted->directions);
    if (order)
        return order;
    return (x->number > y->number) - (x->number < y->number);
}

static bool has_room(struct list *list) {
    if (list->rows < list->room)
        return true;
    const unsigned room = list->room ? list->room * 2 : 8;
    struct row *grown = sqlite3_realloc64(list->row, room * sizeof *list->row);
    if (!grown)
        return false;
    list->row = grown;
    list->room = room;
    return true;
}

static void fail(sqlite3_context *context, struct list *list, unsigned error,
                 const char *about) {
    list->failed = true;
    if (error)
        value_result_error(context, error, about);
    else
        sqlite3_result_error_nomem(context);
}

static void begin(sqlite3_context *context, struct list *list, int n,
                  sqlite3_value **value) {
    const char *directions = (const char *)sqlite3_value_text(value[2]);
    list->keys = n - FIRST_KEY;
    if (list->keys > MOST_SORT_KEYS) {
        fail(context, list, 3001, "LISTAGG by more than 8 values");
        return;
    }
    strncpy(list->directions, directions ? directions : "", MOST_SORT_KEYS);
    list->delimiter = sqlite3_value_dup(value[1]);
    if (!list->delimiter)
        fail(context, list, 0, "");
}

static void step(sqlite3_context *context, int n, sqlite3_value **value) {
    struct list *list = sqlite3_aggregate_context(context, sizeof *list);
    struct text text;
    if (!list || list->failed || sqlite3_value_type(value[0]) == SQLITE_NULL)
        return;
    if (!list->delimiter)
        begin(context, list, n, value);
    if (list->failed)
        return;
    if (!value_text(context, value[0], &text)) {
        list->failed = true;
        return;
    }
    if (!has_room(list)) {
        fail(context, list, 0, "");
        return;
    }
    struct row *row = &list->row[list->rows];
    *row = (struct row){.number = list->rows, .length = (int)text.length};
    list->rows++;
    row->text = sqlite3_malloc64(text.length + 1);
    for (int i = 0; i < list->keys; i++)
        if (!(row->key[i] = sqlite3_value_dup(value[FIRST_KEY + i])))
            fail(context, list, 0, "");
    if (row->text)
        memcpy(row->text, text.at, text.length);
    else
        fail(context, list, 0, "");
}

static void join(sqlite3_context *context, struct list *list) {
    struct text delimiter = {.at = ""};
    char made[LONGEST_LIST];
    size_t length = 0;
    if (sqlite3_value_type(list->delimiter) != SQLITE_NULL &&
        !value_text(context, list->delimiter, &delimiter))
        return;
    for (unsigned i = 0; i < list->rows; i++) {
        const struct row *row = &list->row[i];
        const size_t delimiter_length = i > 0 ? delimiter.length : 0;
        if (length + delimiter_length + (size_t)row->length > sizeof made) {
            value_result_error(context, 1489, "");
            return;
        }
        memcpy(made + length, delimiter.at, delimiter_length);
        memcpy(made + length + delimiter_length, row->text,
               (size_t)row->length);
        length += delimiter_length + (size_t)row->length;
    }
    value_result_text(context, made, length);
}

static void answer(sqlite3_context *context) {
    struct list *list = sqlite3_aggregate_context(context, 0);
    if (!list)
        return;
    if (!list->failed && list->rows > 0) {
        sorted = list;
        qsort(list->row, list->rows, sizeof *list->row, compare_rows);
        join(context, list);
    }
    for (unsigned i = 0; i < list->rows; i++) {
        for (int k = 0; k < list->keys; k++)
            sqlite3_value_free(list->row[i].key[k]);
        sqlite3_free(list->row[i].text);
    }
    sqlite3_free(list->row);
    sqlite3_value_free(list->delimiter);
}

const struct function listagg_functions[] = {
    {"LISTAGG", 1, 2, OPERAND_TEXT, FUNCTION_AGGREGATE, NULL},
    {"LISTAGG$", ANY_NUMBER, ANY_NUMBER, OPERAND_TEXT, FUNCTION_INTERNAL,
     .step = step, .answer = answer},
    {NULL},
};

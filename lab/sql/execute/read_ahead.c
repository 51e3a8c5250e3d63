// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "sql/execute/read_ahead.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/execute/cursor_parts.h"

enum {
    SNAPSHOT_TOO_OLD = 1555,
    NO_MEMORY = 4030,
    MOST_BYTES = 256 << 20,
    // Rows from the file need no get, so they would cause no break check.
    ROWS_PER_CHECK = 1024,
};

// The file holds each value of each row: its SQLite type, then 8 bytes of a
// number, or a length and that many bytes.
struct ahead {
    FILE *file;
    uint8_t *memory;        // in the place of a file; from malloc
    size_t at;              // in it: the next position to read
    size_t bytes, most;     // those in the file, and how many it may have
    uint64_t rows;          // left in the file
    uint64_t total;         // in the file
    sqlite3_stmt *row;      // SELECT ?1, ?2, ..: the row read from there last
    struct ora_error error; // the error after the rows; number 0: none
};

static bool put(struct ahead *ahead, const void *from, size_t bytes) {
    ahead->bytes += bytes;
    return ahead->bytes <= ahead->most &&
           fwrite_unlocked(from, 1, bytes, ahead->file) == bytes;
}

static bool put_value(struct ahead *ahead, sqlite3_stmt *from, int at) {
    const uint8_t type = (uint8_t)sqlite3_column_type(from, at);
    if (!put(ahead, &type, sizeof type))
        return false;
    if (type == SQLITE_NULL)
        return true;
    if (type == SQLITE_INTEGER) {
        const sqlite3_int64 integer = sqlite3_column_int64(from, at);
        return put(ahead, &integer, sizeof integer);
    }
    if (type == SQLITE_FLOAT) {
        const double real = sqlite3_column_double(from, at);
        return put(ahead, &real, sizeof real);
    }
    const void *bytes = sqlite3_column_blob(from, at);
    const int length = sqlite3_column_bytes(from, at);
    return put(ahead, &length, sizeof length) &&
           put(ahead, bytes ? bytes : "", (size_t)length);
}

static bool get(struct ahead *ahead, void *to, size_t bytes) {
    if (!ahead->memory)
        return fread_unlocked(to, 1, bytes, ahead->file) == bytes;
    if (bytes > ahead->bytes - ahead->at)
        return false;
    memcpy(to, ahead->memory + ahead->at, bytes);
    ahead->at += bytes;
    return true;
}

static bool skip(struct ahead *ahead, int bytes) {
    if (!ahead->memory)
        return fseek(ahead->file, bytes, SEEK_CUR) == 0;
    if (bytes < 0 || (size_t)bytes > ahead->bytes - ahead->at)
        return false;
    ahead->at += (size_t)bytes;
    return true;
}

static bool begin_again(struct ahead *ahead) {
    ahead->at = 0;
    return ahead->memory || fseek(ahead->file, 0, SEEK_SET) == 0;
}

static bool get_bytes(struct ahead *ahead, uint8_t type, int at) {
    int length;
    if (!get(ahead, &length, sizeof length))
        return false;
    char *bytes = sqlite3_malloc64((sqlite3_uint64)length + 1);
    if (!bytes || !get(ahead, bytes, (size_t)length)) {
        sqlite3_free(bytes);
        return false;
    }
    const sqlite3_uint64 n = (sqlite3_uint64)length;
    return (type == SQLITE_TEXT
                ? sqlite3_bind_text64(ahead->row, at, bytes, n, sqlite3_free,
                                      SQLITE_UTF8)
                : sqlite3_bind_blob64(ahead->row, at, bytes, n,
                                      sqlite3_free)) == SQLITE_OK;
}

static bool get_value(struct ahead *ahead, int at) {
    uint8_t type;
    sqlite3_int64 integer;
    double real;
    if (!get(ahead, &type, sizeof type))
        return false;
    switch (type) {
    case SQLITE_INTEGER:
        return get(ahead, &integer, sizeof integer) &&
               sqlite3_bind_int64(ahead->row, at, integer) == SQLITE_OK;
    case SQLITE_FLOAT:
        return get(ahead, &real, sizeof real) &&
               sqlite3_bind_double(ahead->row, at, real) == SQLITE_OK;
    case SQLITE_NULL:
        return sqlite3_bind_null(ahead->row, at) == SQLITE_OK;
    default:
        return get_bytes(ahead, type, at);
    }
}

// A statement that returns its binds as a row.
static sqlite3_stmt *row_of(struct cursor *cursor) {
    sqlite3 *db = cursor->database->db;
    const unsigned columns = cursor->columns;
    sqlite3_stmt *row = cursor->reader;
    if (row && (unsigned)sqlite3_column_count(row) == columns)
        return row;
    sqlite3_finalize(row);
    row = NULL;
    sqlite3_str *sql = sqlite3_str_new(db);
    for (unsigned i = 1; i <= columns; i++)
        sqlite3_str_appendf(sql, "%s?%u", i == 1 ? "SELECT " : ",", i);
    char *text = sqlite3_str_finish(sql);
    if (text)
        sqlite3_prepare_v2(db, text, -1, &row, NULL);
    sqlite3_free(text);
    return cursor->reader = row;
}

static void end_with(struct ahead *ahead, unsigned number) {
    ahead->rows = 0;
    ora_error_set(&ahead->error, number, "");
}

// Reads the remaining rows of `cursor`, if they take at most `most` bytes.
// False if the client cancels the call; the query ends in any case.
static bool read_rest(struct cursor *cursor, size_t most,
                      struct ora_error *error) {
    sqlite3_stmt *from = cursor->statement;
    struct ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead) {
        ora_error_set(error, NO_MEMORY, "");
        cursor->executed = cursor->row_ready = false;
        sqlite3_reset(from);
        return false;
    }
    ahead->most = most;
    ahead->file = tmpfile();
    ahead->row = row_of(cursor);
    bool room = ahead->file && ahead->row;
    int rc = cursor->row_ready || !room ? SQLITE_ROW : opifch2(cursor);
    while (room && rc == SQLITE_ROW) {
        for (unsigned i = 0; i < cursor->columns && room; i++)
            room = put_value(ahead, from, (int)i);
        ahead->rows += room;
        if (room)
            rc = opifch2(cursor);
    }
    ahead->total = ahead->rows;
    if (!room || !begin_again(ahead))
        end_with(ahead, SNAPSHOT_TOO_OLD);
    else if (rc != SQLITE_DONE)
        ora_error_from_sqlite(&ahead->error, cursor->database->db);
    if (rc == SQLITE_INTERRUPT)
        *error = ahead->error;
    cursor_count_sorts(cursor);
    sqlite3_reset(from);
    cursor->row_ready = false;
    cursor->ahead = ahead;
    return rc != SQLITE_INTERRUPT;
}

bool read_ahead_take(struct cursor *cursor, void *rows, uint64_t bytes,
                     uint64_t count) {
    struct ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead)
        return false;
    ahead->row = row_of(cursor);
    if (!ahead->row) {
        free(ahead);
        return false;
    }
    ahead->memory = rows;
    ahead->bytes = bytes;
    ahead->rows = ahead->total = count;
    cursor->ahead = ahead;
    return true;
}

void *read_ahead_rows(struct cursor *cursor, uint64_t *bytes, uint64_t *count) {
    struct ahead *ahead = cursor->ahead;
    uint8_t *rows = ahead->error.number ? NULL : malloc(ahead->bytes + 1);
    *bytes = ahead->bytes;
    *count = ahead->total;
    if (rows && (!begin_again(ahead) || !get(ahead, rows, ahead->bytes))) {
        free(rows);
        rows = NULL;
    }
    cursor_position(cursor, 1);
    return rows;
}

static bool is_half_fetched(const struct cursor *cursor) {
    return cursor->statement && !cursor->stepping &&
           sqlite3_stmt_busy(cursor->statement);
}

bool read_ahead_is_needed(const struct database *database) {
    const struct cursor *cursor = database->cursors;
    while (cursor && !is_half_fetched(cursor))
        cursor = cursor->next;
    return cursor;
}

bool read_ahead_all(struct database *database, const struct cursor *starting,
                    struct ora_error *error) {
    for (struct cursor *c = database->cursors; c; c = c->next)
        if (c != starting && is_half_fetched(c) &&
            !read_rest(c, MOST_BYTES, error))
            return false;
    return true;
}

bool cursor_keep_rows(struct cursor *cursor, struct ora_error *error) {
    return cursor->ahead || read_rest(cursor, MOST_BYTES, error);
}

bool read_ahead_within(struct cursor *cursor, size_t most,
                       struct ora_error *error) {
    if (!cursor->ahead && !read_rest(cursor, most, error))
        return false;
    if (cursor->ahead->error.number != SNAPSHOT_TOO_OLD)
        return true;
    read_ahead_forget(cursor);
    cursor->row_ready = cursor->at_end = false;
    return true;
}

uint64_t cursor_row_count(const struct cursor *cursor) {
    return cursor->ahead ? cursor->ahead->total : 0;
}

static bool skip_value(struct ahead *ahead) {
    uint8_t type;
    int length = 8;
    if (!get(ahead, &type, sizeof type))
        return false;
    if (type == SQLITE_NULL)
        return true;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT &&
        !get(ahead, &length, sizeof length))
        return false;
    return skip(ahead, length);
}

void cursor_position(struct cursor *cursor, uint64_t row) {
    struct ahead *ahead = cursor->ahead;
    if (!ahead)
        return;
    bool fine = begin_again(ahead);
    ahead->rows = ahead->total;
    for (; row > 1 && ahead->rows > 0 && fine; row--, ahead->rows--)
        for (unsigned i = 0; i < cursor->columns && fine; i++)
            fine = skip_value(ahead);
    if (!fine)
        end_with(ahead, SNAPSHOT_TOO_OLD);
    cursor->row_ready = cursor->at_end = false;
    cursor->executed = true;
}

bool read_ahead_advance(struct cursor *cursor, struct ora_error *error) {
    struct ahead *ahead = cursor->ahead;
    sqlite3_reset(ahead->row);
    if (ahead->rows % ROWS_PER_CHECK == 0 &&
        nioqts(cursor->database->lio.channel))
        end_with(ahead, 1013);
    for (unsigned i = 0; i < cursor->columns && ahead->rows > 0; i++)
        if (!get_value(ahead, (int)i + 1))
            end_with(ahead, SNAPSHOT_TOO_OLD);
    if (ahead->rows > 0 && sqlite3_step(ahead->row) == SQLITE_ROW) {
        ahead->rows--;
        cursor->row_ready = true;
        return true;
    }
    cursor->at_end = true;
    cursor->executed = ahead->error.number == 0;
    if (!cursor->executed)
        *error = ahead->error;
    return cursor->executed;
}

void read_ahead_forget(struct cursor *cursor) {
    struct ahead *ahead = cursor->ahead;
    cursor->ahead = NULL;
    if (!ahead)
        return;
    if (ahead->row) {
        sqlite3_reset(ahead->row);
        sqlite3_clear_bindings(ahead->row);
    }
    if (ahead->file)
        fclose(ahead->file);
    free(ahead->memory);
    free(ahead);
}

struct sqlite3_stmt *cursor_row(const struct cursor *cursor) {
    return cursor->ahead ? cursor->ahead->row : cursor->statement;
}

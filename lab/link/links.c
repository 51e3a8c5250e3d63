// SPDX-License-Identifier: GPL-2.0-or-later
#include "link/links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/query.h"
#include "sql/types/oracle_date.h"
#include "sql/execute/remote.h"
#include "sql/types/utf8.h"

enum {
    NO_LINK = 2019,
    TOO_MANY_OPEN = 2020,
    IN_USE = 2080,
    NOT_OPEN = 2081,
    NO_MEMORY = 4030,
};

struct remote {
    struct database *database;
    const struct sqlnet_ora *ora;
    struct connection *connections; // those that are lost as well, while
                                    // queries refer to them
    struct ora_error lost;          // of one whose transaction was lost with it
};

static struct connection *open_connection_of(const struct remote *remote,
                                             const char *link) {
    struct connection *c = remote->connections;
    while (c && !(c->open && strcmp(c->name, link) == 0))
        c = c->next;
    return c;
}

static void drop(struct remote *remote, struct connection *connection) {
    struct connection **link = &remote->connections;
    while (*link != connection)
        link = &(*link)->next;
    *link = connection->next;
    connection_close(connection);
    free(connection);
}

// The remote side ends the transaction of a connection that is lost.
static void note_lost(struct remote *remote, struct connection *c) {
    if (!c->open && c->uncommitted)
        remote->lost = c->error;
    c->uncommitted = c->uncommitted && c->open;
}

static void drop_lost(struct remote *remote) {
    struct connection *c = remote->connections, *next;
    for (; c; c = next) {
        next = c->next;
        note_lost(remote, c);
        if (!c->open && c->queries == 0)
            drop(remote, c);
    }
}

static unsigned open_links(const struct remote *remote) {
    unsigned open = 0;
    for (const struct connection *c = remote->connections; c; c = c->next)
        open += c->open;
    return open;
}

static struct connection *connect_to(struct remote *remote,
                                     const struct link_definition *link,
                                     struct ora_error *error) {
    struct connection *c = calloc(1, sizeof *c);
    if (!c) {
        ora_error_set(error, NO_MEMORY, "");
        return NULL;
    }
    c->ora = remote->ora;
    c->self = remote->database->self;
    c->channel = remote->database->lio.channel;
    if (!connection_open(c, link, error)) {
        free(c);
        return NULL;
    }
    c->next = remote->connections;
    remote->connections = c;
    return c;
}

// The link's connection, made where there is none yet.
static struct connection *connection_to(struct remote *remote, const char *name,
                                        struct ora_error *error) {
    struct link_definition link;
    struct connection *c = open_connection_of(remote, name);
    drop_lost(remote);
    if (!c && !link_definition_find(&remote->database->sga->links, name, &link))
        ora_error_set(error, NO_LINK, "");
    else if (!c && open_links(remote) >= OPEN_LINKS)
        ora_error_set(error, TOO_MANY_OPEN, "");
    else if (!c)
        c = connect_to(remote, &link, error);
    if (!c)
        return NULL;
    c->used = true;
    if (query_settle(c) && session_formats_follow(c))
        return c;
    *error = c->error;
    return NULL;
}

static bool said(const struct remote_query *query, bool ok,
                 struct ora_error *error) {
    if (!ok)
        *error = query->connection->error;
    return ok;
}

static void close_query(struct remote_query *query) {
    struct connection *c = query->connection;
    query_free(query);
    c->queries--;
}

static struct remote_query *parse(struct remote *remote, const char *link,
                                  const char *sql, size_t length,
                                  unsigned binds, struct ora_error *error) {
    struct connection *c = connection_to(remote, link, error);
    struct remote_query *query = c ? calloc(1, sizeof *query) : NULL;
    if (!query) {
        if (c)
            ora_error_set(error, NO_MEMORY, "");
        return NULL;
    }
    *query = (struct remote_query){
        .connection = c, .remote = remote, .length = length, .binds = binds};
    query->sql = malloc(length + 1);
    c->queries++;
    if (query->sql)
        memcpy(query->sql, sql, length);
    else
        ora_error_set(error, NO_MEMORY, "");
    if (query->sql && said(query, query_parse(query), error))
        return query;
    close_query(query);
    return NULL;
}

static unsigned columns(const struct remote_query *query,
                        const struct column **column) {
    *column = query->column;
    return query->columns;
}

// A query outlives its connection: it is parsed again on the next one.
static bool move_to_open_connection(struct remote_query *query,
                                    struct ora_error *error) {
    struct connection *previous = query->connection;
    struct connection *c = connection_to(query->remote, previous->name, error);
    if (!c)
        return false;
    if (c == previous)
        return true;
    previous->queries--;
    c->queries++;
    query->connection = c;
    query->cursor = 0;
    return said(query, query_parse(query), error);
}

static bool execute(struct remote_query *query, struct sqlite3_value **value,
                    unsigned values, uint32_t rows, struct ora_error *error) {
    return move_to_open_connection(query, error) &&
           said(query, query_execute(query, value, values, rows), error);
}

static bool next(struct remote_query *query, uint32_t rows, bool *found,
                 struct ora_error *error) {
    return said(query, query_next(query, rows, found), error);
}

// Whether our own client could read the value as well.
static bool is_sound(const struct bind_value *value, struct ora_error *error) {
    enum { PARTIAL_CHARACTER = 29275 };
    struct oracle_date time;
    if (value->kind == BIND_TIME)
        return oracle_date_read(value->data, value->length, &time);
    if (value->kind != BIND_TEXT ||
        utf8_valid(value->data, value->length) == value->length)
        return true;
    ora_error_set(error, PARTIAL_CHARACTER, "");
    return false;
}

static bool value(struct remote_query *query, unsigned column,
                  struct bind_value *to, struct ora_error *error) {
    enum { INCONSISTENT = 3115 };
    const struct value_reader reader = {&query->arena[query->turn], NULL,
                                        error};
    if (column < query->columns &&
        bind_value_take(&reader, &query->type[column], query->value[column],
                        to) &&
        is_sound(to, error))
        return true;
    if (!error->number)
        ora_error_set(error, INCONSISTENT, "");
    return false;
}

static void settle(struct remote *remote) {
    for (struct connection *c = remote->connections; c; c = c->next)
        if (c->open)
            query_settle(c);
}

static bool in_transaction(const struct remote *remote) {
    for (const struct connection *c = remote->connections; c; c = c->next)
        if (c->used)
            return true;
    return false;
}

static bool end_transaction(struct remote *remote, bool commit,
                            struct ora_error *error) {
    bool ok = true;
    for (struct connection *c = remote->connections; c; c = c->next) {
        c->used = false;
        if (c->open && c->uncommitted &&
            !(query_settle(c) &&
              call_alone(c, commit ? CALL_COMMIT : CALL_ROLLBACK))) {
            *error = c->error;
            ok = false;
        }
        note_lost(remote, c);
    }
    if (ok && remote->lost.number) {
        *error = remote->lost;
        ok = false;
    }
    remote->lost = (struct ora_error){0};
    return ok;
}

static bool close_link(struct remote *remote, const char *link,
                       struct ora_error *error) {
    struct connection *c = open_connection_of(remote, link);
    if (!c || c->used || c->streaming) {
        ora_error_set(error, c ? IN_USE : NOT_OPEN, "");
        return false;
    }
    connection_close(c);
    drop_lost(remote);
    return true;
}

static bool status(const struct remote *remote, int row,
                   struct remote_link_status *to) {
    const struct connection *c = remote->connections;
    for (; c && (!c->open || row > 0); c = c->next)
        row -= c->open;
    if (!c)
        return false;
    *to = (struct remote_link_status){.open_cursors = c->open_cursors,
                                      .in_transaction = c->used};
    snprintf(to->name, sizeof to->name, "%s", c->name);
    return true;
}

static void end(struct remote *remote) {
    while (remote->connections)
        drop(remote, remote->connections);
    free(remote);
}

bool links_open(struct database *database, const struct sqlnet_ora *ora) {
    static const struct remote_calls calls = {
        .parse = parse,
        .columns = columns,
        .execute = execute,
        .next = next,
        .value = value,
        .close = close_query,
        .settle = settle,
        .in_transaction = in_transaction,
        .end_transaction = end_transaction,
        .close_link = close_link,
        .status = status,
        .end = end,
    };
    struct remote *remote = calloc(1, sizeof *remote);
    if (!remote)
        return false;
    remote->database = database;
    remote->ora = ora;
    database->remote = remote;
    database->remote_calls = &calls;
    return true;
}

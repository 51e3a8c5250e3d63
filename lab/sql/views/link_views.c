// SPDX-License-Identifier: GPL-2.0-or-later
// v$dblink, which shows a session its own open links, and the views of those
// that are defined. No view shows a password.
#include "process/link_definition.h"
#include "sql/views/dictionary.h"
#include "sql/views/fixed_table.h"
#include "sql/execute/remote.h"

static bool is_defined(const struct database *database, int row) {
    struct link_definition link;
    return link_definition_at(&database->sga->links, row, &link);
}

static struct link_definition definition_of(const struct fixed_cell *cell) {
    struct link_definition link;
    link_definition_at(&cell->database->sga->links, cell->row, &link);
    link.password[0] = '\0';
    return link;
}

static void owner(const struct fixed_cell *cell) {
    fixed_text(cell, cell->database->sga->user);
}

static void name(const struct fixed_cell *cell) {
    const struct link_definition link = definition_of(cell);
    fixed_text(cell, link.name);
}

static void user(const struct fixed_cell *cell) {
    const struct link_definition link = definition_of(cell);
    fixed_text(cell, link.user);
}

static void host(const struct fixed_cell *cell) {
    const struct link_definition link = definition_of(cell);
    fixed_text(cell, link.host);
}

static void created(const struct fixed_cell *cell) {
    fixed_date(cell, definition_of(cell).created);
}

static bool status_of(const struct database *database, int row,
                      struct remote_link_status *status) {
    return database->remote_calls &&
           database->remote_calls->status(database->remote, row, status);
}

static bool is_open(const struct database *database, int row) {
    struct remote_link_status status;
    return status_of(database, row, &status);
}

static void open_name(const struct fixed_cell *cell) {
    struct remote_link_status status;
    if (status_of(cell->database, cell->row, &status))
        fixed_text(cell, status.name);
}

static void owner_number(const struct fixed_cell *cell) {
    fixed_integer(cell, USER_NUMBER);
}

static void open_cursors(const struct fixed_cell *cell) {
    struct remote_link_status status;
    if (status_of(cell->database, cell->row, &status))
        fixed_integer(cell, status.open_cursors);
}

static void in_transaction(const struct fixed_cell *cell) {
    struct remote_link_status status;
    if (status_of(cell->database, cell->row, &status))
        fixed_text(cell, status.in_transaction ? "YES" : "NO");
}

static const struct fixed_column dblink[] = {
    {"DB_LINK", "VARCHAR2(128)", open_name},
    {"OWNER_ID", "NUMBER", owner_number},
    {"LOGGED_ON", "VARCHAR2(3)", .text = "YES"},
    {"HETEROGENEOUS", "VARCHAR2(3)", .text = "NO"},
    {"PROTOCOL", "VARCHAR2(6)", .text = "UNKN"},
    {"OPEN_CURSORS", "NUMBER", open_cursors},
    {"IN_TRANSACTION", "VARCHAR2(3)", in_transaction},
    {"UPDATE_SENT", "VARCHAR2(3)", .text = "NO"},
    {"COMMIT_POINT_STRENGTH", "NUMBER", fixed_one},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

static const struct fixed_column user_db_links[] = {
    {"DB_LINK", "VARCHAR2(128)", name},
    {"USERNAME", "VARCHAR2(128)", user},
    {"PASSWORD", "VARCHAR2(128)"},
    {"HOST", "VARCHAR2(2000)", host},
    {"CREATED", "DATE", created},
    {"HIDDEN", "VARCHAR2(3)", .text = "NO"},
    {"SHARD_INTERNAL", "VARCHAR2(3)", .text = "NO"},
    {"VALID", "VARCHAR2(3)", .text = "YES"},
    {"INTRA_CDB", "VARCHAR2(3)", .text = "NO"},
    {0},
};

static const struct fixed_column all_db_links[] = {
    {"OWNER", "VARCHAR2(128)", owner},
    {"DB_LINK", "VARCHAR2(128)", name},
    {"USERNAME", "VARCHAR2(128)", user},
    {"HOST", "VARCHAR2(2000)", host},
    {"CREATED", "DATE", created},
    {"HIDDEN", "VARCHAR2(3)", .text = "NO"},
    {"SHARD_INTERNAL", "VARCHAR2(3)", .text = "NO"},
    {"VALID", "VARCHAR2(3)", .text = "YES"},
    {"INTRA_CDB", "VARCHAR2(3)", .text = "NO"},
    {0},
};

// A transaction changes one database alone (ORA-02064), so none is ever in
// doubt: the view has no rows.
static const struct fixed_column in_doubt[] = {
    {"LOCAL_TRAN_ID", "VARCHAR2(22)"},
    {"GLOBAL_TRAN_ID", "VARCHAR2(169)"},
    {"STATE", "VARCHAR2(16)"},
    {"MIXED", "VARCHAR2(3)"},
    {"ADVICE", "VARCHAR2(1)"},
    {"TRAN_COMMENT", "VARCHAR2(255)"},
    {"FAIL_TIME", "DATE"},
    {"FORCE_TIME", "DATE"},
    {"RETRY_TIME", "DATE"},
    {"OS_USER", "VARCHAR2(128)"},
    {"OS_TERMINAL", "VARCHAR2(255)"},
    {"HOST", "VARCHAR2(128)"},
    {"DB_USER", "VARCHAR2(128)"},
    {"COMMIT#", "VARCHAR2(16)"},
    {0},
};

const struct fixed_table link_views[] = {
    {"V$DBLINK", dblink, OPEN_LINKS, is_open},
    {"USER_DB_LINKS", user_db_links, MOST_LINKS, is_defined},
    {"ALL_DB_LINKS", all_db_links, MOST_LINKS, is_defined},
    {"DBA_DB_LINKS", all_db_links, MOST_LINKS, is_defined},
    {"DBA_2PC_PENDING", in_doubt, .rows = 0},
    {0},
};

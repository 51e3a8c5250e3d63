// SPDX-License-Identifier: GPL-2.0-or-later
// The list of tables after FROM.
#include <ctype.h>
#include <sqlite3.h>
#include <strings.h>

#include "sql/views/dictionary_views.h"
#include "sql/emit/emitter.h"

// SYS also owns the fixed views, and some statements use the names of their
// underlying views, which have an underscore: V_$SESSION.
static void emit_of_sys(struct emitter *e, unsigned token) {
    const struct token *name = &e->s->tokens[token];
    const bool global = toupper((unsigned char)name->at[0]) == 'G';
    const char *v = name->at + global;
    const size_t length = name->length - global;
    if (length > 3 && strncasecmp(v, "v_$", 3) == 0) {
        emit_text(e, global ? "main.\"GV" : "main.\"V");
        for (size_t i = 2; i < length; i++) {
            const char c = (char)toupper((unsigned char)v[i]);
            emit_bytes(e, &c, 1);
        }
        emit_text(e, "\"");
        return;
    }
    const bool fixed = (length > 2 && strncasecmp(v, "v$", 2) == 0) ||
                       name_spells(name, "DUAL") ||
                       name_spells(name, "NLS_SESSION_PARAMETERS");
    emit_text(e, fixed ? "main." : "\"SYS\".");
    emit_name(e, token);
}

static void emit_view(struct emitter *e, const struct source *source) {
    char name[LONGEST_NAME + 1];
    name_spell(&e->s->tokens[source->table.last], name);
    char *query = dictionary_view_query(name, e->schema);
    if (query)
        emit_text(e, query);
    else
        statement_refuse(e->s, 4030, source->table.last, "");
    sqlite3_free(query);
    if (!source->alias) {
        emit_text(e, " AS ");
        emit_name(e, source->table.last);
    }
}

static void emit_remote_table(struct emitter *e, const struct source *source) {
    emit_text(e, "main.");
    emit_identifier(e, source->remote_name);
    if (!source->alias) {
        emit_text(e, " AS ");
        emit_name(e, source->table.last);
    }
}

void emit_table(struct emitter *e, const struct source *source) {
    emit_text(e, " ");
    switch (source->place) {
    case PLACE_OWN:
        emit_text(e, e->schema);
        emit_text(e, ".");
        emit_name(e, source->table.last);
        break;
    case PLACE_VIEW:
        emit_view(e, source);
        break;
    case PLACE_SYS:
        emit_of_sys(e, source->table.last);
        break;
    case PLACE_REMOTE:
        emit_remote_table(e, source);
        break;
    case PLACE_OWNER:
        emit_qualified_name(e, source->table);
        break;
    default:
        emit_name(e, source->table.last);
    }
}

// Those that it had when it was made, around its query.
static void emit_view_columns(struct emitter *e,
                              const struct view_column *column) {
    const char *separator = "SELECT ";
    if (!column)
        return;
    for (; column; column = column->next) {
        emit_text(e, separator);
        emit_identifier(e, column->inner);
        emit_text(e, " AS ");
        emit_identifier(e, column->name);
        separator = ", ";
    }
    emit_text(e, " FROM (");
}

// The function gives its rows as an array of JSON's.
static void emit_table_function(struct emitter *e,
                                const struct expr *function) {
    emit_text(e, " (SELECT value AS \"PLAN_TABLE_OUTPUT\" FROM "
                 "json_each(\"DISPLAY_CURSOR$\"(");
    emit_values(e, &function->list);
    emit_text(e, ")))");
}

static void emit_source(struct emitter *e, const struct source *source) {
    if (source->function) {
        emit_table_function(e, source->function);
    } else if (source->query) {
        emit_text(e, " (");
        emit_view_columns(e, source->view);
        emit_query(e, source->query);
        emit_text(e, source->view ? "))" : ")");
    } else {
        emit_table(e, source);
    }
    if (source->alias || source->view) {
        emit_text(e, " ");
        emit_name(e, source->alias ? source->alias : source->table.last);
    }
}

static void emit_join(struct emitter *e, const struct join *join) {
    static const char *const kinds[] = {
        [JOIN_CROSS] = " CROSS", [JOIN_INNER] = "",     [JOIN_LEFT] = " LEFT",
        [JOIN_RIGHT] = " RIGHT", [JOIN_FULL] = " FULL",
    };
    if (join->kind == JOIN_SOURCE) {
        emit_source(e, join->source);
        return;
    }
    if (join->kind == JOIN_PARENTHESIZED) {
        emit_text(e, " (");
        emit_join(e, join->left);
        emit_text(e, ")");
        return;
    }
    emit_join(e, join->left);
    emit_text(e, join->natural ? " NATURAL" : "");
    emit_text(e, kinds[join->kind]);
    emit_text(e, !join->word                ? " JOIN"
                 : join->kind == JOIN_INNER ? " INNER JOIN"
                                            : " OUTER JOIN");
    emit_join(e, join->right);
    if (join->on) {
        emit_text(e, " ON");
        emit_condition(e, join->on);
    }
    if (join->using.count > 0) {
        emit_text(e, " USING (");
        emit_names(e, &join->using);
        emit_text(e, ")");
    }
}

// The tables with (+), each after those that its conditions name.
static void emit_outer_joins(struct emitter *e, const struct source *table) {
    for (; table; table = table->next_outer) {
        const struct expr *first = table->outer.first;
        emit_text(e, " LEFT JOIN");
        emit_source(e, table);
        for (const struct expr *one = first; one; one = one->next) {
            emit_text(e, one == first ? " ON" : " AND");
            emit_condition(e, one);
        }
    }
}

void emit_sources(struct emitter *e, const struct block *block) {
    const char *separator = " FROM";
    for (const struct join *one = block->joins.first; one; one = one->next) {
        if (one->kind == JOIN_SOURCE && one->source->outer.count > 0)
            continue;
        emit_text(e, separator);
        emit_join(e, one);
        // SQLite never reorders the two sides of a CROSS JOIN.
        separator = e->s->ordered ? " CROSS JOIN" : ",";
    }
    emit_outer_joins(e, block->outer);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/emit/emitter.h"

enum {
    LONGEST_TRANSLATION = 16 << 20, // bytes
    BYTES_PER_UNIT = 64,
};

void emit_bytes(struct emitter *e, const char *text, size_t length) {
    statement_work(e->s, 1 + length / BYTES_PER_UNIT);
    if (e->length + length > LONGEST_TRANSLATION)
        statement_refuse(e->s, 3001, 0, "so long a statement");
    if (e->s->error)
        return;
    if (length >= e->room - e->length) {
        const size_t room = (e->length + length + 1) * 2;
        char *grown = realloc(e->text, room);
        if (!grown) {
            statement_refuse(e->s, 4030, 0, "");
            return;
        }
        e->text = grown;
        e->room = room;
    }
    memcpy(e->text + e->length, text, length);
    e->length += length;
    e->text[e->length] = '\0';
}

void emit_text(struct emitter *e, const char *text) {
    emit_bytes(e, text, strlen(text));
}

void emit_identifier(struct emitter *e, const char *name) {
    emit_text(e, "\"");
    for (; *name; name++)
        emit_bytes(e, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    emit_text(e, "\"");
}

void emit_string(struct emitter *e, const char *text, size_t length) {
    emit_text(e, "'");
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (c == '\'')
            emit_text(e, "''");
        else
            emit_bytes(e, c ? &c : " ", 1); // the lexer's blank
    }
    emit_text(e, "'");
}

void emit_literal_token(struct emitter *e, unsigned token) {
    const struct token *text = &e->s->tokens[token];
    const struct literal literal = literal_of(text);
    if (literal.doubled)
        emit_bytes(e, text->at, text->length);
    else
        emit_string(e, literal.at, literal.length);
}

void emit_name(struct emitter *e, unsigned token) {
    const struct token *name = &e->s->tokens[token];
    if (name->length >= 7 && (strncasecmp(name->at, "sqlite_", 7) == 0 ||
                              strncasecmp(name->at, "sqlite ", 7) == 0))
        statement_refuse(e->s, 942, token, "");
    if (name->length == 0)
        statement_refuse(e->s, 1741, token, "");
    if (name->length > LONGEST_NAME)
        statement_refuse(e->s, 972, token, "");
    char quoted[LONGEST_NAME + 2] = "\"";
    size_t length = 1;
    for (size_t i = 0; i < name->length && i < LONGEST_NAME; i++)
        quoted[length++] = name_letter(name, i);
    quoted[length++] = '"';
    emit_bytes(e, quoted, length);
}

void emit_qualified_name(struct emitter *e, struct name name) {
    for (unsigned i = name.first; i <= name.last; i += 2) {
        emit_text(e, i > name.first ? "." : "");
        emit_name(e, i);
    }
}

void emit_names(struct emitter *e, const struct names *names) {
    for (const struct name_entry *one = names->first; one; one = one->next) {
        emit_text(e, one == names->first ? "" : ",");
        emit_name(e, one->token);
    }
}

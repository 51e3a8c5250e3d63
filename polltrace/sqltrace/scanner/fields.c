// SPDX-License-Identifier: GPL-2.0-or-later
#include "fields.h"

#include <string.h>

#include "lines.h"
#include "usual_fields.h"

bool read_number(const char **at, int64_t *value) {
    const char *p = *at;
    const bool negative = *p == '-';
    p += negative;
    const char *const first = p;
    uint64_t number = 0, part;
    unsigned count;
    do {
        count = read_digits(p, &part);
        number = number * power_of_ten(count) + part;
        p += count;
    } while (count == 8);
    *at = p;
    *value = (int64_t)(negative ? -number : number);
    return p > first && p - first <= 20;
}

static inline void put(struct record *to, enum field field, int64_t value) {
    to->has |= 1u << field;
    to->field[field] = value;
}

// Which field a key names; FIELDS for one that no column has.
static inline enum field field_of(const char *key, size_t len) {
    switch (len) {
    case 1:
        switch (*key) {
        case 'c':
            return FIELD_C;
        case 'e':
            return FIELD_E;
        case 'p':
            return FIELD_P;
        case 'r':
            return FIELD_R;
        }
        break;
    case 2:
        if (memcmp(key, "cr", 2) == 0)
            return FIELD_CR;
        if (memcmp(key, "cu", 2) == 0)
            return FIELD_CU;
        if (memcmp(key, "og", 2) == 0)
            return FIELD_OG;
        break;
    case 3:
        if (memcmp(key, "mis", 3) == 0)
            return FIELD_MIS;
        if (memcmp(key, "dep", 3) == 0)
            return FIELD_DEP;
        if (memcmp(key, "plh", 3) == 0)
            return FIELD_PLH;
        if (memcmp(key, "tim", 3) == 0)
            return FIELD_TIM;
        if (memcmp(key, "err", 3) == 0)
            return FIELD_ERR;
        break;
    case 4:
        if (memcmp(key, "type", 4) == 0)
            return FIELD_TYPE;
        break;
    }
    return FIELDS;
}

const char *read_call(const char *at, const char *end, struct record *to,
                      struct long_numbers *known) {
    if (!read_usual_fields(&at, to, known))
        return at;
    while (at < end) {
        while (*at == ' ' || *at == ',')
            at++;
        const char *const key = at;
        while ((*at >= 'a' && *at <= 'z') || *at == '_')
            at++;
        if (*at != '=' || at == key)
            return key;
        const enum field field = field_of(key, (size_t)(at - key));
        at++;
        int64_t value;
        if (read_one_digit(&at, &value)) {
            if (field < FIELDS)
                put(to, field, value);
        } else { // type=TEMPORARY LOB
            while (at < end && *at != ',' && *at != '\n')
                at++;
        }
        if (*at != ',' && *at != ' ')
            return at;
    }
    return end;
}

// "driver id=1952673792 #bytes=1 p3=0 obj#=-1 tim=1452". A name may hold
// blanks and signs, so the values follow each '='. Without
// `parameters`, tim alone is read.
static const char *read_parameters(const char *at, const char *end,
                                   bool parameters, struct record *to,
                                   struct known_digits *known) {
    if (!parameters) {
        at = find_text(at, end, " tim=", 5);
        int64_t tim;
        if (!at)
            return end;
        at += 5;
        if (read_long_number(&at, &tim, known))
            put(to, FIELD_TIM, tim);
        return at;
    }
    enum field next = FIELD_P1;
    while (at < end) {
        const char *const equals = memchr(at, '=', (size_t)(end - at));
        if (!equals)
            return end;
        at = equals + 1;
        int64_t value;
        if (memcmp(equals - 4, " tim", 4) == 0) {
            if (read_number(&at, &value))
                put(to, FIELD_TIM, value);
            return at;
        }
        const bool number = read_number(&at, &value);
        if (memcmp(equals - 4, "obj#", 4) == 0) {
            if (number)
                put(to, FIELD_OBJ, value);
        } else if (next <= FIELD_P3) {
            if (number)
                put(to, next, value);
            next++;
        }
    }
    return end;
}

const char *read_wait(const char *at, const char *end, bool parameters,
                      struct record *to, struct text *name,
                      struct long_numbers *known) {
    if (end - at < 12 || memcmp(at, " nam='", 6) != 0)
        return NULL;
    name->at = at + 6;
    // The name of an event may hold a quote itself.
    const char *const quote = find_text(name->at, end, "' ela=", 6);
    if (!quote || end - quote <= 6 || quote - name->at > 255)
        return NULL;
    name->len = (size_t)(quote - name->at);
    at = quote + 6;
    while (*at == ' ')
        at++;
    int64_t ela;
    if (!read_number(&at, &ela))
        return NULL;
    put(to, FIELD_ELA, ela);
    return read_parameters(at, end, parameters, to, &known->tim);
}

bool find_number(const char *at, const char *end, const char *name,
                 int64_t *value) {
    const size_t len = strlen(name);
    for (; end - at > (ptrdiff_t)len; at++)
        if ((*at == ' ' || *at == ',') && memcmp(at + 1, name, len) == 0) {
            at += 1 + len;
            return read_number(&at, value);
        }
    return false;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// DBMS_RANDOM: xoshiro256**, by Blackman and Vigna's description, seeded from
// the clock or by SEED. Its numbers are not those of Oracle's generator.
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "plsql/supplied.h"
#include "process/wait.h"

static uint64_t turned(uint64_t x, int by) {
    return x << by | x >> (64 - by);
}

// splitmix64: spreads a seed over the state.
static void seed_with(struct plsql_session *p, uint64_t seed) {
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        p->random[i] = z ^ z >> 31;
    }
    p->random_seeded = true;
}

static uint64_t next(struct plsql_session *p) {
    uint64_t *s = p->random;
    if (!p->random_seeded)
        seed_with(p, (uint64_t)clock_us() ^ (uint64_t)(uintptr_t)p);
    const uint64_t result = turned(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = turned(s[3], 45);
    return result;
}

static double fraction(struct plsql_session *p) {
    return (double)(next(p) >> 11) * 0x1p-53; // [0, 1)
}

static bool give(struct plsql_session *p, double number, struct scalar *result,
                 struct ora_error *error) {
    const bool ok = scalar_of_double(p, number, result);
    if (!ok)
        ora_error_set(error, 6502, "");
    return ok;
}

// ([low, high])
static bool value(struct plsql_session *p, struct scalar *argument,
                  struct scalar *result, struct ora_error *error) {
    const bool limited = argument[0].kind != SCALAR_NULL;
    const double low = limited ? scalar_double(&argument[0]) : 0;
    const double high = limited ? scalar_double(&argument[1]) : 1;
    return give(p, low + (high - low) * fraction(p), result, error);
}

static bool normal(struct plsql_session *p, struct scalar *argument,
                   struct scalar *result, struct ora_error *error) {
    (void)argument;
    const double u = 1 - fraction(p), v = fraction(p);
    return give(p, sqrt(-2 * log(u)) * cos(2 * M_PI * v), result, error);
}

static bool any(struct plsql_session *p, struct scalar *argument,
                struct scalar *result, struct ora_error *error) {
    (void)argument, (void)error;
    *result = (struct scalar){.kind = SCALAR_INTEGER,
                              .integer = (int32_t)(uint32_t)next(p)};
    return true;
}

static bool seed(struct plsql_session *p, struct scalar *argument,
                 struct scalar *result, struct ora_error *error) {
    (void)result, (void)error;
    size_t length;
    char *text = scalar_text(p, &argument[0], &length);
    uint64_t hash = UINT64_C(14695981039346656037); // FNV-1a
    for (size_t i = 0; text && i < length; i++)
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(1099511628211);
    sqlite3_free(text);
    seed_with(p, hash);
    return true;
}

// (opt, length): U, L letters, A both, X letters and digits, P printable
static bool string(struct plsql_session *p, struct scalar *argument,
                   struct scalar *result, struct ora_error *error) {
    enum { LONGEST = 4000 };
    static const char lower[] = "abcdefghijklmnopqrstuvwxyz",
                      upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                      both[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz",
                      digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char random_text[LONGEST], printable[95];
    size_t length;
    char *option = scalar_text(p, &argument[0], &length);
    const char letter = option ? (char)(*option | 0x20) : 'u';
    sqlite3_free(option);
    const double length_wanted = scalar_double(&argument[1]);
    length = length_wanted < 0         ? 0
             : length_wanted > LONGEST ? LONGEST
                                       : (size_t)length_wanted;
    for (int i = 0; i < 95; i++)
        printable[i] = (char)(' ' + i);
    const char *from = letter == 'l'   ? lower
                       : letter == 'a' ? both
                       : letter == 'x' ? digits
                       : letter == 'p' ? printable
                                       : upper;
    const size_t letters = letter == 'p' ? sizeof printable : strlen(from);
    for (size_t i = 0; i < length; i++)
        random_text[i] = from[(size_t)(fraction(p) * (double)letters)];
    const bool ok = scalar_of_text(p, random_text, length, result);
    if (!ok)
        ora_error_set(error, 4036, "");
    return ok;
}

static bool nothing(struct plsql_session *p, struct scalar *argument,
                    struct scalar *result, struct ora_error *error) {
    (void)p, (void)argument, (void)result, (void)error;
    return true;
}

const struct supplied random_package[] = {
    {"DBMS_RANDOM",
     "VALUE",
     {{"LOW", MODE_IN, true}, {"HIGH", MODE_IN, true}},
     OPERAND_NUMBER,
     .call = value},
    {"DBMS_RANDOM", "NORMAL", .result = OPERAND_NUMBER, .call = normal},
    {"DBMS_RANDOM", "RANDOM", .result = OPERAND_NUMBER, .call = any},
    {"DBMS_RANDOM",
     "STRING",
     {{"OPT", MODE_IN}, {"LEN", MODE_IN}},
     OPERAND_TEXT,
     .call = string},
    {"DBMS_RANDOM", "SEED", {{"VAL", MODE_IN}}, .call = seed},
    {"DBMS_RANDOM", "INITIALIZE", {{"VAL", MODE_IN}}, .call = seed},
    {"DBMS_RANDOM", "TERMINATE", .call = nothing},
    {NULL},
};

// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plsql/statement_text.h"
#include "sql/emit/translate.h"
#include "sql/parse/parse.h"
#include "tests/check.h"
#include "ttc/o5logon.h"

static struct translation result;

// One table: T(N, WIDE, V). The others have no columns.
static enum table_owner table(void *data, const char *owner, const char *name,
                              void (*take)(void *to, const char *column,
                                           const char *declared, bool own),
                              void *to) {
    (void)data;
    if (strcmp(name, "T") != 0 || strcmp(owner, "SYS") == 0)
        return OTHERS_TABLE;
    take(to, "N", "NUMBER(5,0)", true);
    take(to, "WIDE", "NUMBER", true);
    take(to, "V", "VARCHAR2(5)", true);
    return OWN_TABLE;
}

static uint32_t object(void *data, const char *owner, const char *name) {
    (void)data;
    return *owner ? 0 : strcmp(name, "T") == 0 ? 7 : 8;
}

static const struct catalog catalog = {.table = table, .object = object};

static unsigned error_of(const char *sql) {
    translation_make(sql, strlen(sql), "OWN", NULL, NULL, &result);
    translation_free(&result);
    return result.error;
}

static size_t error_at(const char *sql) {
    error_of(sql);
    return result.error ? result.error_at : (size_t)-1;
}

// Whether a statement with `part` 30,000 times is refused, and not by the end
// of the stack.
static bool is_bounded(const char *begin, const char *part, const char *end) {
    enum { TIMES = 30000 };
    const size_t length = strlen(part);
    char *sql = malloc(strlen(begin) + TIMES * length + strlen(end) + 1);
    char *to = stpcpy(sql, begin);
    for (int i = 0; i < TIMES; i++)
        to = stpcpy(to, part);
    strcpy(to, end);
    const bool refused = error_of(sql) != 0;
    free(sql);
    return refused;
}

// The same, where what is deep is spread over queries in each other.
static bool is_bounded_in_queries(void) {
    enum { QUERIES = 45, TERMS = 900, ROOM = QUERIES * (TERMS * 4 + 64) };
    char *sql = malloc(ROOM), *to = stpcpy(sql, "select 1");
    for (int i = 1; i < QUERIES; i++)
        to = stpcpy(to, "+(select 1");
    for (int i = 0; i < QUERIES; i++) {
        // The query stands at the bottom of its sum.
        for (int j = 0; j < TERMS; j++)
            to = stpcpy(to, " + 1");
        to = stpcpy(to, i + 1 < QUERIES ? " from dual)" : " from dual");
    }
    const bool refused = error_of(sql) == 3001;
    free(sql);
    return refused;
}

// Whether the translation of `oracle` contains `part`.
static bool translates_to(const char *oracle, const char *part) {
    translation_make(oracle, strlen(oracle), "OWN", &catalog, NULL, &result);
    bool found = !result.error && strstr(result.sql, part);
    if (!found)
        fprintf(stderr, "%s\n", result.sql ? result.sql : "nothing");
    translation_free(&result);
    return found;
}

// A zero byte in a literal that is emitted twice; the sanitizer sees what is
// read.
static bool copies_all_of_a_literal(void) {
    static const char sql[] = "select 1 from t where v in (1, 'a\0bcdefghijk')";
    translation_make(sql, sizeof sql - 1, "OWN", &catalog, NULL, &result);
    translation_free(&result);
    return !result.error;
}

static struct code *of_bind(void *data, unsigned token) {
    (void)token;
    return data;
}

// A statement in a block as PL/SQL executes it, without the tokens from `from`
// to `to`, in memory that free() takes: the fuzzing found the C library's own.
static bool executes(const char *sql, unsigned from, unsigned to,
                     const char *text) {
    struct statement s = {0};
    struct code *bind[8];
    const struct reference left_out = {NULL, from, to, NULL};
    size_t length = 0;
    char *made = parse_read(&s, sql, strlen(sql)) && parse_tree(&s)
                     ? statement_text(&s, to > 0 ? &left_out : NULL, of_bind,
                                      &s, bind, &length)
                     : NULL;
    const bool same = made && strcmp(made, text) == 0 && length == strlen(text);
    if (!same)
        fprintf(stderr, "%s\n", made ? made : "nothing");
    free(made);
    parse_free(&s);
    return same;
}

void test_translate(void) {
    CHECK(copies_all_of_a_literal());
    CHECK(executes("select 1, 'x' into :a, :b from dual", 4, 8,
                   "SELECT 1, 'x' FROM DUAL"));
    CHECK(executes("select  /*+ result_cache */ \"a\", b||:l\n from t\n"
                   " where c=:r and d='it''s'",
                   0, 0,
                   "SELECT /*+ result_cache */ \"a\", B||:B1 FROM T WHERE "
                   "C=:B2 AND D='it''s'"));
    CHECK(translates_to(
        "select a.owner# from sys.obj$ a",
        "\"A\".\"OWNER#\" AS \"OWNER#\" FROM \"SYS\".\"OBJ$\" \"A\""));
    CHECK(
        translates_to("select /*+ ordered */ 1 from a, b", "CROSS JOIN \"B\""));
    CHECK(translates_to("select 1 from a, b", "FROM \"A\", \"B\""));
    CHECK(translates_to("select 'a''b' from dual", "'a''b'"));
    CHECK(translates_to("select q'[a'b]' from dual", "'a''b'"));
    // A continuation byte of UTF-8 alone, which is no part of the bracket.
    CHECK(translates_to("select q'<\x92'>' from dual", "'\x92'''"));
    CHECK(translates_to("select sysdate from dual", "SYSDATE$()"));
    CHECK(translates_to("select a || b * 2 from b",
                        "CONCAT( \"A\", MULTIPLY$( \"B\", 2))"));
    CHECK(
        translates_to("select 1 - 2 + 3 from t", "ADD$( SUBTRACT$( 1, 2), 3)"));
    CHECK(translates_to("select count(*) from t where n = 1 and rownum <= 5",
                        "FROM (SELECT 1 FROM OWN.\"T\" WHERE \"N\" = 1 LIMIT"));
    CHECK(translates_to("select 1 from v_$x, sys.v_$mystat", "\"V$MYSTAT\""));
    CHECK(translates_to("select 1 from sys.t", "FROM \"SYS\".\"T\""));
    CHECK(translates_to(
        "with t as (select n from t) select n from t",
        "WITH \"T\" AS (SELECT \"N\" AS \"N\" FROM OWN.\"T\") SELECT "
        "\"N\" AS \"N\" FROM \"T\""));
    CHECK(translates_to(
        "select (select n from t) from b",
        "WITH \"ROW$\"(C) AS (SELECT \"N\" AS \"N\" FROM OWN.\"T\") SELECT"
        " ONE_ROW$(C)"));
    CHECK(translates_to("select (select max(n) from t) from b",
                        "(SELECT MAX( \"N\")"));
    // SQLite's operators compare only values that Oracle orders alike.
    CHECK(translates_to("select 1 from t where n < 5", "WHERE \"N\" < 5"));
    CHECK(translates_to("select 1 from t where n < :b", "WHERE \"N\" < ?1"));
    CHECK(
        translates_to("select 1 from t where wide = 5", "WHERE \"WIDE\" = 5"));
    CHECK(translates_to("select 1 from t where wide < 5",
                        "COMPARE$( \"WIDE\", 5) < 0"));
    CHECK(translates_to("select 1 from t where v = 5",
                        "COMPARE$( \"V\", 5) = 0"));
    CHECK(translates_to("select 1 from b where x = 5",
                        "COMPARE$( \"X\", 5) = 0"));
    // An alias is ORDER BY's alone.
    CHECK(translates_to("select n v from t where v = 'x'", "\"V\" = 'x'"));
    // A column of a query has the type that is derived there, of a set that of
    // all its queries.
    CHECK(translates_to("select 1 from (select n + 1 v from t) where v < 5",
                        "COMPARE$( \"V\", 5) < 0"));
    CHECK(translates_to("select 1 from (select n v from t) where v < 5",
                        "\"V\" < 5"));
    CHECK(translates_to(
        "select 1 from (select n x from t union select wide from t)"
        " where x < 5",
        "COMPARE$( \"X\", 5) < 0"));
    CHECK(translates_to("select 1 from (select * from t) where n < 5",
                        "\"N\" < 5"));
    // A subquery's own tables come first.
    CHECK(translates_to("select 1 from t a where exists (select 1 from (select "
                        "n v from t) where v = 5)",
                        "WHERE \"V\" = 5"));
    CHECK(translates_to("select 1 from t order by v desc",
                        "ORDER BY \"V\" DESC NULLS FIRST"));
    CHECK(translates_to("select 1 from t order by wide",
                        "ORDER BY SORT_KEY$( \"WIDE\") NULLS LAST"));
    CHECK(
        translates_to("insert into t (v) values (1)",
                      "VALUES ( ASSIGN$( 1,'VARCHAR2(5)','OWN.\"T\".\"V\"'))"));

    // A table's ROWID, by which SQLite finds the row.
    CHECK(translates_to("select rowid, t.rowid from t",
                        "SELECT ROWID$(rowid,7) AS \"ROWID\", "
                        "ROWID$(\"T\".rowid,7) AS \"ROWID\""));
    CHECK(translates_to("select 1 from t where rowid = :b",
                        "WHERE rowid = ROW$( ?1,7)"));
    CHECK(translates_to("select 1 from u x, t where 'a' = x.rowid and n = 1",
                        "WHERE \"X\".rowid = ROW$( 'a',8)"));
    CHECK(translates_to("delete from t where rowid in (select t.rowid from t)",
                        "WHERE ROWID$(rowid,7) IN ("));
    CHECK(translates_to("select 1 from t where rowid > 'a'",
                        "COMPARE$( ROWID$(rowid,7), 'a') > 0"));
    CHECK(
        translates_to("insert into t (v) values ('a') returning rowid into :r",
                      "RETURNING ROWID$(rowid,7)"));
    CHECK(!translates_to("select rowid from t, u", ""));
    CHECK(!translates_to("select rowid from (select n from t)", ""));
    CHECK(translates_to("select n + 1.5d from t", "X'BFF8000000000000"));

    CHECK(error_of("select 1 from t where a = 1 or rownum <= 5") == 3001);
    CHECK(error_of("select rownum from (select 1 from t where rownum = a or "
                   "1 = 1)") == 3001);
    CHECK(error_of("select a from t where a.x(+) = 1") == 904);
    CHECK(error_of("") == 900);
    CHECK(error_of("select $ from dual") == 911);
    CHECK(error_of("select 1 from dual)") == 933);
    CHECK(error_of("select , from dual") == 936);

    CHECK(error_at("select n from t wher n = 1") == 21);
    CHECK(error_at("select n from t where") == 21);
    CHECK(error_at("select n, decod(1) from t") == 10);
    CHECK(error_at("select 1 from dual; select 2 from dual") == 18);
    CHECK(error_of("select 1 from dual; select 2 from dual") == 911);
    CHECK(error_of("select decod(1) from t") == 904 &&
          strcmp(result.about, "DECOD") == 0);
    CHECK(is_bounded("select ", "1 + ", "1 from dual"));
    CHECK(is_bounded("select ", "- ", "'1' from dual"));
    CHECK(is_bounded("select 1 from dual where ", "not ", "1 = 1"));
    CHECK(is_bounded("select ", "case when 1 = 1 then ", "1 from dual"));
    CHECK(is_bounded("select 1 from dual", " cross join dual", ""));
    CHECK(is_bounded_in_queries());

    const char *binds = "select :b, :A, :b, ':c', \":d\" from dual";
    translation_make(binds, strlen(binds), "OWN", NULL, NULL, &result);
    CHECK(result.binds == 3 && result.bind[2].first == 0);
    CHECK(strcmp(result.bind[1].name, "A") == 0);
    translation_free(&result);
    const char *compared = "select 1 from t where n < :b";
    translation_make(compared, strlen(compared), "OWN", &catalog, NULL,
                     &result);
    CHECK(result.binds == 1 && result.bind[0].expected != 0);
    translation_free(&result);

    // Whatever comes, it ends, and nothing is read past the end.
    static const char text[] = "select ( 1 / - :x || 'a' from t where rownum <="
                               " case when a then b end and c order by \"d\"";
    for (size_t cut = 0; cut < sizeof text; cut++) {
        char *exact = malloc(cut + 1);
        memcpy(exact, text, cut);
        translation_make(exact, cut, "OWN", &catalog, NULL, &result);
        CHECK(result.error || result.sql);
        translation_free(&result);
        free(exact);
    }
}

void test_o5logon(void) {
    struct verifier verifier;
    struct o5logon logon = {0};
    char sesskey[SECRET_HEX], answer[ANSWER_HEX];
    uint8_t four[4];
    CHECK(verifier_make("tiger", VERIFIER_12C, &verifier));
    CHECK(o5logon_challenge(&logon, &verifier, sesskey));
    CHECK(strlen(sesskey) == 64);
    CHECK(!o5logon_verify(&logon, "", 0, "", 0));
    CHECK(!o5logon_verify(&logon, sesskey, 64, sesskey, 64));
    CHECK(!o5logon_verify(&logon, sesskey, 64, sesskey, 63));
    CHECK(!o5logon_verify(&logon, sesskey, 62, sesskey, 64));
    CHECK(o5logon_answer(&logon, answer));
    CHECK(strlen(answer) == ANSWER_HEX - 1);
    CHECK(hex_decode("00ffAb1f", 8, four, 4) && four[1] == 0xff);
    CHECK(!hex_decode("00ffAb1g", 8, four, 4));
    CHECK(!hex_decode("00ffAb", 6, four, 4));
}

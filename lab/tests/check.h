// SPDX-License-Identifier: GPL-2.0-or-later
// The smallest test framework: counts checks, prints each one that fails with
// its place, and goes on.
#ifndef ORALAB_CHECK_H
#define ORALAB_CHECK_H

#include <stdio.h>

extern unsigned checks_made, checks_failed;

#define CHECK(condition)                                                       \
    do {                                                                       \
        checks_made++;                                                         \
        if (!(condition)) {                                                    \
            checks_failed++;                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
        }                                                                      \
    } while (0)

void test_wire(void);
void test_number(void);
void test_date(void);
void test_decimal(void);
void test_binary_numbers(void);
void test_rowid(void);
void test_zones(void);
void test_calendar(void);
void test_tns(void);
void test_connect(void);
void test_breakcheck(void);
void test_break_order(void);
void test_sqlnet_ora(void);
void test_translate(void);
void test_o5logon(void);
void test_latch(void);
void test_link(void);
void test_active_sessions(void);

#endif

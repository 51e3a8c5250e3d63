// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/check.h"

unsigned checks_made, checks_failed;

int main(void) {
    test_wire();
    test_number();
    test_date();
    test_decimal();
    test_binary_numbers();
    test_rowid();
    test_zones();
    test_calendar();
    test_tns();
    test_connect();
    test_breakcheck();
    test_break_order();
    test_sqlnet_ora();
    test_translate();
    test_o5logon();
    test_latch();
    test_link();
    test_active_sessions();
    printf("%u checks, %u failed\n", checks_made, checks_failed);
    return checks_failed != 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Unit tests of what needs no kernel; run by `make -C probes check`.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/ehframe.h"
#include "output/json.h"
#include "processes/window_sums.h"

static int failures;

#define CHECK(truth)                                                           \
    do {                                                                       \
        if (!(truth)) {                                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #truth);                 \
            failures++;                                                        \
        }                                                                      \
    } while (0)

static void check_text(const char *text, size_t size, const char *expected) {
    struct json j = {0};

    json_text_n(&j, text, size);
    CHECK(j.size == strlen(expected) && !memcmp(j.text, expected, j.size));
    free(j.text);
}

static void test_json(void) {
    struct json j = {0};

    check_text("a\"b\\c\n\x7f", 7, "\"a\\\"b\\\\c\\u000a\\u007f\"");
    check_text("\xc3\xa9", 2, "\"\xc3\xa9\"");
    check_text("\xe2\x82\xac", 3, "\"\xe2\x82\xac\"");
    check_text("\xff", 1, "\"\\ufffd\"");
    check_text("\xc3", 1, "\"\\ufffd\"");                       // cut short
    check_text("\xc0\xaf", 2, "\"\\ufffd\\ufffd\"");            // overlong
    check_text("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\""); // a surrogate
    json_open(&j, '{');
    json_key_seconds(&j, "t", 1000000001);
    json_key(&j, "n");
    json_signed(&j, -5);
    json_list(&j, "l");
    json_close(&j, ']');
    json_close(&j, '}');
    json_newline(&j);
    CHECK(!memcmp(j.text, "{\"t\":1.000000001,\"n\":-5,\"l\":[]}\n", j.size));
    free(j.text);
}

// A CIE and an FDE as a compiler makes them: at 0x1000, 0x40 bytes; the stack
// grows by 0x28 after 4 bytes.
static const uint8_t FRAME[] = {
    0x14,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    'z',
    'R',
    0,
    1,
    0x78,
    0x10,
    1,
    0x1b,
    0x0c,
    7,
    8,
    0x90,
    1,
    0,
    0, // CIE: code 1, data -8, column 16,
       // pcrel sdata4; cfa=rsp+8, ra
    0x14,
    0,
    0,
    0,
    0x1c,
    0,
    0,
    0,
    0xe0,
    0x0f,
    0,
    0,
    0x40,
    0,
    0,
    0,
    0,
    0x44,
    0x0e,
    0x30,
    0x86,
    2,
    0,
    0, // FDE: pc 0x20 + 0xfe0; advance 4;
       // cfa offset 0x30; rbp at cfa-16
    0,
    0,
    0,
    0,
};

static void test_caller(void) {
    struct eh_frame frame = {FRAME, sizeof(FRAME), 0};
    struct site_rule rule = {-7, -7};

    CHECK(eh_caller(&frame, 0x1000, &rule) == EH_STACK_POINTER);
    CHECK(rule.caller == 0);
    CHECK(rule.frame == SITE_FRAME_KEPT);
    CHECK(eh_caller(&frame, 0x1003, &rule) == EH_STACK_POINTER);
    CHECK(rule.caller == 0);
    CHECK(eh_caller(&frame, 0x1004, &rule) == EH_STACK_POINTER);
    CHECK(rule.caller == 0x28);
    CHECK(rule.frame == 0x20);
    CHECK(eh_caller(&frame, 0x103f, &rule) == EH_STACK_POINTER);
    CHECK(eh_caller(&frame, 0x1040, &rule) == EH_UNKNOWN);
    CHECK(eh_caller(&frame, 0xfff, &rule) == EH_UNKNOWN);
}

// Every truncation and a million random damages: no read outside, no hang.
static void test_damaged_frames(void) {
    struct site_rule rule;

    srandom(1);
    for (size_t size = 0; size <= sizeof(FRAME); size++) {
        uint8_t *copy = malloc(size + 1);
        struct eh_frame frame = {copy, size, 0};

        memcpy(copy, FRAME, size);
        eh_caller(&frame, 0x1010, &rule);
        free(copy);
    }
    for (int round = 0; round < 1000000; round++) {
        uint8_t *copy = malloc(sizeof(FRAME));
        struct eh_frame frame = {copy, sizeof(FRAME), random() % 2 * ~0ull};

        memcpy(copy, FRAME, sizeof(FRAME));
        for (int i = 0; i <= round % 6; i++)
            copy[random() % sizeof(FRAME)] = random();
        eh_caller(&frame, 0x1010, &rule);
        free(copy);
    }
}

static bool is_near(double value, double expected) {
    return fabs(value - expected) <= 1e-9 * fabs(expected);
}

static void test_window_sums(void) {
    struct window_sums sums = {0};

    // 10 ms, 5000 polls of 200 ns each ours: 9 ms were the process's.
    window_add(&sums, &(struct window){5000, 0.01, 0.01, 0.001});
    window_add(&sums, &(struct window){500, 0.01, 0.005, 0});
    // It did not run in this one.
    window_add(&sums, &(struct window){0, 0.01, 0, 0});
    window_add(&sums, &(struct window){1000, 0.01, 0.01, 0});
    CHECK(sums.count == 4);
    CHECK(is_near(sums.polls, 6500));
    CHECK(is_near(sums.cpu_s, 0.009 + 0.005 + 0.01));
    CHECK(is_near(sums.seconds, 0.009 + 3 * 0.01));
    CHECK(is_near(sums.displaced_s, 0.001));
    CHECK(is_near(sums.squares.polls, 25e6 + 25e4 + 1e6));
    CHECK(is_near(sums.squares.cross, 45 + 2.5 + 10));
    CHECK(is_near(sums.squares.cpu, 81e-6 + 25e-6 + 1e-4));
    // Of the neighbours only the first two both ran.
    CHECK(is_near(sums.neighbours.polls, 2500e3));
    CHECK(is_near(sums.neighbours.cross, (5000 * 0.005 + 500 * 0.009) / 2));
    CHECK(is_near(sums.neighbours.cpu, 0.009 * 0.005));
    // Our counting never takes more than nine tenths of a window.
    sums = (struct window_sums){0};
    window_add(&sums, &(struct window){100, 0.01, 0.01, 0.02});
    CHECK(is_near(sums.cpu_s, 0.001));
}

int main(void) {
    test_json();
    test_caller();
    test_damaged_frames();
    test_window_sums();
    if (failures)
        printf("%d failed\n", failures);
    else
        puts("unit tests passed");
    return failures != 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Unit tests of what needs no kernel; run by `make -C probes check`.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/ehframe.h"
#include "output/json.h"
#include "processes/rates.h"

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

static void add_windows(struct windows *w, int count, struct window one) {
    for (int i = 0; i < count; i++)
        window_add(w, &one);
}

static void test_rates(void) {
    struct windows w = {0};
    struct rate rate;

    CHECK(!window_rate(&w, 1, 1, &rate));
    add_windows(&w, 3, (struct window){1000, 0.01, 0.01, 0});
    CHECK(window_rate(&w, 1, 1, &rate));
    CHECK(fabs(rate.per_s - 100000) < 1e-6);
    CHECK(rate.low <= rate.per_s && rate.per_s <= rate.high);
    // 10 ms, 5000 polls of 200 ns each ours: 9 ms were the process's, and over
    // the second it lost three of that one millisecond.
    w = (struct windows){0};
    add_windows(&w, 3, (struct window){5000, 0.01, 0.01, 0.001});
    CHECK(window_rate(&w, 1, 1, &rate));
    CHECK(fabs(rate.per_s - 5000 / 0.009 * 0.997) < 1);
    // On the CPU for half of the windows, yet for a tenth of the time.
    w = (struct windows){0};
    add_windows(&w, 3, (struct window){500, 0.01, 0.005, 0});
    CHECK(window_rate(&w, 0.1, 1, &rate));
    CHECK(fabs(rate.per_s - 10000) < 1e-6);
    // A process that had no CPU time made no polls.
    w = (struct windows){0};
    add_windows(&w, 10, (struct window){0, 0.01, 0, 0});
    CHECK(window_rate(&w, 0, 1, &rate));
    CHECK(rate.per_s == 0 && rate.low == 0 && rate.high == 0);
    // One that the windows never saw on a CPU may have made any number.
    CHECK(window_rate(&w, 0.5, 1, &rate));
    CHECK(rate.low == 0 && rate.high > 1e6);
    // One that never polled there: three in 0.1 s, at half of the time.
    add_windows(&w, 10, (struct window){0, 0.01, 0.01, 0});
    CHECK(window_rate(&w, 0.5, 1, &rate));
    CHECK(rate.per_s == 0 && fabs(rate.high - 15) < 1e-9);
    // Polls whose CPU time the kernel has not added up yet give no rate.
    w = (struct windows){0};
    add_windows(&w, 3, (struct window){10, 0.01, 0, 0});
    CHECK(!window_rate(&w, 0, 1, &rate));
    // Seen polling once.
    w = (struct windows){0};
    add_windows(&w, 9, (struct window){0, 0.01, 0, 0});
    add_windows(&w, 1, (struct window){1000, 0.01, 0.01, 0});
    CHECK(window_rate(&w, 0.5, 1, &rate));
    CHECK(rate.low == 0 && fabs(rate.per_s - 50000) < 1 && rate.high > 1e6);
}

// Whether the 95 % interval holds, for a process that the scheduler lets run
// now and then, at a rate that varies.
static bool interval_holds(double share, int windows, double memory) {
    double cpu = 0, polls = 0, drift = 0;
    struct windows w = {0};
    struct rate rate;

    for (int i = 0; i < windows; i++) {
        double now = drand48() * 2 * share; // CPU share between two windows
        double per_s;
        struct window one = {.seconds = 0.01};

        drift = memory * drift +
                sqrt(1 - memory * memory) * 0.5 * (drand48() - 0.5);
        per_s = 1e6 * (1 + drift);
        if (drand48() < now)
            one.cpu_s = 0.01 * fmin(1, 0.5 + drand48());
        one.polls = per_s * one.cpu_s;
        window_add(&w, &one);
        cpu += now * 0.75;
        polls += 1e6 * now * 0.75; // a long measurement's
    }
    window_rate(&w, cpu, 0.75 * windows, &rate);
    polls /= 0.75 * windows;
    return rate.low <= polls && polls <= rate.high;
}

static void test_intervals(void) {
    const double SHARE[] = {0.5, 0.2, 0.1, 0.05};
    const int RUNS = 2000;
    int drifting = 0;

    srand48(2);
    for (unsigned i = 0; i < sizeof(SHARE) / sizeof(*SHARE); i++)
        for (int windows = 20; windows <= 80; windows *= 2) {
            int held = 0;

            for (int run = 0; run < RUNS; run++)
                held += interval_holds(SHARE[i], windows, 0);
            if (held < RUNS * 94 / 100)
                printf("share %.2f, %d windows: %d of %d\n", SHARE[i], windows,
                       held, RUNS);
            CHECK(held >= RUNS * 94 / 100); // 1900 to be expected
        }
    // A slow drift; without the products of neighbours it would be 1669.
    for (int run = 0; run < RUNS; run++)
        drifting += interval_holds(0.5, 80, 0.5);
    CHECK(drifting >= RUNS * 90 / 100);
}

int main(void) {
    test_json();
    test_caller();
    test_damaged_frames();
    test_rates();
    test_intervals();
    if (failures)
        printf("%d failed\n", failures);
    else
        puts("unit tests passed");
    return failures != 0;
}

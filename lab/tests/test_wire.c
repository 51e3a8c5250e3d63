// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "ttc/wire.h"

static struct arena arena;

// The bytes still to come, in pieces of at most `piece` bytes.
static struct {
    const uint8_t *data;
    size_t left, piece;
} coming;

static bool come(struct wire_in *in) {
    const size_t n = coming.left < coming.piece ? coming.left : coming.piece;
    if (n == 0 || !in_put(in, coming.data, n))
        return false;
    coming.data += n;
    coming.left -= n;
    return true;
}

static struct wire_in in_pieces(const void *data, size_t length, size_t piece) {
    struct wire_in in = {.arena = &arena, .big_chunks = true, .more = come};
    arena.limit = 1 << 20;
    coming.data = data;
    coming.left = length;
    coming.piece = piece;
    return in;
}

static struct wire_in over(const void *data, size_t length) {
    return in_pieces(data, length, length);
}

static void done(struct wire_in *in) {
    free(in->data);
    arena_free(&arena);
}

static void numbers_come_back(void) {
    static const uint64_t values[] = {
        0, 1, 255, 256, 65535, 65536, UINT32_MAX, 1ULL << 32, UINT64_MAX};
    struct wire_out out = {0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        out_ub(&out, values[i]);
    struct wire_in in = over(out.data, out.length);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        CHECK(in_ub(&in) == values[i]);
    CHECK(!in.bad);
    in_u8(&in);
    CHECK(in.bad);
    done(&in);
    free(out.data);
}

static void strings_come_back(void) {
    static const size_t lengths[] = {0, 1, 252, 253, 254, 32767, 32768, 70000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int big = 0; big < 2; big++) {
            struct wire_out out = {.big_chunks = big};
            char *text = malloc(lengths[i] + 1);
            memset(text, 'x', lengths[i] + 1);
            out_clr(&out, text, lengths[i]);
            struct wire_in in = over(out.data, out.length);
            in.big_chunks = big;
            struct bytes bytes = in_clr(&in);
            CHECK(!in.bad && bytes.length == lengths[i]);
            CHECK(bytes.length == 0 || memcmp(bytes.at, text, lengths[i]) == 0);
            done(&in);
            free(out.data);
            free(text);
        }
}

// Wherever the pieces end, the same is read, and no byte too many.
static void pieces_make_no_difference(void) {
    struct wire_out out = {.big_chunks = true};
    char text[40000];
    memset(text, 'z', sizeof text);
    out_ub(&out, 70000);
    out_clr(&out, text, sizeof text);
    out_dlc(&out, text, 200);
    out_u8(&out, 7);
    for (size_t piece = 1; piece <= out.length; piece += piece < 300 ? 1 : 997)
        for (int offset = 0; offset < 3; offset++) {
            struct wire_in in =
                in_pieces(out.data, out.length, piece + (size_t)offset);
            CHECK(in_wait(&in) && in_position(&in) == 0);
            CHECK(in_ub(&in) == 70000);
            struct bytes bytes = in_clr(&in);
            CHECK(bytes.length == sizeof text &&
                  memcmp(bytes.at, text, sizeof text) == 0);
            CHECK(in_dlc(&in).length == 200);
            CHECK(in_u8(&in) == 7 && !in.bad);
            CHECK(in_position(&in) == out.length);
            CHECK(!in_wait(&in));
            done(&in);
        }
    free(out.data);
}

// The next message begins where the last one ended, in the same piece too.
static void messages_share_a_piece(void) {
    static const uint8_t two[] = {1, 5, 1, 6, 1};
    struct wire_in in = over(two, sizeof two);
    CHECK(in_wait(&in) && in_ub(&in) == 5);
    CHECK(in_wait(&in) && in_position(&in) == 0);
    CHECK(in_ub(&in) == 6 && in_position(&in) == 2);
    CHECK(in_wait(&in) && in_ub(&in) == 0 && in.bad && !in.fault);
    done(&in);
}

static void values_beyond_the_memory(void) {
    const size_t length = 2 << 20;
    uint8_t *much = calloc(1, length + 16);
    struct wire_out out = {.big_chunks = true};
    out_clr(&out, much, length);
    struct wire_in in = over(out.data, out.length);
    CHECK(in_clr(&in).length == 0 && in.bad && in.too_long && in.fault);
    done(&in);
    free(out.data);
    free(much);
}

// Every proper prefix of a message is too short, and is noticed.
static void cut_messages_are_bad(void) {
    struct wire_out out = {.big_chunks = true};
    char text[300];
    memset(text, 'y', sizeof text);
    out_dlc(&out, text, sizeof text);
    for (size_t cut = 0; cut < out.length; cut++) {
        struct wire_in in = over(out.data, cut);
        in_dlc(&in);
        CHECK(in.bad);
        done(&in);
    }
    free(out.data);
}

static void lengths_that_lie(void) {
    static const uint8_t nine[] = {9, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint8_t negative[] = {0x81, 5};
    static const uint8_t huge_chunk[] = {0xfe, 4, 0x7f, 0xff, 0xff, 0xff, 1};
    static const uint8_t above_32_bits[] = {5, 1, 0, 0, 0, 0};
    struct wire_in in = over(nine, sizeof nine);
    in_ub(&in);
    CHECK(in.bad);
    done(&in);
    in = over(negative, sizeof negative);
    in_ub(&in);
    CHECK(in.bad);
    done(&in);
    in = over(huge_chunk, sizeof huge_chunk);
    CHECK(in_clr(&in).length == 0 && in.bad);
    done(&in);
    in = over(above_32_bits, sizeof above_32_bits);
    CHECK(in_ub4(&in) == 0 && in.bad);
    done(&in);
}

void test_wire(void) {
    numbers_come_back();
    strings_come_back();
    pieces_make_no_difference();
    messages_share_a_piece();
    values_beyond_the_memory();
    cut_messages_are_bad();
    lengths_that_lie();
}

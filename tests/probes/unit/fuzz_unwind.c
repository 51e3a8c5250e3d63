// SPDX-License-Identifier: GPL-2.0-or-later
// Feeds damaged .eh_frame sections to the maker of unwind tables, and damaged
// tables, layouts and stacks to the step of the BPF programs, under the
// sanitizers. Arguments: the number of inputs, 0 for no end; a seed; ELF files
// whose sections are damaged.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "readers/unwind_table.h"

#include "kernel/unwind_step.h"

#define MEMORY 4096
#define MEMORY_AT 0x7ffc00000000ull
#define LARGEST (256u << 10)

static uint64_t state;

static uint64_t draw(void) { // xorshift64*
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dull;
}

static uint8_t memory[MEMORY];
static struct unwind_table table;
static struct unwind_layout layout;

static long unwind_read(void *into, __u32 size, __u64 address) {
    if (address < MEMORY_AT || address - MEMORY_AT > MEMORY - size)
        return -1;
    memcpy(into, memory + (address - MEMORY_AT), size);
    return 0;
}

int unwind_mapping_of(__u32 number, __u64 address) {
    (void)number;
    for (int i = 0; i < LAYOUT_MAPPINGS; i++)
        if (layout.start[i] <= address && address < layout.mapping[i].end)
            return i;
    return -1;
}

__u64 unwind_row_of(__u32 number, __u32 mapping, __u64 address) {
    uint64_t page = (address - layout.start[mapping]) >> UNWIND_PAGE_BITS;

    (void)number;
    if (draw() % 4 == 0 || page >= table.pages)
        return draw(); // a row that nobody made
    return table.row[table.page[page]];
}

// The invariants that the programs' memory safety does not give by itself.
static void check_table(void) {
    for (uint32_t p = 0; p < table.pages; p++) {
        if (table.page[p] >= table.page[p + 1])
            abort();
        for (uint32_t i = table.page[p]; i < table.page[p + 1]; i++)
            if (UNWIND_AT(table.row[i]) >= UNWIND_PAGE ||
                (i == table.page[p]
                     ? UNWIND_AT(table.row[i]) != 0
                     : UNWIND_AT(table.row[i]) <= UNWIND_AT(table.row[i - 1])))
                abort();
    }
    if (table.page[table.pages] != table.rows)
        abort();
}

static void damage(uint8_t *data, size_t size) {
    for (unsigned n = draw() % 16 + 1; n && size; n--) {
        size_t at = draw() % size, length = draw() % 64;

        if (length > size - at)
            length = size - at;
        switch (draw() % 4) {
        case 0:
            data[at] = draw();
            break;
        case 1: // a length or an offset
            if (size - at >= 4)
                memset(data + at, draw() % 2 ? 0xff : 0, 4);
            break;
        case 2: // a part from elsewhere
            memmove(data + at, data + draw() % (size - length + 1), length);
            break;
        default:
            data[at] ^= 1u << draw() % 8;
        }
    }
}

static void walk(void) {
    struct unwind_state s = {.exact = draw() % 2, .bp_lost = draw() % 2};

    memset(layout.start, 0xff, sizeof(layout.start));
    layout.start[0] = 0x400000;
    layout.mapping[0].end = 0x400000 + (1u << 20);
    for (unsigned i = 0; i < MEMORY / 8; i++) {
        uint64_t word = draw() % 3   ? MEMORY_AT + draw() % MEMORY
                        : draw() % 2 ? 0x400000 + draw() % (1u << 20)
                                     : draw();

        memcpy(memory + i * 8, &word, sizeof(word));
    }
    s.pc = 0x400000 + draw() % (1u << 20);
    s.sp = draw() % 8 ? MEMORY_AT + draw() % MEMORY : draw();
    s.bp = draw() % 8 ? MEMORY_AT + draw() % MEMORY : draw();
    for (int depth = 0; depth < STACK_DEPTH; depth++) {
        if (unwind_step(&s) != STOP_UNKNOWN)
            break;
        if (unwind_mapping_of(0, s.exact ? s.pc : s.pc - 1) < 0)
            abort(); // a frame outside of code
    }
}

struct sample {
    uint8_t data[LARGEST];
    struct eh_frame eh;
};

static void read_sample(const char *path, struct sample *sample) {
    int fd = open(path, O_RDONLY);
    struct eh_frame eh;
    uint64_t offset;

    if (fd < 0 || !unwind_find_section(fd, &eh, &offset)) {
        fprintf(stderr, "%s: no .eh_frame\n", path);
        exit(1);
    }
    sample->eh = eh;
    if (sample->eh.size > LARGEST)
        sample->eh.size = LARGEST;
    if (pread(fd, sample->data, sample->eh.size, offset) !=
        (ssize_t)sample->eh.size)
        exit(1);
    close(fd);
}

int main(int argc, char **argv) {
    uint64_t inputs = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    unsigned samples = argc > 3 ? argc - 3 : 0;
    struct sample *sample = calloc(samples ? samples : 1, sizeof(*sample));

    state = argc > 2 ? strtoull(argv[2], NULL, 10) * 2 + 1 : 1;
    for (unsigned i = 0; i < samples; i++)
        read_sample(argv[i + 3], &sample[i]);
    if (!samples)
        sample[0].eh.size = 512, sample[0].eh.address = 0x400000;
    for (uint64_t n = 0; !inputs || n < inputs; n++) {
        const struct sample *from = &sample[samples ? draw() % samples : 0];
        size_t size = from->eh.size < 8 ? 0 : 8 + draw() % (from->eh.size - 7);
        uint8_t *data;

        // Most of the time a few entries: a small section is made fast.
        if (draw() % 16 && size > 2048)
            size = 2048;
        data = malloc(size + 1); // of this size: the sanitizer sees the end
        memcpy(data, from->data, size);
        damage(data, size);
        if (unwind_table_make(
                &(struct eh_frame){data, size, from->eh.address},
                (struct code_span){from->eh.address & ~0xffffffull,
                                   from->eh.address + draw() % (8u << 20)},
                &table) == TABLE_MADE)
            check_table();
        walk();
        unwind_table_free(&table);
        free(data);
    }
    free(sample);
    printf("%llu inputs\n", (unsigned long long)inputs);
    return 0;
}

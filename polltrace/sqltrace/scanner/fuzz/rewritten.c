// SPDX-License-Identifier: GPL-2.0-or-later
// rewritten SECONDS FILE…: reads damaged copies of the files in windows while a
// thread writes other bytes into them, as the owner of a trace file may. The
// bytes may then be anything, but under AddressSanitizer and UBSan the scanner
// must touch no other memory, and end. Two reads of one byte differ by chance,
// so a finding may not come again.
#define _GNU_SOURCE // memfd_create
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "../interface.h"
#include "check.h"
#include "damage.h"
#include "mapped.h"

enum { LONGEST = 1 << 16, FORBIDDEN = 1 << 20 };

// The memory that the thread writes to; NULL: none now.
static struct {
    pthread_mutex_t lock;
    uint8_t *data;
    size_t len;
    uint64_t written;
} target = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *rewrite(void *none) {
    uint64_t state = 1;
    for (;;) {
        pthread_mutex_lock(&target.lock);
        for (int i = 0; target.data && i < 16; i++) {
            // The last newline ends the block: take it away often.
            uint8_t *const at =
                next_random(&state) % 8
                    ? target.data + next_random(&state) % target.len
                    : target.data + target.len - 1;
            const uint8_t was = *at;
            damage(at, 1, 1, &state);
            if (next_random(&state) % 4) // for a moment only
                *at = was;
            target.written++;
        }
        pthread_mutex_unlock(&target.lock);
    }
    return none;
}

static void aim(uint8_t *data, size_t len) {
    pthread_mutex_lock(&target.lock);
    target.data = data;
    target.len = len;
    pthread_mutex_unlock(&target.lock);
}

static void check_batch(struct scan *scan, struct block *block) {
    struct batch *const batch = sqltrace_batch(scan, block);
    if (!batch)
        abort();
    check_strings(batch);
    sqltrace_batch_delete(batch);
}

static void read_rewritten(const char *text, size_t len, uint64_t bits) {
    const struct scan_options options = {
        .columns = ~0ull >> (64 - COLUMNS),
        .think_us = 1000000,
        .all_lines = bits & 1,
        .stats = bits & 2,
        .counted = bits & 4,
    };
    struct scan *const scan = sqltrace_open(&options);
    struct block *const block = sqltrace_block_new();
    const int file = file_of(text, len);
    struct window *const window = shown(file, 0, len);
    uint8_t *const data =
        mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (!scan || !block || data == MAP_FAILED)
        abort();
    // Nothing behind the padding may be read.
    const char *const from = sqltrace_window_data(window);
    const char *const behind = from + (len + BLOCK_PADDING + 15) / 16 * 16;
    ASAN_POISON_MEMORY_REGION(behind, FORBIDDEN);
    aim(data, len);
    for (int i = 0; i < 8; i++) {
        sqltrace_read(scan, block, from, len);
        check_batch(scan, block);
    }
    check_batch(scan, NULL);
    check_kinds(scan);
    aim(NULL, 0);
    ASAN_UNPOISON_MEMORY_REGION(behind, FORBIDDEN);
    munmap(data, len);
    sqltrace_window_delete(window);
    close(file);
    sqltrace_block_delete(block);
    struct summary summary;
    sqltrace_end(scan, &summary);
    sqltrace_close(scan);
}

static size_t read_file(const char *path, char *to) {
    FILE *const file = fopen(path, "re");
    if (!file)
        abort();
    size_t len = fread(to, 1, LONGEST - 1, file);
    fclose(file);
    to[len++] = '\n';
    return len;
}

int main(int argc, char **argv) {
    static char text[LONGEST], copy[LONGEST];
    const time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 0);
    uint64_t state = 2, files = 0;
    pthread_t thread;
    if (argc < 3 || pthread_create(&thread, NULL, rewrite, NULL) != 0)
        return 2;
    while (time(NULL) < end)
        for (int i = 2; i < argc; i++, files++) {
            const size_t len = read_file(argv[i], text);
            memcpy(copy, text, len);
            damage((uint8_t *)copy, len - 1, next_random(&state) % 8, &state);
            read_rewritten(copy, len, next_random(&state));
        }
    printf("rewritten: %llu files were read while %llu of their bytes were "
           "written\n",
           (unsigned long long)files, (unsigned long long)target.written);
    return target.written == 0;
}

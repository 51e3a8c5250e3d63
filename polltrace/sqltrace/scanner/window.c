// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memrchr
#include "window.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

// Where the file and the memory agree in their low bits, the kernel maps large
// pages of its cache by one entry each.
enum { LARGE_PAGE = 2 << 20, PAGE = 4096, MOST_WINDOWS = 1024 };

// The file's part begins within a large page, and zeros follow it.
enum { ROOM = LARGE_PAGE + LARGEST_WINDOW + PAGE };

struct window {
    char *reserved, *begin; // begin: at a large page
    atomic_size_t mapped;   // bytes from `begin` that are the file's
    atomic_bool torn;
    const char *data;
    int file;
    int64_t end; // of the mapped part, in the file
    size_t slot;
};

static _Atomic(struct window *) windows[MOST_WINDOWS];
static struct sigaction before;

static void *map_zeros(char *at, size_t size) {
    return mmap(at, size, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

// Zeros from the page at `at` on, if it is a window's. The pages before it were
// there.
static bool put_zeros(char *at) {
    for (size_t i = 0; i < MOST_WINDOWS; i++) {
        struct window *const window = atomic_load(&windows[i]);
        if (!window || at < window->begin ||
            at >= window->begin + atomic_load(&window->mapped))
            continue;
        char *const end = window->begin + atomic_load(&window->mapped);
        at -= (uintptr_t)at % PAGE;
        atomic_store(&window->torn, true);
        return map_zeros(at, (size_t)(end - at)) != MAP_FAILED;
    }
    return false;
}

static void on_sigbus(int number, siginfo_t *info, void *context) {
    (void)context;
    const int error = errno;
    const bool sent = info->si_code <= 0; // by a process, not by memory
    if (sent || !put_zeros(info->si_addr)) {
        // Not ours: whoever was there before sees it now.
        sigaction(number, &before, NULL);
        if (sent)
            raise(number);
    }
    errno = error;
}

static void catch_sigbus(void) {
    struct sigaction action = {.sa_sigaction = on_sigbus,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &before);
}

static bool take_slot(struct window *window) {
    for (size_t i = 0; i < MOST_WINDOWS; i++) {
        struct window *none = NULL;
        if (atomic_compare_exchange_strong(&windows[i], &none, window)) {
            window->slot = i;
            return true;
        }
    }
    return false;
}

struct window *window_new(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct window *window = calloc(1, sizeof *window);
    if (!window)
        return NULL;
    window->reserved = mmap(NULL, ROOM + LARGE_PAGE, PROT_READ,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (window->reserved == MAP_FAILED || !take_slot(window)) {
        if (window->reserved != MAP_FAILED)
            munmap(window->reserved, ROOM + LARGE_PAGE);
        free(window);
        return NULL;
    }
    pthread_once(&once, catch_sigbus);
    window->begin = window->reserved + LARGE_PAGE -
                    (uintptr_t)window->reserved % LARGE_PAGE;
    return window;
}

// Nothing of a file is left in it. False where the kernel refuses.
static bool empty(struct window *window) {
    const size_t mapped = atomic_exchange(&window->mapped, 0);
    return !mapped || map_zeros(window->begin, mapped) != MAP_FAILED;
}

// Map all pages at once, which takes less than a fault for every few, and reads
// them in the order of the file where they are on disk. Where the kernel cannot
// (before Linux 5.14), they come as they are touched.
static void fill(const struct window *window, size_t size) {
#ifdef MADV_POPULATE_READ
    const size_t within = (uintptr_t)window->data % PAGE;
    madvise((void *)(uintptr_t)(window->data - within), size + within,
            MADV_POPULATE_READ);
#else
    (void)window;
    (void)size;
#endif
}

size_t window_move(struct window *window, int file, int64_t at, size_t most) {
    const size_t before = (size_t)(at % LARGE_PAGE);
    const size_t needed = before + most;
    const size_t size = (needed + PAGE - 1) / PAGE * PAGE;
    if (at < 0 || !most || most > LARGEST_WINDOW || !empty(window) ||
        mmap(window->begin, size, PROT_READ, MAP_SHARED | MAP_FIXED, file,
             at - (int64_t)before) == MAP_FAILED)
        return 0;
    atomic_store(&window->torn, false);
    atomic_store(&window->mapped, size);
    window->file = file;
    window->data = window->begin + before;
    fill(window, most);
    const char *const last = memrchr(window->data, '\n', most);
    const size_t len = last ? (size_t)(last + 1 - window->data) : 0;
    window->end = at + (int64_t)len;
    return len;
}

const char *window_data(const struct window *window) {
    return window->data;
}

bool window_is_torn(const struct window *window) {
    struct stat now;
    return atomic_load(&window->torn) || fstat(window->file, &now) != 0 ||
           now.st_size < window->end;
}

void window_free(struct window *window) {
    if (!window)
        return;
    atomic_store(&windows[window->slot], NULL);
    munmap(window->reserved, ROOM + LARGE_PAGE);
    free(window);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// A process that polls with its pollfd in memory of a certain kind. Lines on
// standard input, "KIND FILE COUNT", are answered by "done ABSENT": at how many
// of the COUNT polls the pollfd was not in memory; or by "done -1" where this
// kernel has no such memory. KIND "socket" is answered by the descriptor. All
// other memory there is full of pollfds of another socket, so a read of a wrong
// address is counted for that one.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ul
#define HUGE_PAGE (2ul << 20)
#define PLACE (0x123ul * PAGE + 0x458) // of the pollfd in a huge page
#define PRESENT (1ull << 63)           // in /proc/self/pagemap
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

static int watched, decoy, pagemap;

static void fill(void *memory, size_t size) {
    struct pollfd *wrong = memory;

    for (size_t i = 0; i < size / sizeof(*wrong); i++)
        wrong[i] = (struct pollfd){decoy, POLLIN, 0};
}

static struct pollfd *put(void *address) {
    struct pollfd right = {watched, POLLIN, 0};

    memcpy(address, &right, sizeof(right));
    return address;
}

static bool is_absent(const void *address) {
    uint64_t entry = 0;

    if (pread(pagemap, &entry, 8, (uintptr_t)address / PAGE * 8) != 8)
        abort();
    return !(entry & PRESENT);
}

static long poll_there(void *address, long count, void (*between)(void *)) {
    long absent = 0;

    for (long i = 0; i < count; i++) {
        if (between)
            between(address);
        absent += is_absent(address);
        syscall(SYS_poll, address, 1, 0); // libc's would be inlined or checked
    }
    return absent;
}

static void *map(size_t size, int flags, int fd) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
}

// A huge page's address: aligned, in a larger mapping.
static void *map_aligned(void) {
    char *at = map(2 * HUGE_PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

    return (void *)(((uintptr_t)at + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
}

static bool is_huge(const void *memory) {
    FILE *maps = fopen("/proc/self/smaps", "re");
    char line[512];
    bool here = false, huge = false;
    unsigned long start, end, size;

    while (fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
            here = start <= (uintptr_t)memory && (uintptr_t)memory < end;
        else if (here && sscanf(line, "AnonHugePages: %lu kB", &size) == 1)
            huge = size > 0;
    }
    fclose(maps);
    return huge;
}

static long in_transparent_huge_page(long count) {
    char *memory = map_aligned();

    madvise(memory, HUGE_PAGE, MADV_HUGEPAGE);
    fill(memory, HUGE_PAGE);
    if (!is_huge(memory))
        return -1;
    return poll_there(put(memory + PLACE), count, NULL);
}

static long in_hugetlb_page(long count) {
    char *memory =
        map(HUGE_PAGE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1);
    long absent;

    if (memory == MAP_FAILED)
        return -1;
    fill(memory, HUGE_PAGE);
    absent = poll_there(put(memory + PLACE), count, NULL);
    munmap(memory, HUGE_PAGE);
    return absent;
}

// The descriptor's four bytes lie on two pages.
static long across_pages(long count) {
    char *memory = map(4 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

    fill(memory, 4 * PAGE);
    return poll_there(put(memory + 2 * PAGE - 2), count, NULL);
}

static long in_shared_memory(long count) {
    int fd = memfd_create("pollfds", MFD_CLOEXEC);
    char *memory;

    if (ftruncate(fd, 4 * PAGE))
        return -1;
    memory = map(4 * PAGE, MAP_SHARED, fd);
    fill(memory, 4 * PAGE);
    return poll_there(put(memory + 0x1458), count, NULL);
}

static void page_out(void *address) {
    madvise((void *)((uintptr_t)address & ~(PAGE - 1)), PAGE, MADV_PAGEOUT);
}

// Out of memory, though still in the page cache. Not writable, so that poll()
// makes no copy of the page: it fails with EFAULT after it has polled.
static long in_a_file(const char *path, long count) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    char page[PAGE], *memory;

    fill(page, PAGE);
    put(page + 0x458);
    if (fd < 0 || write(fd, page, PAGE) != PAGE || fsync(fd))
        return -1;
    memory = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    return poll_there(memory + 0x458, count, page_out);
}

static long swapped_out(long count) {
    char *memory = map(PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    long absent;

    fill(memory, PAGE);
    absent = poll_there(put(memory + 0x458), count, page_out);
    return absent ? absent : -1; // there is no swap
}

struct supply {
    int fd;
    char page[PAGE];
};

static void *supply_pages(void *argument) {
    struct supply *s = argument;
    struct uffd_msg message;

    while (read(s->fd, &message, sizeof(message)) == sizeof(message)) {
        struct uffdio_copy copy = {
            .dst = message.arg.pagefault.address & ~(PAGE - 1),
            .src = (uintptr_t)s->page,
            .len = PAGE,
        };

        ioctl(s->fd, UFFDIO_COPY, &copy);
    }
    return NULL;
}

static void drop(void *address) {
    madvise((void *)((uintptr_t)address & ~(PAGE - 1)), PAGE, MADV_DONTNEED);
}

// Every poll waits for another thread to supply the page of its pollfd.
static long in_userfaultfd(long count) {
    static struct supply supply;
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
    char *memory = map(PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    pthread_t thread;
    long absent;

    supply.fd = syscall(SYS_userfaultfd, O_CLOEXEC);
    range.range.start = (uintptr_t)memory;
    range.range.len = PAGE;
    if (supply.fd < 0 || ioctl(supply.fd, UFFDIO_API, &api) ||
        ioctl(supply.fd, UFFDIO_REGISTER, &range))
        return -1;
    fill(supply.page, PAGE);
    put(supply.page + 0x458);
    pthread_create(&thread, NULL, supply_pages, &supply);
    absent = poll_there(memory + 0x458, count, drop);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    close(supply.fd);
    return absent;
}

static char *home, *away;
static atomic_bool stop;

// Page tables of all levels come and go: a huge page's worth of small pages is
// moved by whole tables, its neighbours are mapped and unmapped.
static void *move_about(void *unused) {
    (void)unused;
    while (!stop) {
        mremap(home, HUGE_PAGE, HUGE_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, away);
        madvise(away, PLACE & ~(PAGE - 1), MADV_DONTNEED);
        mremap(away, HUGE_PAGE, HUGE_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, home);
        fill(home, PLACE & ~(PAGE - 1));
    }
    return NULL;
}

static long in_moving_tables(long count) {
    pthread_t thread;

    // Far apart: no common tables below the topmost.
    home = (char *)0x100000000000;
    away = (char *)0x300000000000;
    if (mmap(home, HUGE_PAGE, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != home)
        return -1;
    madvise(home, HUGE_PAGE, MADV_NOHUGEPAGE);
    fill(home, HUGE_PAGE);
    put(home + PLACE);
    pthread_create(&thread, NULL, move_about, NULL);
    for (long i = 0; i < count; i++)
        syscall(SYS_poll, home + PLACE, 1, 0);
    stop = true;
    pthread_join(thread, NULL);
    return 0;
}

static long run(const char *kind, const char *file, long count) {
    if (!strcmp(kind, "socket"))
        return watched;
    if (!strcmp(kind, "thp"))
        return in_transparent_huge_page(count);
    if (!strcmp(kind, "hugetlb"))
        return in_hugetlb_page(count);
    if (!strcmp(kind, "across"))
        return across_pages(count);
    if (!strcmp(kind, "shared"))
        return in_shared_memory(count);
    if (!strcmp(kind, "file"))
        return in_a_file(file, count);
    if (!strcmp(kind, "swap"))
        return swapped_out(count);
    if (!strcmp(kind, "userfaultfd"))
        return in_userfaultfd(count);
    if (!strcmp(kind, "moving"))
        return in_moving_tables(count);
    return -1;
}

int main(void) {
    char kind[32], file[4096];
    int pair[2], other[2];
    long count;

    setvbuf(stdout, NULL, _IONBF, 0);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    socketpair(AF_UNIX, SOCK_STREAM, 0, other);
    watched = pair[0];
    decoy = other[0];
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    printf("ready %d\n", getpid());
    while (scanf("%31s %4095s %ld", kind, file, &count) == 3)
        printf("done %ld\n", run(kind, file, count));
    return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// A process that leaves its processor in known ways. Commands come on standard
// input, one a line; each is answered, when it is done, by "done" and the
// nanoseconds by CLOCK_MONOTONIC that it spent in the calls that may block.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FRAME __attribute__((noinline, noclone))

static int ends[2], poller; // one end is a child's
static struct timespec pause_for;
static int word;

static long now_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

// Each blocks once. No tail calls: their names are asked for.
FRAME static void by_nanosleep(void) {
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause_for, NULL);
    __asm__ volatile("" ::: "memory");
}

FRAME static void by_poll(void) {
    struct pollfd one = {ends[0], POLLIN, 0};

    ppoll(&one, 1, &pause_for, NULL);
    __asm__ volatile("" ::: "memory");
}

FRAME static void by_select(void) {
    pselect(0, NULL, NULL, NULL, &pause_for, NULL);
    __asm__ volatile("" ::: "memory");
}

FRAME static void by_epoll(void) {
    struct epoll_event event;

    epoll_wait(poller, &event, 1, (int)(pause_for.tv_nsec / 1000000));
    __asm__ volatile("" ::: "memory");
}

FRAME static void by_futex(void) {
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, &pause_for, NULL, 0);
    __asm__ volatile("" ::: "memory");
}

FRAME static void by_semop(void) {
    static int set = -1;
    struct sembuf take = {0, -1, 0};

    if (set < 0)
        set = semget(IPC_PRIVATE, 1, 0600);
    semtimedop(set, &take, 1, &pause_for);
    __asm__ volatile("" ::: "memory");
}

// A byte from the child, which sends one now and then.
FRAME static void by_read(void) {
    char byte;

    if (read(ends[0], &byte, 1) != 1)
        _exit(3);
    __asm__ volatile("" ::: "memory");
}

// The parent of a vfork cannot be interrupted.
FRAME static void by_vfork(void) {
    pid_t child = vfork();

    if (!child) {
        nanosleep(&pause_for, NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    __asm__ volatile("" ::: "memory");
}

FRAME static void by_yield(void) {
    sched_yield();
    __asm__ volatile("" ::: "memory");
}

static const struct way {
    const char *name;
    void (*block)(void);
    int fed; // by a child: 'p' pipe, 's' socket
} WAYS[] = {
    {"nanosleep", by_nanosleep, 0}, {"poll", by_poll, 0},
    {"select", by_select, 0},       {"epoll", by_epoll, 0},
    {"futex", by_futex, 0},         {"semop", by_semop, 0},
    {"pipe", by_read, 'p'},         {"socket", by_read, 's'},
    {"vfork", by_vfork, 0},         {"yield", by_yield, 0},
};

static void open_ends(int kind) {
    if (kind == 's' ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends))
        _exit(3);
}

static void close_ends(void) {
    close(ends[0]);
    close(ends[1]);
}

static pid_t feed(long count) {
    pid_t child = fork();

    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (long i = 0; i < count; i++) {
        nanosleep(&pause_for, NULL);
        if (write(ends[1], "x", 1) != 1)
            break;
    }
    _exit(0);
}

static long block_often(const struct way *way, long count) {
    pid_t child = 0;
    long spent = 0;

    open_ends(way->fed);
    poller = epoll_create1(0);
    if (way->fed)
        child = feed(count);
    for (long i = 0; i < count; i++) {
        long before = now_ns();

        way->block();
        spent += now_ns() - before;
    }
    if (child) {
        long before = now_ns();

        waitpid(child, NULL, 0);
        spent += now_ns() - before;
    }
    close(poller);
    close_ends();
    return spent;
}

// Computes for this much CPU time; answers by the time that it took.
static long spin(long cpu_ms) {
    struct timespec used;
    long before = now_ns(), until;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    until = used.tv_sec * 1000000000 + used.tv_nsec + cpu_ms * 1000000;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    while (used.tv_sec * 1000000000 + used.tv_nsec < until);
    return now_ns() - before;
}

static int futex(int *at, int call, int value) {
    return syscall(SYS_futex, at, call, value, NULL, NULL, 0);
}

// The n-th processor that it may use at all, so that two processes have two.
static void pin(int n) {
    cpu_set_t may, one;

    sched_getaffinity(0, sizeof(may), &may);
    n %= CPU_COUNT(&may);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &may) || n--)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof(one), &one);
        return;
    }
}

// Sleeps `count` times, each ended at once by a child on another processor
// that does nothing else.
static long storm(long count) {
    int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    long before = now_ns();
    pid_t child = fork();

    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pin(1);
        for (;;) {
            __atomic_store_n(shared, 1, __ATOMIC_SEQ_CST);
            futex(shared, FUTEX_WAKE, INT_MAX);
        }
    }
    pin(0);
    while (count) {
        __atomic_store_n(shared, 0, __ATOMIC_SEQ_CST);
        if (!futex(shared, FUTEX_WAIT, 0))
            count--;
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    munmap(shared, 4096);
    return now_ns() - before;
}

static void *nap(void *unused) {
    by_nanosleep();
    return unused;
}

// Threads one after the other, or all at a time; each sleeps once and ends.
static long threads(long count, bool together) {
    pthread_t *all = calloc(count, sizeof(*all));
    long before = now_ns();

    for (long i = 0; i < count; i++) {
        if (pthread_create(&all[i], NULL, nap, NULL))
            _exit(3);
        if (!together)
            pthread_join(all[i], NULL);
    }
    for (long i = 0; together && i < count; i++)
        pthread_join(all[i], NULL);
    free(all);
    return now_ns() - before;
}

static void *execute(void *path) {
    execl(path, path, NULL);
    _exit(3);
}

int main(int argc, char **argv) {
    char line[128], name[32], path[PATH_MAX];

    (void)argc;
    printf("pid %d\n", getpid());
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        long count = 0, ns = 0, spent = 0;
        pthread_t thread;

        sscanf(line, "%31s %ld %ld", name, &count, &ns);
        pause_for.tv_sec = ns / 1000000000;
        pause_for.tv_nsec = ns % 1000000000;
        for (unsigned i = 0; i < sizeof(WAYS) / sizeof(*WAYS); i++)
            if (!strcmp(name, WAYS[i].name))
                spent = block_often(&WAYS[i], count);
        if (!strcmp(name, "spin"))
            spent = spin(count);
        if (!strcmp(name, "storm"))
            spent = storm(count);
        if (!strcmp(name, "threads"))
            spent = threads(count, false);
        if (!strcmp(name, "crowd"))
            spent = threads(count, true);
        if (!strcmp(name, "execute")) {
            if (!realpath(argv[0], path) ||
                pthread_create(&thread, NULL, execute, path))
                return 3;
            pthread_join(thread, NULL); // never: the program is replaced
        }
        printf("done %ld\n", spent);
        fflush(stdout);
    }
    return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// A process that polls exactly as often as commanded. Commands come on
// standard input, one a line; each is answered by one line when it is done.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The chain of an Oracle server's break check, frame pointers kept.
#define FRAME __attribute__((noinline, noclone))

FRAME static int sntpoltsts(int fd, int timeout) {
    struct pollfd one = {fd, POLLIN, 0};
    int ready = poll(&one, 1, timeout);

    __asm__ volatile("" ::: "memory"); // no tail call
    return ready;
}

FRAME static int snttmoredata(int fd, int timeout) {
    int ready = sntpoltsts(fd, timeout);

    __asm__ volatile("" ::: "memory");
    return ready;
}

FRAME static int nsmore2recv(int fd, int timeout) {
    int ready = snttmoredata(fd, timeout);

    __asm__ volatile("" ::: "memory");
    return ready;
}

FRAME static void poll_often(int fd, long count, int timeout) {
    for (long i = 0; i < count; i++)
        nsmore2recv(fd, timeout);
    __asm__ volatile("" ::: "memory");
}

static void poll_in_turn(int first, int second, long count) {
    for (long i = 0; i < count; i++)
        nsmore2recv(i % 2 ? second : first, 0);
}

// A break check: every `skip`-th call polls, as Oracle's does.
FRAME int break_check(int fd, int skip) {
    static int calls;

    if (++calls % skip)
        return 0;
    return nsmore2recv(fd, 0);
}

// For `ms` milliseconds.
static void check_often(int fd, long ms, int skip) {
    struct timespec now;
    long end;

    clock_gettime(CLOCK_MONOTONIC, &now);
    end = now.tv_sec * 1000 + now.tv_nsec / 1000000 + ms;
    do {
        for (int i = 0; i < 100; i++)
            break_check(fd, skip);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < end);
}

static int connected(int family) {
    struct sockaddr_in v4 = {.sin_family = AF_INET,
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
                              .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr *address =
        family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
    socklen_t size = family == AF_INET ? sizeof(v4) : sizeof(v6);
    int listener = socket(family, SOCK_STREAM, 0), client, server;

    if (bind(listener, address, size) || listen(listener, 1))
        return -1;
    getsockname(listener, address, &size);
    client = socket(family, SOCK_STREAM, 0);
    if (connect(client, address, size))
        return -1;
    server = accept(listener, NULL, NULL);
    close(listener);
    fcntl(client, F_DUPFD, 900); // keeps the peer, out of the way
    close(client);
    return server;
}

static int open_kind(const char *kind) {
    int pair[2];

    if (!strcmp(kind, "tcp"))
        return connected(AF_INET);
    if (!strcmp(kind, "tcp6"))
        return connected(AF_INET6);
    if (!strcmp(kind, "unix")) {
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
        fcntl(pair[1], F_DUPFD, 900);
        close(pair[1]);
        return pair[0];
    }
    if (!strcmp(kind, "pipe")) {
        if (pipe(pair))
            return -1;
        fcntl(pair[1], F_DUPFD, 900);
        close(pair[1]);
        return pair[0];
    }
    if (!strcmp(kind, "udp"))
        return socket(AF_INET, SOCK_DGRAM, 0);
    if (!strcmp(kind, "unconnected"))
        return socket(AF_INET, SOCK_STREAM, 0);
    if (!strcmp(kind, "dgram")) {
        socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
        return pair[0];
    }
    return open("/dev/null", O_RDWR);
}

struct share {
    int fd;
    long count;
};

static void *poll_share(void *argument) {
    struct share *share = argument;

    poll_often(share->fd, share->count, 0);
    return NULL;
}

// Exactly `count` polls, split unevenly.
static void poll_on_threads(int fd, long count, int threads) {
    struct share share[64];
    pthread_t thread[64];

    for (int i = 0; i < threads; i++) {
        share[i].fd = fd;
        share[i].count =
            i ? count / threads : count - count / threads * (threads - 1);
        pthread_create(&thread[i], NULL, poll_share, &share[i]);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

// A process that is now its only thread, now not: 3 * count polls a round.
static void poll_with_threads(int fd, long count, int rounds) {
    struct share share = {fd, count};
    pthread_t thread;

    for (int i = 0; i < rounds; i++) {
        pthread_create(&thread, NULL, poll_share, &share);
        poll_often(fd, count, 0);
        pthread_join(thread, NULL);
        poll_often(fd, count, 0);
    }
}

static void poll_in_forks(int fd, long count, int forks, int threads) {
    for (int i = 0; i < forks; i++) {
        long part = i ? count / forks : count - count / forks * (forks - 1);

        if (!fork()) {
            poll_on_threads(fd, part, threads);
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        continue;
}

// By a child's child.
static void poll_in_grandchild(int fd, long count) {
    pid_t child = fork();

    if (!child) {
        if (!fork()) {
            poll_often(fd, count, 0);
            _exit(0);
        }
        wait(NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void ppoll_often(int fd, long count, const char *how) {
    struct timespec zero = {0, 0}, soon = {0, 1000}, far = {1L << 32, 0};
    bool waits_long = !strcmp(how, "far"); // for a socket that is writable
    struct pollfd one = {fd, waits_long ? POLLOUT : POLLIN, 0};
    struct timespec *wait = waits_long            ? &far
                            : strcmp(how, "zero") ? &soon
                                                  : &zero;

    for (long i = 0; i < count; i++)
        ppoll(&one, 1, wait, NULL);
}

static void poll_many(int fd, long count) {
    struct pollfd two[2] = {{fd, POLLIN, 0}, {fd, POLLIN, 0}};

    for (long i = 0; i < count; i++)
        poll(two, 2, 0);
}

static int call_32bit(int nr, unsigned a, unsigned b, unsigned c) {
    int result;

    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(nr), "b"(a), "c"(b), "d"(c)
                     : "memory", "r8", "r9", "r10", "r11");
    return result;
}

static void poll_by_32bit_calls(int fd, long count) {
    struct pollfd *one = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

    *one = (struct pollfd){fd, POLLIN, 0};
    for (long i = 0; i < count; i++)
        call_32bit(168, (unsigned)(unsigned long)one, 1, 0);
    munmap(one, 4096);
}

// With some microseconds of other work before each poll, as a server has.
static void poll_at_work(int fd, long count, int rounds) {
    for (long i = 0; i < count; i++) {
        for (int n = 0; n < rounds; n++)
            __asm__ volatile("" ::: "memory");
        nsmore2recv(fd, 0);
    }
}

// A child makes `count` break checks; whether it came through.
static int check_in_child(int fd, long count) {
    int status = -1;
    pid_t child = fork();

    if (!child) {
        for (long i = 0; i < count; i++)
            break_check(fd, 2);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status ? -1 : fd;
}

static int run(const char *verb, char **word) {
    int fd = atoi(word[0]);
    long count = atol(word[1]), extra = atol(word[2]);

    if (!strcmp(verb, "open"))
        fd = open_kind(word[0]);
    else if (!strcmp(verb, "close"))
        close(fd);
    else if (!strcmp(verb, "dup2"))
        dup2(fd, (int)count);
    else if (!strcmp(verb, "connect-self")) { // a listener, then this socket
        struct sockaddr_in any = {.sin_family = AF_INET,
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
        socklen_t size = sizeof(any);
        int listener = socket(AF_INET, SOCK_STREAM, 0);

        bind(listener, (struct sockaddr *)&any, size);
        listen(listener, 1);
        getsockname(listener, (struct sockaddr *)&any, &size);
        connect(fd, (struct sockaddr *)&any, size);
    } else if (!strcmp(verb, "poll"))
        poll_often(fd, count, (int)extra);
    else if (!strcmp(verb, "turns"))
        poll_in_turn(fd, (int)count, extra);
    else if (!strcmp(verb, "checks"))
        check_often(fd, count, (int)extra);
    else if (!strcmp(verb, "forkcheck"))
        fd = check_in_child(fd, count);
    else if (!strcmp(verb, "work"))
        poll_at_work(fd, count, (int)extra);
    else if (!strcmp(verb, "ppoll"))
        ppoll_often(fd, count, word[2]);
    else if (!strcmp(verb, "many"))
        poll_many(fd, count);
    else if (!strcmp(verb, "threads"))
        poll_on_threads(fd, count, (int)extra);
    else if (!strcmp(verb, "with_threads"))
        poll_with_threads(fd, count, (int)extra);
    else if (!strcmp(verb, "forks"))
        poll_in_forks(fd, count, (int)extra, atoi(word[3]));
    else if (!strcmp(verb, "grandchild"))
        poll_in_grandchild(fd, count);
    else if (!strcmp(verb, "fault"))
        for (long i = 0; i < count; i++)
            syscall(SYS_poll, (void *)8, 1, 0);
    else if (!strcmp(verb, "huge"))
        for (long i = 0; i < count; i++)
            syscall(SYS_poll, (void *)8, 1u << 31, 0);
    else if (!strcmp(verb, "waitpid32"))
        // 7 is waitpid in the 32-bit table: no poll.
        for (long i = 0; i < count; i++)
            call_32bit(7, -1, 0, 0);
    else if (!strcmp(verb, "poll32"))
        poll_by_32bit_calls(fd, count);
    else if (!strcmp(verb, "getppid"))
        for (long i = 0; i < count; i++)
            syscall(SYS_getppid);
    else if (!strcmp(verb, "badclose"))
        for (long i = 0; i < count; i++)
            close(-1);
    else if (!strcmp(verb, "title"))
        prctl(PR_SET_NAME, word[0]);
    else if (!strcmp(verb, "exec"))
        execl("/proc/self/exe", word[0], NULL);
    else if (!strcmp(verb, "exit"))
        exit(fd);
    else
        return -1;
    return fd;
}

int main(void) {
    char line[256];

    setvbuf(stdout, NULL, _IONBF, 0);
    setvbuf(stdin, NULL, _IONBF, 0); // exec must not lose what is buffered
    printf("ready %d\n", getpid());
    while (fgets(line, sizeof(line), stdin)) {
        char none[] = "", *word[5] = {none, none, none, none, none};
        char *at = line;

        line[strcspn(line, "\n")] = 0;
        for (int i = 0; i < 5 && at; i++)
            word[i] = strsep(&at, " ");
        printf("done %d\n", run(word[0], word + 1));
    }
    return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "measurement/uprobes.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loader/perf.h"
#include "options/failure.h"
#include "privileges/caps.h"
#include "privileges/sandbox.h"
#include "readers/procfs.h"

// The child removes a burst's uprobes this long after its end should have come,
// and is woken this long after that, in case somebody has stopped it. The
// parent is usually first. Nothing here kills the child: where a fatal signal
// is pending the kernel fails to remove a uprobe, and leaves its breakpoint
// behind.
#define LATE_NS 200000000ull
#define WAKE_NS 300000000ull
#define AGAIN_NS 100000000 // somebody may stop it once more

struct request {
    unsigned place;
    int pid; // 0: remove the uprobes that are there
};

struct answer {
    int error; // an errno; of a removal ETIME: it was removed before
};

static int channel = -1; // to the child
static pid_t child;

static int uprobe_type(void) {
    char text[16];
    ssize_t size = proc_read("/sys/bus/event_source/devices/uprobe/type", text,
                             sizeof(text) - 1);

    if (size <= 0)
        return -1;
    text[size] = 0;
    return atoi(text);
}

static int place_one(int type, int file, uint64_t offset, int pid,
                     int program) {
    char path[32];
    struct perf_event_attr attr = {.type = type,
                                   .size = sizeof(attr),
                                   .config1 = (uintptr_t)path,
                                   .config2 = offset};
    int fd;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    fd = perf_open(&attr, pid, -1);
    if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, program)) {
        close(fd);
        return -1;
    }
    return fd;
}

// The uprobes that the child holds for one process.
struct place {
    uint64_t deadline_ns; // 0: nothing
    bool late;            // removed at the deadline
    int fd[MAX_FUNCTIONS];
};

struct server {
    const struct options *options;
    const int *file;
    int program, type;
    timer_t waker; // lets this process go on where it is stopped
    struct place place[UPROBE_PLACES];
};

static void remove_uprobes(struct server *s, struct place *p) {
    for (unsigned i = 0; i < s->options->functions; i++)
        close(p->fd[i]);
    p->deadline_ns = 0;
}

static uint64_t next_deadline(const struct server *s) {
    uint64_t next = 0;

    for (const struct place *p = s->place; p < s->place + UPROBE_PLACES; p++)
        if (p->deadline_ns && (!next || p->deadline_ns < next))
            next = p->deadline_ns;
    return next;
}

static void arm(const struct server *s) {
    uint64_t next = next_deadline(s), at = next ? next + WAKE_NS : 0;
    struct itimerspec when = {
        .it_value = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000},
        .it_interval = {.tv_nsec = AGAIN_NS}};

    timer_settime(s->waker, TIMER_ABSTIME, &when, NULL);
}

// An errno, 0 on success.
static int place_uprobes(struct server *s, struct place *p, int pid) {
    const struct options *o = s->options;

    if (s->type < 0)
        return ENOSYS;
    p->late = false;
    p->deadline_ns = monotonic_ns() + o->burst_ns + LATE_NS;
    arm(s);
    for (unsigned i = 0; i < o->functions; i++) {
        p->fd[i] = place_one(s->type, s->file[i], o->function[i].offset, pid,
                             s->program);
        if (p->fd[i] < 0) {
            int error = errno;

            while (i)
                close(p->fd[--i]);
            p->deadline_ns = 0;
            return error;
        }
    }
    return 0;
}

static int obey(struct server *s, const struct request *request) {
    struct place *p = &s->place[request->place % UPROBE_PLACES];

    if (request->pid)
        return p->deadline_ns ? EBUSY : place_uprobes(s, p, request->pid);
    if (p->deadline_ns)
        remove_uprobes(s, p);
    return p->late ? ETIME : 0;
}

static void remove_late(struct server *s) {
    uint64_t now = monotonic_ns();

    for (struct place *p = s->place; p < s->place + UPROBE_PLACES; p++) {
        if (p->deadline_ns && p->deadline_ns <= now) {
            remove_uprobes(s, p);
            p->late = true;
        }
    }
}

static int wait_ms(const struct server *s) {
    uint64_t next = next_deadline(s), now = monotonic_ns();

    if (!next)
        return -1;
    return next > now ? (next - now + 999999) / 1000000 : 0;
}

static _Noreturn void serve(struct server *s, int from) {
    struct pollfd wait = {from, POLLIN, 0};
    struct request request;
    struct answer answer;

    for (;;) {
        arm(s);
        if (poll(&wait, 1, wait_ms(s)) <= 0) {
            remove_late(s);
            continue;
        }
        if (recv(from, &request, sizeof(request), 0) != sizeof(request))
            _exit(0);
        remove_late(s); // the request may have come too late
        answer.error = obey(s, &request);
        if (send(from, &answer, sizeof(answer), MSG_NOSIGNAL) < 0)
            _exit(0);
    }
}

static _Noreturn void begin_child(const struct options *o, const int *file,
                                  int program, int from) {
    struct sigevent wake = {.sigev_notify = SIGEV_SIGNAL,
                            .sigev_signo = SIGCONT};
    struct server server = {
        .options = o, .file = file, .program = program, .type = uprobe_type()};

    setsid(); // a terminal's signals are for the parent, which ends us
    prctl(PR_SET_NAME, "polltrace-upro");
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    if (timer_create(CLOCK_MONOTONIC, &wake, &server.waker))
        _exit(1);
    caps_keep(caps_uprobe());
    prctl(PR_SET_PDEATHSIG, SIGCONT); // the end of the channel ends it
    if (!o->no_seccomp)
        sandbox_uprobes();
    serve(&server, from);
}

void uprobes_start(const struct options *o, const int *file, int program) {
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) ||
        (child = fork()) < 0)
        fail(EXIT_ATTACH, "--function: %s", strerror(errno));
    if (!child) {
        close(pair[0]);
        begin_child(o, file, program, pair[1]);
    }
    close(pair[1]);
    channel = pair[0];
}

// The answer's errno; EPIPE where there is no answer.
static int ask(unsigned place, int pid) {
    struct request request = {place, pid};
    struct answer answer;

    if (send(channel, &request, sizeof(request), MSG_NOSIGNAL) < 0 ||
        recv(channel, &answer, sizeof(answer), 0) != sizeof(answer))
        return EPIPE;
    return answer.error;
}

int uprobes_place(unsigned place, int pid) {
    errno = ask(place, pid);
    return errno ? -1 : 0;
}

bool uprobes_remove(unsigned place) {
    return !ask(place, 0);
}

void uprobes_stop(void) {
    if (channel < 0)
        return;
    close(channel);
    channel = -1;
    waitpid(child, NULL, 0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The time between attaching and the end.
#include "session/session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "loader/attach.h"
#include "measurement/bursts.h"
#include "measurement/sampler.h"
#include "measurement/strides.h"
#include "measurement/windows.h"
#include "options/failure.h"
#include "output/frames.h"
#include "output/output.h"
#include "output/process_records.h"
#include "processes/filter.h"
#include "readers/procfs.h"

#define SCAN_NS 200000000ull // new processes are seen this soon

enum source { FROM_SIGNAL = 1u << 31, FROM_OUTPUT, FROM_PROCESS = 0 };

struct session {
    struct reporter *reporter;
    int signals, epoll;
    uint64_t next_frame, next_scan, next_window, next_burst, end;
    const char *reason;
};

static void watch_fd(struct session *s, int fd, uint32_t events, uint32_t tag) {
    struct epoll_event event = {.events = events, .data.u32 = tag};

    // A regular file as stdout cannot be watched, and needs not.
    epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void open_session(struct session *s) {
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    s->signals = signalfd(-1, &signals, SFD_CLOEXEC);
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (s->signals < 0 || s->epoll < 0)
        fail(EXIT_ATTACH, "cannot wait for signals");
    watch_fd(s, s->signals, EPOLLIN, FROM_SIGNAL);
    watch_fd(s, STDOUT_FILENO, 0, FROM_OUTPUT); // EPOLLERR: the reader is gone
}

static void send(struct session *s) {
    if (!output_send(&s->reporter->json, s->signals))
        s->reason = "reader-gone";
}

// New and ended processes; the end once none is left.
static void scan(struct session *s) {
    struct watched *w = s->reporter->watched;

    report_reap(s->reporter); // processes retired at least a scan ago
    watched_scan(w, monotonic_ns());
    report_processes(s->reporter);
    for (uint32_t i = 0; i < w->slots; i++) {
        struct process *process = &w->process[i];

        if (process->stage == STAGE_KEPT && process->pidfd >= 0 &&
            !process->polled) {
            process->polled = true;
            watch_fd(s, process->pidfd, EPOLLIN, FROM_PROCESS);
        }
    }
    if (!w->alive && !s->reason && !filter_is_set())
        s->reason = "targets-exited";
    sampler_jitter();
    if (s->reporter->options->stack_auto)
        strides_follow(w, monotonic_ns());
}

static void frame(struct session *s, uint64_t now_ns) {
    struct reporter *r = s->reporter;

    if (now_ns > s->next_frame + r->options->interval_ns / 10)
        r->late_frames++;
    report_frame(r, false);
    send(s);
    while (s->next_frame <= now_ns)
        s->next_frame += r->options->interval_ns;
}

static void handle(struct session *s, const struct epoll_event *event) {
    if (event->data.u32 == FROM_SIGNAL)
        s->reason = "signal";
    else if (event->data.u32 == FROM_OUTPUT)
        s->reason = "reader-gone";
    else
        scan(s);
}

static int wait_ms(const struct session *s, uint64_t now_ns) {
    uint64_t until =
        s->next_frame < s->next_scan ? s->next_frame : s->next_scan;

    if (s->next_window < until)
        until = s->next_window;
    if (s->next_burst < until)
        until = s->next_burst;
    if (s->end && s->end < until)
        until = s->end;
    return until > now_ns ? (until - now_ns + 999999) / 1000000 : 0;
}

static void finish(struct session *s) {
    struct reporter *r = s->reporter;

    bursts_end(r->watched);
    if (r->options->mode == MODE_OFF_CPU)
        off_cpu_close(&r->off_cpu, r->watched);
    probe_detach_calls(r->probe); // the counts stand still from here
    if (!strcmp(s->reason, "reader-gone"))
        return;
    watched_scan(r->watched, monotonic_ns());
    report_processes(r);
    report_frame(r, true);
    report_trailer(r, s->reason);
    output_send(&r->json, s->signals);
}

// Windows wait for a burst, which has the programs attached itself.
static void window(struct session *s) {
    struct reporter *r = s->reporter;

    if (!bursts_run() && !window_run(r->watched, r->cost_ns))
        r->late_windows++;
    s->next_window = window_next(monotonic_ns(), r->options);
}

void session_run(struct reporter *r) {
    struct session s = {.reporter = r};

    open_session(&s);
    report_header(r);
    scan(&s);
    send(&s);
    s.next_frame = r->attached_ns + r->options->interval_ns;
    s.next_scan = r->attached_ns + SCAN_NS;
    s.next_window = r->options->mode == MODE_WATCH
                        ? window_next(r->attached_ns, r->options)
                        : UINT64_MAX;
    s.next_burst = r->options->functions ? 0 : UINT64_MAX;
    if (r->options->duration_ns)
        s.end = r->attached_ns + r->options->duration_ns;
    while (!s.reason) {
        struct epoll_event event[8];
        int count = epoll_wait(s.epoll, event, 8, wait_ms(&s, monotonic_ns()));
        uint64_t now_ns = monotonic_ns();

        for (int i = 0; i < count; i++)
            handle(&s, &event[i]);
        if (!s.reason && now_ns >= s.next_scan) {
            scan(&s);
            s.next_scan = now_ns + SCAN_NS;
        }
        if (!s.reason && now_ns >= s.next_burst)
            s.next_burst = bursts_step(r->watched, now_ns);
        if (!s.reason && now_ns >= s.next_window)
            window(&s);
        if (!s.reason && s.end && now_ns >= s.end)
            s.reason = "duration";
        if (!s.reason && now_ns >= s.next_frame)
            frame(&s, now_ns);
    }
    finish(&s);
}

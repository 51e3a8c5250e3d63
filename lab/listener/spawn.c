// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "listener/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "listener/bridge.h"
#include "listener/listener.h"
#include "net/tls.h"

struct ends { // descriptors of one side
    int in, out;
};

// A listener that is killed takes its servers along.
static void die_with(pid_t listener) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != listener)
        _exit(1);
}

// The program executes itself, as Oracle's listener does with oracle: the
// server gets a command line and an address space of its own.
static _Noreturn void become_server(const struct sga *sga, int sga_fd,
                                    struct ends client,
                                    enum transport transport,
                                    const char *tns_admin) {
    const bool local = transport == TRANSPORT_LOCAL;
    char name[SGA_NAME + 8];
    snprintf(name, sizeof name, "oracle%s", sga->instance);
    char *const arguments[] = {name, local ? LOCAL_ARGUMENT : REMOTE_ARGUMENT,
                               NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    // Out of the way of the numbers the server expects, then onto them.
    int high_in = fcntl(client.in, F_DUPFD_CLOEXEC, 16);
    int high_out = fcntl(client.out, F_DUPFD_CLOEXEC, 16);
    int high_sga = fcntl(sga_fd, F_DUPFD_CLOEXEC, 16);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        dup2(high_in, SERVER_SOCKET) < 0 || dup2(high_sga, SERVER_SGA) < 0 ||
        (local && dup2(high_out, SERVER_OUT) < 0))
        _exit(1);
    if (tns_admin)
        setenv("TNS_ADMIN", tns_admin, 1);
    else
        unsetenv("TNS_ADMIN");
    setenv("ORACLE_SID", sga->instance, 1);
    if (transport == TRANSPORT_TCPS)
        setenv(TCPS_VARIABLE, "1", 1);
    else
        unsetenv(TCPS_VARIABLE);
    execv("/proc/self/exe", arguments);
    _exit(1);
}

static _Noreturn void become_job(const struct sga *sga, int sga_fd,
                                 const struct job *job) {
    char name[SGA_NAME + 16], number[16];
    snprintf(name, sizeof name, "ora_j%03u_%s", job->process, sga->instance);
    snprintf(number, sizeof number, "%u", job->number);
    char *const arguments[] = {name, NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int high = fcntl(sga_fd, F_DUPFD_CLOEXEC, 16);
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        dup2(high, SERVER_SGA) < 0)
        _exit(1);
    setenv("ORACLE_SID", sga->instance, 1);
    setenv(JOB_VARIABLE, number, 1);
    execv("/proc/self/exe", arguments);
    _exit(1);
}

bool spawn_job(struct sga *sga, int sga_fd, const struct job *job) {
    struct session_slot *slot = sga_slot(sga, 0);
    if (!slot) {
        errno = EAGAIN;
        return false;
    }
    memset(slot, 0, sizeof *slot);
    slot->serial = ++sga->serial;
    snprintf(slot->background, sizeof slot->background, "j%03u", job->process);
    const pid_t listener = getpid(), pid = fork();
    if (pid == 0) {
        die_with(listener);
        __atomic_store_n(&slot->pid, getpid(), __ATOMIC_RELEASE);
        become_job(sga, sga_fd, job);
    }
    if (pid < 0)
        return false;
    __atomic_store_n(&slot->pid, pid, __ATOMIC_RELEASE);
    job_started(sga, job->number, pid);
    return true;
}

static _Noreturn void become_bridge(int client, struct ends to, pid_t server) {
    enum { CLIENT = 3, TO = 4, FROM = 5 };
    int null = open("/dev/null", O_RDWR);
    int high[] = {fcntl(client, F_DUPFD, 16), fcntl(to.out, F_DUPFD, 16),
                  fcntl(to.in, F_DUPFD, 16)};
    for (int i = 0; i < 3; i++)
        if (dup2(null, i) < 0 || dup2(high[i], CLIENT + i) < 0)
            _exit(1);
    close_range(FROM + 1, ~0U, 0);
    prctl(PR_SET_NAME, "oralab-bridge");
    bridge_run(CLIENT, TO, FROM, server);
}

static pid_t fork_server(struct sga *sga, int sga_fd, struct session_slot *slot,
                         struct ends client, enum transport transport,
                         const char *tns_admin) {
    const pid_t listener = getpid(), pid = fork();
    if (pid == 0) {
        die_with(listener);
        // Parent and child write the same value: the first reader finds it.
        __atomic_store_n(&slot->pid, getpid(), __ATOMIC_RELEASE);
        become_server(sga, sga_fd, client, transport, tns_admin);
    }
    if (pid > 0)
        __atomic_store_n(&slot->pid, pid, __ATOMIC_RELEASE);
    return pid;
}

static bool spawn_local(struct sga *sga, int sga_fd, struct session_slot *slot,
                        int client, const char *tns_admin) {
    int up[2] = {-1, -1}, down[2] = {-1, -1};
    const pid_t listener = getpid();
    pid_t server = -1;
    if (pipe2(up, O_CLOEXEC) == 0 && pipe2(down, O_CLOEXEC) == 0)
        server = fork_server(sga, sga_fd, slot, (struct ends){up[0], down[1]},
                             TRANSPORT_LOCAL, tns_admin);
    if (server > 0) {
        const pid_t bridge = fork();
        if (bridge == 0) {
            die_with(listener);
            become_bridge(client, (struct ends){down[0], up[1]}, server);
        }
        slot->bridge = bridge;
    }
    // Without a bridge the server reads end of file.
    for (int i = 0; i < 2; i++) {
        close(up[i]);
        close(down[i]);
    }
    return server > 0;
}

bool spawn_server(struct sga *sga, int sga_fd, int client,
                  enum transport transport, const char *tns_admin) {
    const int on = 1;
    struct session_slot *slot = sga_slot(sga, 0);
    if (!slot) {
        errno = EAGAIN;
        return false;
    }
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    memset(slot, 0, sizeof *slot);
    slot->serial = ++sga->serial;
    if (transport == TRANSPORT_LOCAL)
        return spawn_local(sga, sga_fd, slot, client, tns_admin);
    return fork_server(sga, sga_fd, slot, (struct ends){client, client},
                       transport, tns_admin) > 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "process/spawn.h"

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

#include "process/listener.h"

// The program starts itself anew, as Oracle's listener does with oracle: the
// server gets a command line and an address space of its own.
static _Noreturn void become_server(const struct sga *sga, int sga_fd,
                                    int client, const char *tns_admin,
                                    pid_t listener) {
    char name[SGA_NAME + 8];
    snprintf(name, sizeof name, "oracle%s", sga->instance);
    char *const arguments[] = {name, "(LOCAL=NO)", NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    // A listener that is killed takes its servers along.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != listener)
        _exit(1);
    // Out of the way of the numbers the server expects, then onto them.
    int high_client = fcntl(client, F_DUPFD_CLOEXEC, 16);
    int high_sga = fcntl(sga_fd, F_DUPFD_CLOEXEC, 16);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        dup2(high_client, SERVER_SOCKET) < 0 || dup2(high_sga, SERVER_SGA) < 0)
        _exit(1);
    if (tns_admin)
        setenv("TNS_ADMIN", tns_admin, 1);
    else
        unsetenv("TNS_ADMIN");
    setenv("ORACLE_SID", sga->instance, 1);
    execv("/proc/self/exe", arguments);
    _exit(1);
}

bool spawn_server(struct sga *sga, int sga_fd, int client,
                  const char *tns_admin) {
    const int on = 1;
    struct session_slot *slot = sga_slot(sga, 0);
    if (!slot) {
        errno = EAGAIN;
        return false;
    }
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    memset(slot, 0, sizeof *slot);
    slot->serial = ++sga->serial;
    pid_t listener = getpid(), pid = fork();
    if (pid == 0) {
        // Both sides write the same: whoever looks first finds it.
        __atomic_store_n(&slot->pid, getpid(), __ATOMIC_RELEASE);
        become_server(sga, sga_fd, client, tns_admin, listener);
    }
    if (pid > 0)
        __atomic_store_n(&slot->pid, pid, __ATOMIC_RELEASE);
    return pid > 0;
}

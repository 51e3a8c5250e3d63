// SPDX-License-Identifier: GPL-2.0-or-later
// Linked into what `make coverage` runs: how often each line ran is written at
// the end of a process, which _exit() would skip, the probe's own sandbox would
// refuse, and a SIGKILL from the lab's listener would come before.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>

void __gcov_dump(void);
__attribute__((noreturn)) void __real__exit(int code);
__attribute__((noreturn)) void __wrap__exit(int code);

void __wrap__exit(int code) {
    __gcov_dump();
    __real__exit(code);
}

#ifdef PROBE

void __wrap_sandbox_session(void);
void __wrap_sandbox_uprobes(void);

void __wrap_sandbox_session(void) {
}

void __wrap_sandbox_uprobes(void) {
}

#else

int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);
int __real_prctl(int option, unsigned long value);
int __wrap_prctl(int option, unsigned long value);

static void ended(int number) {
    __wrap__exit(128 + number);
}

__attribute__((constructor)) static void end_by_signal(void) {
    signal(SIGUSR2, ended);
}

int __wrap_kill(pid_t pid, int number) {
    return __real_kill(pid, number == SIGKILL ? SIGUSR2 : number);
}

int __wrap_prctl(int option, unsigned long value) {
    return __real_prctl(option, option == PR_SET_PDEATHSIG ? SIGUSR2 : value);
}

#endif

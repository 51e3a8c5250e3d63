// SPDX-License-Identifier: GPL-2.0-or-later
// Goes into a sandbox of the probe and tries what it must not do there.
//   refused session|uprobes|reader|replacer
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "options/failure.h"
#include "privileges/sandbox.h"

#define X32 0x40000000

void fail(int code, const char *format, ...) {
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    exit(code);
}

struct attempt {
    const char *name;
    long number, argument[6];
};

static const struct attempt ATTEMPTS[] = {
    {"execve", SYS_execve, {0}},
    {"execveat", SYS_execveat, {0}},
    {"fork", SYS_fork, {0}},
    {"clone", SYS_clone, {0}},
    {"ptrace", SYS_ptrace, {0}},
    {"socket", SYS_socket, {AF_INET, SOCK_STREAM}},
    {"process_vm_writev", SYS_process_vm_writev, {0}},
    {"kill", SYS_kill, {1}},
    {"unlink", SYS_unlink, {0}},
    {"open", SYS_open, {0}},
    {"open to write", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_WRONLY}},
    {"open to write", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_RDWR}},
    {"setuid", SYS_setuid, {0}},
    {"capset", SYS_capset, {0}},
    {"mount", SYS_mount, {0}},
    {"init_module", SYS_init_module, {0}},
    {"BPF map", SYS_bpf, {BPF_MAP_CREATE}},
    {"BPF program", SYS_bpf, {BPF_PROG_LOAD}},
    {"BPF program, by upper bits", SYS_bpf, {1L << 32 | BPF_PROG_LOAD}},
    {"pinning", SYS_bpf, {BPF_OBJ_PIN}},
    {"others' BPF programs", SYS_bpf, {BPF_PROG_GET_FD_BY_ID}},
    {"others' BPF maps", SYS_bpf, {BPF_MAP_GET_FD_BY_ID}},
    {"others' BPF links", SYS_bpf, {BPF_LINK_GET_FD_BY_ID}},
    {"BTF", SYS_bpf, {BPF_BTF_LOAD}},
    {"fsopen", SYS_fsopen, {0}},
    {"fsmount", SYS_fsmount, {0}},
    {"x32 getpid", X32 | SYS_getpid, {0}},
    {"no such call", 4000, {0}},
    {"executable memory",
     SYS_mmap,
     {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}},
    {"memory made executable", SYS_mprotect, {0, 4096, PROT_EXEC}},
};

// Only it starts a process and ends it.
static bool may_replace(const struct attempt *attempt) {
    return attempt->number == SYS_clone || attempt->number == SYS_kill;
}

static const int NEEDED[] = {BPF_MAP_LOOKUP_ELEM, BPF_MAP_UPDATE_ELEM,
                             BPF_RAW_TRACEPOINT_OPEN, BPF_LINK_CREATE};

int main(int argc, char **argv) {
    bool session = argc == 2 && !strcmp(argv[1], "session");
    unsigned refused = 0, all = sizeof(ATTEMPTS) / sizeof(*ATTEMPTS);
    const char *missed = NULL;

    if (session)
        sandbox_session();
    else if (!strcmp(argv[1], "uprobes"))
        sandbox_uprobes();
    else if (!strcmp(argv[1], "reader"))
        sandbox_reader();
    else
        sandbox_replacer();
    for (unsigned i = 0; i < all; i++) {
        const long *a = ATTEMPTS[i].argument;

        if (!strcmp(argv[1], "replacer") && may_replace(&ATTEMPTS[i])) {
            refused++;
            continue;
        }
        const long done =
            syscall(ATTEMPTS[i].number, a[0], a[1], a[2], a[3], a[4], a[5]);

        if (done == -1 && errno == EPERM)
            refused++;
        else
            missed = ATTEMPTS[i].name;
    }
    if (session && open("/dev/null", O_RDONLY) < 0)
        missed = "open to read", refused = 0;
    for (unsigned i = 0; session && i < sizeof(NEEDED) / sizeof(*NEEDED); i++)
        if (syscall(SYS_bpf, NEEDED[i], NULL, 0) == -1 && errno == EPERM)
            missed = "a needed BPF command", refused = 0;
    if (session) { // it may still speak
        printf("%u of %u refused, not %s\n", refused, all,
               missed ? missed : "one missed");
        fflush(stdout);
        free(malloc(1 << 20));
    }
    _exit(refused == all ? 0 : 1);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "privileges/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "options/failure.h"

#define MAX_CALLS 96
#define MAX_COMMANDS 16

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

// EPERM instead of death: a call missing here should cost a record, not the
// session. The executable is static, so its calls are known.
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

static const uint16_t SESSION[] = {
    // Samplers and kprobes.
    SYS_perf_event_open, SYS_ioctl,
    // /proc, cgroups, tracefs, executables.
    SYS_read, SYS_pread64, SYS_lseek, SYS_close, SYS_fstat, SYS_newfstatat,
    SYS_statx, SYS_readlink, SYS_readlinkat, SYS_getdents64, SYS_fcntl,
    SYS_access, SYS_faccessat,
    // Waiting, and output.
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_wait, SYS_epoll_pwait,
    SYS_signalfd4, SYS_pidfd_open, SYS_poll, SYS_ppoll, SYS_clock_nanosleep,
    SYS_write, SYS_writev,
    // The child that places uprobes.
    SYS_sendto, SYS_sendmsg, SYS_recvfrom, SYS_wait4,
    // Time and usage.
    SYS_clock_gettime, SYS_gettimeofday, SYS_time, SYS_getrusage, SYS_uname,
    SYS_getcpu, SYS_membarrier,
    // The C library's own.
    SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_futex, SYS_getrandom,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_restart_syscall,
    SYS_getpid, SYS_gettid, SYS_tgkill, SYS_sysinfo, SYS_prlimit64,
    SYS_sched_getaffinity, SYS_exit, SYS_exit_group};

// Reading maps, storing by a program, attaching programs again that are loaded.
static const uint32_t SESSION_BPF[] = {
    BPF_MAP_LOOKUP_ELEM,    BPF_MAP_UPDATE_ELEM,     BPF_MAP_DELETE_ELEM,
    BPF_MAP_GET_NEXT_KEY,   BPF_MAP_LOOKUP_BATCH,    BPF_PROG_TEST_RUN,
    BPF_OBJ_GET_INFO_BY_FD, BPF_RAW_TRACEPOINT_OPEN, BPF_LINK_CREATE,
};

static const uint16_t UPROBES[] = {
    SYS_recvfrom,        SYS_sendto,        SYS_poll,
    SYS_perf_event_open, SYS_ioctl,         SYS_close,
    SYS_timer_settime,   SYS_clock_gettime, SYS_rt_sigreturn,
    SYS_restart_syscall, SYS_exit,          SYS_exit_group};

static const uint16_t READER[] = {
    SYS_recvfrom,   SYS_sendto,          SYS_read,
    SYS_pread64,    SYS_fstat,           SYS_newfstatat,
    SYS_close,      SYS_rt_sigreturn,    SYS_exit,
    SYS_exit_group, SYS_restart_syscall, SYS_recvmsg,
    SYS_brk,        SYS_munmap,          SYS_mremap,
    SYS_madvise,    SYS_sysinfo};

// A reader is its child, so all that a reader may do, and to start and end one.
static const uint16_t REPLACER[] = {SYS_recvfrom,
                                    SYS_sendto,
                                    SYS_read,
                                    SYS_close,
                                    SYS_pread64,
                                    SYS_fstat,
                                    SYS_newfstatat,
                                    SYS_rt_sigreturn,
                                    SYS_restart_syscall,
                                    SYS_exit,
                                    SYS_exit_group,
                                    SYS_clone,
                                    SYS_set_robust_list,
                                    SYS_rt_sigprocmask,
                                    SYS_kill,
                                    SYS_prctl,
                                    SYS_recvmsg,
                                    SYS_brk,
                                    SYS_munmap,
                                    SYS_mremap,
                                    SYS_madvise,
                                    SYS_sysinfo};

static struct sock_filter load(size_t offset) {
    return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                        (uint32_t)offset);
}

// Goes `yes` or `no` instructions on.
static struct sock_filter test(uint16_t kind, uint32_t value, unsigned yes,
                               unsigned no) {
    return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_K | kind, value,
                                        (uint8_t)yes, (uint8_t)no);
}

static struct sock_filter give(uint32_t verdict) {
    return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict);
}

// Refuses if the third argument has one of these bits.
static unsigned guard(struct sock_filter *filter, uint32_t bits) {
    filter[0] = load(offsetof(struct seccomp_data, args[2]));
    filter[1] = test(BPF_JSET, bits, 0, 1);
    filter[2] = give(REFUSE);
    filter[3] = give(SECCOMP_RET_ALLOW);
    return 4;
}

struct rules {
    const uint16_t *call; // allowed system calls
    unsigned calls;
    const uint32_t *command; // allowed commands of bpf()
    unsigned commands;
};

// The x32 calls have a bit set in their numbers, so they are not on a list.
static void enter(const struct rules *rules) {
    struct sock_filter filter[MAX_CALLS + MAX_COMMANDS + 20];
    struct sock_fprog program = {.filter = filter};
    const unsigned refuse = rules->calls + 7, allow = refuse + 1,
                   memory = allow + 1, file = memory + 4, bpf = file + 4;
    unsigned n = 0;

    filter[n++] = load(offsetof(struct seccomp_data, arch));
    filter[n] = test(BPF_JEQ, AUDIT_ARCH_X86_64, 0, refuse - n - 1), n++;
    filter[n++] = load(offsetof(struct seccomp_data, nr));
    filter[n] = test(BPF_JEQ, SYS_mmap, memory - n - 1, 0), n++;
    filter[n] = test(BPF_JEQ, SYS_mprotect, memory - n - 1, 0), n++;
    filter[n] = test(BPF_JEQ, SYS_openat, file - n - 1, 0), n++;
    filter[n] = test(BPF_JEQ, SYS_bpf, bpf - n - 1, 0), n++;
    for (unsigned i = 0; i < rules->calls; i++, n++)
        filter[n] = test(BPF_JEQ, rules->call[i], allow - n - 1, 0);
    filter[n++] = give(REFUSE);
    filter[n++] = give(SECCOMP_RET_ALLOW);
    n += guard(&filter[n], PROT_EXEC);
    n += guard(&filter[n], O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
    // The command is an int: the kernel ignores the argument's upper half.
    filter[n++] = load(offsetof(struct seccomp_data, args[0]));
    for (unsigned i = 0; i < rules->commands; i++, n++)
        filter[n] = test(BPF_JEQ, rules->command[i], rules->commands - i, 0);
    filter[n++] = give(REFUSE);
    filter[n++] = give(SECCOMP_RET_ALLOW);
    program.len = n;
    // EINVAL: the kernel has no CONFIG_SECCOMP_FILTER.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) &&
         errno != EINVAL))
        fail(EXIT_ATTACH, "cannot give up system calls: %s", strerror(errno));
}

#define COUNT(list) (sizeof(list) / sizeof(*(list)))
_Static_assert(COUNT(SESSION) <= MAX_CALLS, "room");
_Static_assert(COUNT(REPLACER) <= MAX_CALLS, "room");
_Static_assert(COUNT(UPROBES) <= MAX_CALLS, "room");
_Static_assert(COUNT(SESSION_BPF) <= MAX_COMMANDS, "room");

void sandbox_session(void) {
    enter(&(struct rules){SESSION, COUNT(SESSION), SESSION_BPF,
                          COUNT(SESSION_BPF)});
}

void sandbox_uprobes(void) {
    enter(&(struct rules){UPROBES, COUNT(UPROBES), NULL, 0});
}

void sandbox_reader(void) {
    enter(&(struct rules){READER, COUNT(READER), NULL, 0});
}

void sandbox_replacer(void) {
    enter(&(struct rules){REPLACER, COUNT(REPLACER), NULL, 0});
}

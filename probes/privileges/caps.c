// SPDX-License-Identifier: GPL-2.0-or-later
#include "privileges/caps.h"

#include <linux/capability.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "options/failure.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif

static uint64_t effective(void) {
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {0};

    syscall(SYS_capget, &head, data);
    return (uint64_t)data[1].effective << 32 | data[0].effective;
}

static uint64_t permitted(void) {
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {0};

    syscall(SYS_capget, &head, data);
    return (uint64_t)data[1].permitted << 32 | data[0].permitted;
}

static bool set(uint64_t permit, uint64_t effect) {
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {
        {(uint32_t)effect, (uint32_t)permit, 0},
        {(uint32_t)(effect >> 32), (uint32_t)(permit >> 32), 0},
    };

    return syscall(SYS_capset, &head, data) == 0;
}

void caps_require(void) {
    uint64_t have = effective();

    if (getauxval(AT_SECURE) || getuid() != geteuid() || getgid() != getegid())
        fail(EXIT_NOT_PERMITTED, "refuses to run setuid, setgid or with file "
                                 "capabilities: run it as root");
    if (caps_administer() ||
        (have & CAP_MASK(CAP_BPF) && have & CAP_MASK(CAP_PERFMON)))
        return;
    fail(EXIT_NOT_PERMITTED,
         "not permitted: missing%s%s (and CAP_SYS_PTRACE for stacks); run it "
         "as root, e.g. with sudo",
         have & CAP_MASK(CAP_BPF) ? "" : " CAP_BPF",
         have & CAP_MASK(CAP_PERFMON) ? "" : " CAP_PERFMON");
}

bool caps_administer(void) {
    return effective() & CAP_MASK(CAP_SYS_ADMIN);
}

uint64_t caps_uprobe(void) {
    return CAP_MASK(CAP_PERFMON) | CAP_MASK(CAP_SYS_ADMIN);
}

static void give_up_ways_back(uint64_t have) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (have & CAP_MASK(CAP_SETPCAP))
        for (int i = 0; i < 64; i++)
            prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
}

void caps_keep(uint64_t keep) {
    uint64_t have = permitted();

    give_up_ways_back(have);
    if (!set(keep & have, keep & have))
        fail(EXIT_ATTACH, "cannot give up capabilities");
}

void caps_drop(uint64_t keep, bool (*works)(void *), void *argument) {
    const uint64_t extra[] = {0, CAP_MASK(CAP_BPF), CAP_MASK(CAP_SYS_ADMIN)};
    uint64_t have = permitted(), chosen = have;

    give_up_ways_back(have);
    for (unsigned i = 0; i < sizeof(extra) / sizeof(*extra); i++) {
        chosen = (keep | extra[i]) & have;
        if (set(have, chosen) && works(argument))
            break;
    }
    if (!set(chosen, chosen))
        fail(EXIT_ATTACH, "cannot give up capabilities");
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <errno.h>

int __real_bpf_btf_get_next_id(__u32 start, __u32 *next);
int __wrap_bpf_btf_get_next_id(__u32 start, __u32 *next);

// A kernel function that the kernel lacks (bpf_rdonly_cast, before 6.2) libbpf
// looks for in its modules, which takes CAP_SYS_ADMIN; libbpf 1.1 gives up
// where that is missing, though we can do without. So there are no modules that
// we may see. (Linked by --wrap: see the Makefile.)
int __wrap_bpf_btf_get_next_id(__u32 start, __u32 *next) {
    int error = __real_bpf_btf_get_next_id(start, next);

    if (error && errno == EPERM)
        errno = ENOENT;
    return error;
}

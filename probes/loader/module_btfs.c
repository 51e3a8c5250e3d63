// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <errno.h>

int __real_bpf_btf_get_next_id(__u32 start, __u32 *next);
int __wrap_bpf_btf_get_next_id(__u32 start, __u32 *next);

// libbpf searches the modules for a kernel function that the kernel lacks
// (bpf_rdonly_cast, before 6.2). That takes CAP_SYS_ADMIN, and libbpf 1.1 fails
// without it, though the function is optional to us. So a refusal is turned
// into "no more modules". (Linked by --wrap: see the Makefile.)
int __wrap_bpf_btf_get_next_id(__u32 start, __u32 *next) {
    int error = __real_bpf_btf_get_next_id(start, next);

    if (error && errno == EPERM)
        errno = ENOENT;
    return error;
}

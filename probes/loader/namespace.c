// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/namespace.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options/failure.h"

#define INITIAL_NAMESPACE 0xEFFFFFFCu // PROC_PID_INIT_INO

struct pair {
    uint32_t kernel, here;
};

static struct pair *pair;
static size_t pairs;

bool namespace_is_inner(void) {
    struct stat st;

    return !stat("/proc/self/ns/pid", &st) && st.st_ino != INITIAL_NAMESPACE;
}

// Walks all tasks once, through a BPF iterator (Linux 5.8).
void namespace_read(struct bpf_program *program) {
    struct bpf_link *link = bpf_program__attach_iter(program, NULL);
    int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
    size_t room = 1 << 22, size = 0;
    ssize_t read_size;

    pair = malloc(room);
    if (fd < 0 || !pair)
        fail(EXIT_KERNEL, "runs in a PID namespace and cannot list the "
                          "kernel's tasks: start it outside of the container");
    while (size < room &&
           (read_size = read(fd, (char *)pair + size, room - size)) > 0)
        size += read_size;
    pairs = size / sizeof(*pair);
    close(fd);
    bpf_link__destroy(link);
}

int namespace_to_kernel(int pid) {
    if (!pair)
        return pid;
    for (size_t i = 0; i < pairs; i++)
        if (pair[i].here == (uint32_t)pid)
            return pair[i].kernel;
    return 0;
}

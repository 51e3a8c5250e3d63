// SPDX-License-Identifier: GPL-2.0-or-later
// Attaches empty programs by name, prints "ready", waits for its input's end.
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "empty.skel.h"

static int is_wanted(const char *name, int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (!strcmp(name, argv[i]))
            return 1;
    return 0;
}

int main(int argc, char **argv) {
    struct bpf_program *program;
    struct empty *skel = empty__open();
    char byte;

    if (!skel)
        return 1;
    bpf_object__for_each_program(program, skel->obj) bpf_program__set_autoload(
        program, is_wanted(bpf_program__name(program), argc, argv));
    if (empty__load(skel) || empty__attach(skel))
        return 1;
    puts("ready");
    fflush(stdout);
    while (read(0, &byte, 1) > 0)
        continue;
    empty__destroy(skel);
    return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/attach.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "loader/namespace.h"
#include "loader/perf.h"
#include "options/failure.h"
#include "polltrace.skel.h"

static _Noreturn void explain_attach(const char *what) {
    fail(errno == EPERM || errno == EACCES ? EXIT_NOT_PERMITTED : EXIT_ATTACH,
         "cannot attach %s: %s", what, perf_why(errno));
}

void probe_attach_lives(struct probe *p) {
    struct bpf_program *program;

    // These stay to the end of this process: nothing is ever pinned.
    if (namespace_is_inner())
        namespace_read(p->skel->progs.life_translate);
    bpf_object__for_each_program(program, p->skel->obj) {
        const char *name = bpf_program__name(program);

        if (!strncmp(name, "life_", 5) && strcmp(name, "life_translate") &&
            bpf_program__autoload(program) && !bpf_program__attach(program))
            explain_attach(name);
    }
}

bool probe_try_attach_calls(struct probe *p) {
    struct bpf_program *program;

    bpf_object__for_each_program(program, p->skel->obj) {
        const char *name = bpf_program__name(program);
        struct bpf_link *link;

        if (!strncmp(name, "life_", 5) || !strcmp(name, "cpu_sample") ||
            !strcmp(name, "function_call") || !strcmp(name, "window_mark") ||
            !strcmp(name, "loader_poke") || !strcmp(name, "seed_threads") ||
            !bpf_program__autoload(program))
            continue;
        link = bpf_program__attach(program);
        if (!link)
            return false;
        p->link[p->links++] = link;
    }
    return true;
}

void probe_attach_calls(struct probe *p) {
    if (!probe_try_attach_calls(p))
        explain_attach(p->variant->name);
}

void probe_detach_calls(struct probe *p) {
    while (p->links)
        bpf_link__destroy(p->link[--p->links]);
}

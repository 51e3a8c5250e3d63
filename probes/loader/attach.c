// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/attach.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "loader/namespace.h"
#include "loader/perf.h"
#include "options/failure.h"
#include "polltrace.skel.h"

static _Noreturn void explain_attach(const char *name) {
    fail(errno == EPERM || errno == EACCES ? EXIT_NOT_PERMITTED : EXIT_ATTACH,
         "cannot attach %s: %s", name, perf_why(errno));
}

void probe_attach_lives(struct probe *p) {
    // These stay to the end of this process: nothing is ever pinned.
    if (namespace_is_inner())
        namespace_read(p->skel->progs.life_translate);
    for (unsigned i = 0; i < p->lives; i++)
        if (!bpf_program__attach(p->life[i]))
            explain_attach(bpf_program__name(p->life[i]));
}

bool probe_try_attach_calls(struct probe *p) {
    for (unsigned i = 0; i < p->calls; i++) {
        struct bpf_link *link = bpf_program__attach(p->call[i]);

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

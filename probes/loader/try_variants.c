// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/try_variants.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "loader/attach.h"
#include "loader/perf.h"
#include "polltrace.skel.h"

void try_variants(const struct options *o) {
    for (unsigned i = 0; i < VARIANTS; i++) {
        struct probe probe = {0};
        int error = probe_try_load(&probe, o, &VARIANT[i]);
        const char *why = strerror(-error);

        if (!error && !probe_try_attach_calls(&probe)) {
            error = -errno;
            why = perf_why(errno);
        }
        printf("%-10s  %s%s\n", VARIANT[i].name, error ? "no: " : "yes",
               error ? why : "");
        probe_detach_calls(&probe);
        polltrace__destroy(probe.skel);
    }
}

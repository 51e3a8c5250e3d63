// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/reporter.h"

bool wants_stacks(const struct reporter *r) {
    return options_want_stacks(r->options);
}

void record_begin(struct reporter *r, const char *type) {
    json_open(&r->json, '{');
    json_key_text(&r->json, "type", type);
}

void record_end(struct reporter *r) {
    json_close(&r->json, '}');
    json_newline(&r->json);
}

void record_identity(struct json *j, const struct process *process) {
    json_key_unsigned(j, "pid", process->pid);
    json_key_unsigned(j, "start_ticks", process->start_ticks);
}

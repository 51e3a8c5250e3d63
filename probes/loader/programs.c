// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/programs.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "loader/kernel_btf.h"
#include "loader/namespace.h"
#include "polltrace.skel.h"

static void load(struct bpf_program *program, bool needed) {
    bpf_program__set_autoload(program, needed);
}

static void choose_life(struct probe *p, struct bpf_program *program) {
    load(program, true);
    p->life[p->lives++] = program;
}

static void choose_call(struct probe *p, struct bpf_program *program) {
    load(program, true);
    p->call[p->calls++] = program;
}

// Windows attach all programs again and again, so that of the calls besides
// poll they count only those that are checks of some executable.
static bool is_counted(const struct variant_program *entry,
                       const struct options *o) {
    uint32_t calls = CALL_POLL;

    if (o->mode != MODE_WATCH || !entry->call)
        return true;
    for (unsigned i = 0; i < o->rules; i++)
        calls |= o->rule[i].calls;
    return calls & entry->call;
}

static void choose_variant(struct probe *p, const struct options *o) {
    const struct variant_program *list[2 * MAX_PROGRAMS];
    unsigned count = variant_programs(p->variant, o->mode, list);

    for (unsigned i = 0; i < count; i++) {
        struct bpf_program *program;
        char name[64];

        snprintf(name, sizeof(name), "%s%s", list[i]->name,
                 p->cast ? "_cast" : "");
        program = bpf_object__find_program_by_name(p->skel->obj, name);
        if (is_counted(list[i], o) &&
            (!list[i]->optional ||
             kernel_has_function(program_function(program))))
            choose_call(p, program);
    }
}

const char *program_function(const struct bpf_program *program) {
    const char *slash = strchr(bpf_program__section_name(program), '/');

    return slash ? slash + 1 : "";
}

void programs_choose(struct probe *p, const struct options *o) {
    struct polltrace *skel = p->skel;
    struct bpf_program *program;
    bool watch = o->mode == MODE_WATCH;

    p->lives = p->calls = 0;
    bpf_object__for_each_program(program, skel->obj) load(program, false);
    choose_life(p, skel->progs.life_exec);
    choose_life(p, skel->progs.life_exit);
    if (o->follow || o->pattern || o->cgroup)
        choose_life(p, skel->progs.life_fork);
    choose_variant(p, o);
    if (watch)
        choose_call(p, skel->progs.window_switch);
    // Those that the loader runs by itself, or attaches to clocks and uprobes.
    load(skel->progs.window_mark, watch);
    load(skel->progs.cpu_sample, watch && options_want_stacks(o));
    load(skel->progs.life_translate, namespace_is_inner());
    load(skel->progs.loader_poke, !p->mapped);
    load(skel->progs.function_call, o->functions);
    load(skel->progs.seed_threads, o->mode == MODE_OFF_CPU);
}

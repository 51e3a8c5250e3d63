// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/kernel_btf.h"

#include <bpf/btf.h>
#include <stdint.h>
#include <string.h>

static struct btf *kernel;

static int find(const char *name, int kind) {
    if (!kernel)
        kernel = btf__load_vmlinux_btf();
    return kernel ? btf__find_by_name_kind(kernel, name, kind) : -1;
}

bool kernel_has_function(const char *name) {
    return find(name, BTF_KIND_FUNC) > 0;
}

static const struct btf_type *plain_type(uint32_t id) {
    const struct btf_type *type = btf__type_by_id(kernel, id);

    while (type && btf_is_mod(type))
        type = btf__type_by_id(kernel, type->type);
    return type;
}

bool kernel_takes_structure(const char *function) {
    int id = find(function, BTF_KIND_FUNC);
    const struct btf_type *type = id > 0 ? btf__type_by_id(kernel, id) : NULL;

    if (type)
        type = btf__type_by_id(kernel, type->type);
    if (!type || !btf_vlen(type))
        return false;
    type = plain_type(btf_params(type)->type);
    if (!type || !btf_is_ptr(type))
        return false;
    type = plain_type(type->type);
    return type && btf_is_struct(type);
}

enum switch_arguments kernel_switch_arguments(void) {
    int id = find("btf_trace_sched_switch", BTF_KIND_TYPEDEF);
    const struct btf_type *type = id > 0 ? btf__type_by_id(kernel, id) : NULL;
    const struct btf_param *argument;

    // A pointer to a function; its first argument is the tracepoint's own.
    for (int i = 0; type && i < 2; i++)
        type = btf__type_by_id(kernel, type->type);
    if (!type || !btf_is_func_proto(type) || btf_vlen(type) < 4)
        return SWITCH_UNKNOWN;
    argument = btf_params(type);
    for (int i = 2; i < 4; i++) {
        const struct btf_type *kind = btf__type_by_id(kernel, argument[i].type);

        if (!kind || !btf_is_ptr(kind))
            return SWITCH_UNKNOWN;
    }
    return btf_vlen(type) > 4 ? SWITCH_STATE_LAST : SWITCH_PLAIN;
}

void kernel_btf_close(void) {
    btf__free(kernel);
    kernel = NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/kernel_btf.h"

#include <bpf/btf.h>
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

bool kernel_has_member(const char *structure, const char *member) {
    int id = find(structure, BTF_KIND_STRUCT);
    const struct btf_type *type = id > 0 ? btf__type_by_id(kernel, id) : NULL;

    for (int i = 0; type && i < btf_vlen(type); i++)
        if (!strcmp(btf__name_by_offset(kernel, btf_members(type)[i].name_off),
                    member))
            return true;
    return false;
}

void kernel_btf_close(void) {
    btf__free(kernel);
    kernel = NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the syscall instructions of libc's waiting functions and where the
// return address lies at each.
#include "readers/sites.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/records.h"
#include "readers/ehframe.h"

#define MAX_FUNCTION_SIZE 4096

static const char *const WAITING[] = {
    "poll",        "ppoll", "select", "pselect",  "epoll_wait",
    "epoll_pwait", "read",  "recv",   "recvfrom", "recvmsg",
};

// Where a server may be off CPU besides.
static const char *const BLOCKING[] = {
    "clock_nanosleep", "syscall", "semop",    "semtimedop",
    "write",           "send",    "sendto",   "sendmsg",
    "readv",           "writev",  "pread64",  "pwrite64",
    "preadv",          "pwritev", "fsync",    "fdatasync",
    "accept",          "accept4", "connect",  "wait4",
    "msgrcv",          "flock",   "recvmmsg",
};

struct scan {
    struct elf_file file;
    bool all; // BLOCKING too
    struct eh_frame eh;
    struct elf_sites *sites;
};

static bool load_eh_frame(const struct elf_file *file, struct eh_frame *eh) {
    const Elf64_Shdr *names = &file->section[file->names];
    char name[10];

    for (unsigned i = 0; i < file->sections; i++) {
        const Elf64_Shdr *section = &file->section[i];

        if (section->sh_type == SHT_NOBITS ||
            !elf_read_at(file->fd, name, sizeof(name),
                         names->sh_offset + section->sh_name) ||
            memcmp(name, ".eh_frame", sizeof(name)) != 0)
            continue;
        eh->data = elf_load(file->fd, section->sh_offset, section->sh_size);
        eh->size = section->sh_size;
        eh->address = section->sh_addr;
        return eh->data != NULL;
    }
    return false;
}

static void add_site(struct scan *scan, uint64_t pc) {
    struct elf_sites *elf = scan->sites;
    struct site site = {.after = pc + 2};

    for (unsigned i = 0; i < elf->sites; i++)
        if (elf->site[i].after == site.after)
            return;
    switch (eh_caller(&scan->eh, pc, &site.rule)) {
    case EH_FRAME_POINTER:
        site.rule.caller = SITE_FRAME_POINTER;
        break;
    case EH_STACK_POINTER:
        break;
    case EH_UNKNOWN:
        return;
    }
    if (elf->sites < MAX_SITES)
        elf->site[elf->sites++] = site;
}

static void scan_function(struct scan *scan, const Elf64_Sym *symbol) {
    const struct elf_layout *elf = &scan->sites->layout;
    uint8_t code[MAX_FUNCTION_SIZE];
    uint64_t size = symbol->st_size;

    if (size < 2 || size > sizeof(code))
        return;
    for (unsigned i = 0; i < elf->segments; i++) {
        const struct segment *s = &elf->segment[i];
        uint64_t into = symbol->st_value - s->address;

        if (symbol->st_value < s->address || into >= s->size ||
            !elf_read_at(scan->file.fd, code, size, s->offset + into))
            continue;
        // 0f 05 is syscall. Inside another instruction it is harmless: no
        // process ever stands there.
        for (uint64_t at = 0; at + 1 < size; at++)
            if (code[at] == 0x0f && code[at + 1] == 0x05)
                add_site(scan, symbol->st_value + at);
        return;
    }
}

static bool is_one_of(const char *const *names, size_t count, const char *name,
                      size_t left) {
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(names[i]) + 1;

        if (size <= left && !memcmp(name, names[i], size))
            return true;
    }
    return false;
}

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool is_wanted(const struct scan *scan, const char *name, size_t left) {
    return is_one_of(WAITING, COUNT(WAITING), name, left) ||
           (scan->all && is_one_of(BLOCKING, COUNT(BLOCKING), name, left));
}

static void scan_symbols(struct scan *scan, const Elf64_Shdr *table) {
    const struct elf_file *file = &scan->file;
    const Elf64_Shdr *names;
    Elf64_Sym *symbol;
    char *text;

    if (table->sh_link >= file->sections ||
        table->sh_entsize != sizeof(Elf64_Sym))
        return;
    names = &file->section[table->sh_link];
    symbol = elf_load(file->fd, table->sh_offset, table->sh_size);
    text = elf_load(file->fd, names->sh_offset, names->sh_size);
    for (size_t i = 0; symbol && text && i < table->sh_size / sizeof(*symbol);
         i++) {
        if (ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC &&
            symbol[i].st_shndx != SHN_UNDEF &&
            symbol[i].st_name < names->sh_size &&
            is_wanted(scan, text + symbol[i].st_name,
                      names->sh_size - symbol[i].st_name))
            scan_function(scan, &symbol[i]);
    }
    free(symbol);
    free(text);
}

void elf_read_sites(int fd, struct elf_sites *elf, bool all) {
    struct scan scan = {.file.fd = fd, .sites = elf, .all = all};
    struct elf_file *file = &scan.file;

    if (elf_load_sections(file) && load_eh_frame(file, &scan.eh)) {
        for (unsigned i = 0; i < file->sections; i++)
            if (file->section[i].sh_type == SHT_DYNSYM ||
                file->section[i].sh_type == SHT_SYMTAB)
                scan_symbols(&scan, &file->section[i]);
    }
    free((void *)scan.eh.data);
    free(file->section);
}

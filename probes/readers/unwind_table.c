// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/unwind_table.h"

#include <stdlib.h>

#include "readers/cfi_rules.h"

// Instructions of a section's bytes that are run at most: real ones run each
// FDE's once, and the CIE's for each FDE.
#define RUNS_OF_A_BYTE 16

struct builder {
    struct unwind_table *table;
    uint64_t at;   // all before has its rows
    uint64_t rule; // of the last row
    uint32_t room; // for rows
    uint32_t open; // pages that have rows
    bool full;
};

static void push(struct builder *b, uint64_t address, uint64_t rule) {
    struct unwind_table *t = b->table;

    if (t->rows == b->room) {
        uint32_t room = b->room ? b->room * 2 : 1024;
        uint64_t *row = room <= MAX_TABLE_ROWS
                            ? realloc(t->row, room * sizeof(*row))
                            : NULL;

        if (!row) {
            b->full = true;
            return;
        }
        t->row = row;
        b->room = room;
    }
    t->row[t->rows++] = (address & (UNWIND_PAGE - 1)) | UNWIND_RULE(rule);
    b->rule = UNWIND_RULE(rule);
}

// Gives [b->at, to) a rule.
static void fill(struct builder *b, uint64_t to, uint64_t rule) {
    struct unwind_table *t = b->table;

    while (b->at < to && !b->full) {
        uint64_t page = (b->at - t->first) >> UNWIND_PAGE_BITS;
        uint64_t next = t->first + ((page + 1) << UNWIND_PAGE_BITS);

        if (page == b->open) { // b->at is its first byte
            t->page[b->open++] = t->rows;
            push(b, b->at, rule);
        } else if (UNWIND_RULE(rule) != b->rule) {
            push(b, b->at, rule);
        }
        b->at = next < to ? next : to;
    }
}

static void take(void *argument, uint64_t from, uint64_t to, uint64_t rule) {
    struct builder *b = argument;
    uint64_t end =
        b->table->first + ((uint64_t)b->table->pages << UNWIND_PAGE_BITS);

    if (to > end)
        to = end;
    if (from > b->at && from < end)
        fill(b, from, UNWIND_ROW(0, CFA_NONE, 0, 0, 0));
    if (from <= b->at) // of two that overlap the first one holds
        fill(b, to, rule);
}

static int by_start(const void *a, const void *b) {
    const struct fde *one = a, *other = b;

    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    return one->rules < other->rules ? -1 : one->rules > other->rules;
}

// The FDEs of code in the order of their addresses; to be freed.
static struct fde *read_fdes(const struct eh_frame *section,
                             struct code_span code, size_t *count) {
    struct cursor all = {section->data, 0, section->size, false}, entry;
    struct fde *list = NULL;
    size_t room = 0, cie_at = SIZE_MAX;
    struct cie cie;
    bool usable = false;

    *count = 0;
    while (cfi_next(&all, &entry)) {
        struct fde fde;

        if (!cfi_cie_of(&entry, &fde.cie))
            continue;
        if (fde.cie != cie_at) {
            cie_at = fde.cie;
            usable = cfi_cie(section, cie_at, &cie);
        }
        if (!usable || !cfi_fde(&entry, section, &cie, &fde) ||
            fde.start < code.from || fde.start >= code.to)
            continue;
        if (*count == room) {
            struct fde *more;

            room = room ? room * 2 : 256;
            more = realloc(list, room * sizeof(*list));
            if (!more)
                break;
            list = more;
        }
        list[(*count)++] = fde;
    }
    if (list)
        qsort(list, *count, sizeof(*list), by_start);
    return list;
}

void unwind_table_free(struct unwind_table *t) {
    free(t->page);
    free(t->row);
    *t = (struct unwind_table){0};
}

enum table_result unwind_table_make(const struct eh_frame *section,
                                    struct code_span code,
                                    struct unwind_table *t) {
    uint64_t budget = (uint64_t)section->size * RUNS_OF_A_BYTE;
    uint64_t first = code.from & ~(uint64_t)(UNWIND_PAGE - 1), pages;
    struct builder b = {.table = t, .at = first};
    size_t count, cie_at = SIZE_MAX;
    struct cie cie = {0};
    struct fde *list;

    *t = (struct unwind_table){.first = first};
    if (code.from >= code.to)
        return TABLE_NO_RULES;
    pages = ((code.to - 1 - first) >> UNWIND_PAGE_BITS) + 1;
    if (pages > MAX_TABLE_PAGES)
        return TABLE_TOO_LARGE;
    t->pages = pages;
    t->page = malloc((pages + 1) * sizeof(*t->page));
    list = read_fdes(section, code, &count);
    for (size_t i = 0; t->page && list && i < count && !b.full; i++) {
        if (list[i].cie != cie_at) {
            cie_at = list[i].cie;
            cfi_cie(section, cie_at, &cie);
        }
        b.full = !cfi_run(section, &cie, &list[i], &budget, take, &b);
    }
    free(list);
    if (t->page && list)
        fill(&b, first + (pages << UNWIND_PAGE_BITS),
             UNWIND_ROW(0, CFA_NONE, 0, 0, 0));
    if (!t->page || !list || b.full) {
        unwind_table_free(t);
        return list ? TABLE_TOO_LARGE : TABLE_NO_RULES;
    }
    t->page[pages] = t->rows;
    return TABLE_MADE;
}

static bool find_by_index(int fd, const struct elf_layout *elf,
                          struct eh_frame *eh, uint64_t *offset) {
    uint8_t head[12];
    struct cursor c = {head, 4, sizeof(head), false};

    if (!elf->unwind_index ||
        !elf_read_at(fd, head, sizeof(head), elf->unwind_index) || head[0] != 1)
        return false;
    eh->address = read_encoded(&c, head[1], elf->unwind_address);
    for (unsigned i = 0; !c.bad && i < elf->segments; i++) {
        const struct segment *s = &elf->segment[i];

        if (eh->address < s->address || eh->address - s->address >= s->size)
            continue;
        *offset = s->offset + (eh->address - s->address);
        eh->size = s->size - (eh->address - s->address);
        return true;
    }
    return false;
}

static bool find_section(int fd, struct eh_frame *eh, uint64_t *offset) {
    struct elf_file file = {.fd = fd};
    bool found = false;

    if (!elf_load_sections(&file))
        return false;
    for (unsigned i = 0; i < file.sections && !found; i++) {
        const Elf64_Shdr *section = &file.section[i];
        char name[10];

        if (section->sh_type == SHT_NOBITS ||
            !elf_read_at(fd, name, sizeof(name),
                         file.section[file.names].sh_offset +
                             section->sh_name) ||
            memcmp(name, ".eh_frame", sizeof(name)) != 0)
            continue;
        *offset = section->sh_offset;
        eh->size = section->sh_size;
        eh->address = section->sh_addr;
        found = true;
    }
    free(file.section);
    return found;
}

bool unwind_find_section(int fd, struct eh_frame *eh, uint64_t *offset) {
    struct elf_layout elf;

    return !elf_read_layout(fd, &elf) && (find_by_index(fd, &elf, eh, offset) ||
                                          find_section(fd, eh, offset));
}

static struct code_span code_of(const struct elf_layout *elf) {
    struct code_span code = {UINT64_MAX, 0};

    for (unsigned i = 0; i < elf->segments; i++) {
        const struct segment *s = &elf->segment[i];
        uint64_t end;

        if (!(s->flags & PF_X) ||
            __builtin_add_overflow(s->address, s->size, &end))
            continue;
        code.from = s->address < code.from ? s->address : code.from;
        code.to = end > code.to ? end : code.to;
    }
    return code;
}

enum table_result unwind_table_read(int fd, struct unwind_table *t) {
    struct elf_layout elf;
    enum table_result result;
    struct eh_frame eh;
    uint64_t offset;

    *t = (struct unwind_table){0};
    if (elf_read_layout(fd, &elf) || !unwind_find_section(fd, &eh, &offset))
        return TABLE_NO_RULES;
    eh.data = elf_load_up_to(fd, offset, eh.size, MAX_EH_FRAME);
    if (!eh.data)
        return eh.size > MAX_EH_FRAME ? TABLE_TOO_LARGE : TABLE_NO_RULES;
    result = unwind_table_make(&eh, code_of(&elf), t);
    free((void *)eh.data);
    return result;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/function_start.h"

#include <stdlib.h>

#include "readers/elf_file.h"

#define BATCH 512 // symbols read at once: a large executable has half a million

static bool table_names(const struct elf_file *file, const Elf64_Shdr *table,
                        uint64_t address) {
    uint64_t remaining = table->sh_size / sizeof(Elf64_Sym),
             offset = table->sh_offset;
    Elf64_Sym symbol[BATCH];

    while (remaining) {
        uint64_t some = remaining < BATCH ? remaining : BATCH;

        if (!elf_read_at(file->fd, symbol, some * sizeof(*symbol), offset))
            return false;
        for (uint64_t i = 0; i < some; i++)
            if (symbol[i].st_value == address &&
                symbol[i].st_shndx != SHN_UNDEF &&
                (ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC ||
                 ELF64_ST_TYPE(symbol[i].st_info) == STT_GNU_IFUNC))
                return true;
        remaining -= some;
        offset += some * sizeof(*symbol);
    }
    return false;
}

static bool symbols_name(int fd, uint64_t address) {
    struct elf_file file = {.fd = fd};
    bool is_named = false;

    if (elf_load_sections(&file))
        for (unsigned i = 0; i < file.sections && !is_named; i++)
            if (file.section[i].sh_type == SHT_DYNSYM ||
                file.section[i].sh_type == SHT_SYMTAB)
                is_named = table_names(&file, &file.section[i], address);
    free(file.section);
    return is_named;
}

// .eh_frame_hdr: a sorted table of where functions begin, kept in stripped
// files. Only the form that linkers write is read: both encodings relative to
// the table, four bytes each.
static bool unwind_index_names(int fd, const struct elf_layout *elf,
                               uint64_t address) {
    struct {
        uint8_t version, pointer, count_form, table_form;
        int32_t frames;
        uint32_t count;
    } head;
    uint32_t low = 0, high;

    if (!elf->unwind_index ||
        !elf_read_at(fd, &head, sizeof(head), elf->unwind_index) ||
        head.version != 1 || head.pointer != 0x1b || head.count_form != 3 ||
        head.table_form != 0x3b)
        return false;
    high = head.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int32_t start;
        uint64_t start_address;

        if (!elf_read_at(fd, &start, sizeof(start),
                         elf->unwind_index + sizeof(head) + middle * 8ull))
            return false;
        start_address = elf->unwind_address + start;
        if (start_address == address)
            return true;
        if (start_address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool function_begins(int fd, uint64_t offset) {
    struct elf_layout elf;
    uint64_t address;

    return !elf_read_layout(fd, &elf) &&
           elf_address_of(&elf, offset, &address) &&
           (symbols_name(fd, address) || unwind_index_names(fd, &elf, address));
}

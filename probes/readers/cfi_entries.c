// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/cfi_entries.h"

// It is read once for each FDE; real ones have some 30 bytes.
#define MAX_CIE_SIZE 1024

static void read_augmentation(struct cursor *c, struct cie *cie,
                              const char *letters, uint64_t section) {
    for (; *letters; letters++) {
        if (*letters == 'R')
            cie->encoding = read_bytes(c, 1);
        else if (*letters == 'L')
            skip(c, 1);
        else if (*letters == 'P')
            read_encoded(c, read_bytes(c, 1) & 0x7f, section);
        else if (*letters == 'S')
            cie->is_signal = true;
        else if (*letters != 'B')
            c->bad = true;
    }
}

// `c` stands behind the CIE's id field.
static bool read_cie(struct cursor *c, struct cie *cie, uint64_t section) {
    uint8_t version = read_bytes(c, 1);
    const char *letters = (const char *)c->data + c->at;
    uint64_t length;
    size_t after;

    *cie = (struct cie){0};
    while (read_bytes(c, 1))
        continue;
    if (c->bad || (version != 1 && version != 3))
        return false;
    cie->code_align = read_uleb(c);
    cie->data_align = read_sleb(c);
    cie->return_column = version == 1 ? read_bytes(c, 1) : read_uleb(c);
    cie->rules_end = c->end;
    if (*letters == 'z') {
        cie->has_length = true;
        length = read_uleb(c);
        after = c->at;
        read_augmentation(c, cie, letters + 1, section);
        c->at = after;
        skip(c, length);
    } else if (*letters) {
        return false;
    }
    cie->rules = c->at;
    return !c->bad;
}

bool cfi_next(struct cursor *all, struct cursor *entry) {
    uint64_t length = read_bytes(all, 4);

    if (length == UINT32_MAX)
        length = read_bytes(all, 8);
    if (all->bad || !length || length > all->end - all->at)
        return false;
    *entry = *all;
    entry->end = all->at + length;
    all->at = entry->end;
    return true;
}

bool cfi_cie(const struct eh_frame *section, size_t offset, struct cie *cie) {
    struct cursor all = {section->data, offset, section->size, false}, entry;

    return offset < section->size && cfi_next(&all, &entry) &&
           entry.end - entry.at <= MAX_CIE_SIZE && read_bytes(&entry, 4) == 0 &&
           !entry.bad && read_cie(&entry, cie, section->address);
}

bool cfi_cie_of(struct cursor *entry, size_t *offset) {
    size_t id_at = entry->at;
    uint32_t id = read_bytes(entry, 4);

    if (entry->bad || !id || id > id_at)
        return false;
    *offset = id_at - id;
    return true;
}

bool cfi_fde(struct cursor *entry, const struct eh_frame *section,
             const struct cie *cie, struct fde *fde) {
    uint64_t range;

    fde->start = read_encoded(entry, cie->encoding, section->address);
    range = read_encoded(entry, cie->encoding & 0x0f, section->address);
    if (cie->has_length)
        skip(entry, read_uleb(entry));
    fde->rules = entry->at;
    fde->rules_end = entry->end;
    return !entry->bad && range &&
           !__builtin_add_overflow(fde->start, range, &fde->end);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The entries of .eh_frame: CIEs, common to many functions, and FDEs, one for
// each range of code. The format is that of the Linux Standard Base, chapter
// 10.6. Input is hostile.
#ifndef POLLTRACE_CFI_ENTRIES_H
#define POLLTRACE_CFI_ENTRIES_H

#include "readers/cfi_cursor.h"

struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t return_column;
    uint8_t encoding;
    bool has_length; // augmentation data has its length in front
    bool is_signal;  // of the code that a signal handler returns to
    size_t rules, rules_end;
};

struct fde {
    uint64_t start, end; // addresses of code, as linked
    size_t cie;          // offset of its CIE
    size_t rules, rules_end;
};

// Moves `all` behind the next entry and sets `entry` to its contents, behind
// the length. False at the end, and where the section is damaged.
bool cfi_next(struct cursor *all, struct cursor *entry);

// The CIE at an offset of the section.
bool cfi_cie(const struct eh_frame *section, size_t offset, struct cie *cie);

// The offset of the CIE that an entry refers to; false when it is a CIE itself.
bool cfi_cie_of(struct cursor *entry, size_t *offset);

// An FDE, once cfi_cie_of() has read its first field.
bool cfi_fde(struct cursor *entry, const struct eh_frame *section,
             const struct cie *cie, struct fde *fde);

#endif

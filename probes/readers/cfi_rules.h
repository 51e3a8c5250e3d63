// SPDX-License-Identifier: GPL-2.0-or-later
// The instructions of .eh_frame (DWARF 4, chapter 6.4), as far as the unwind
// table needs them: the CFA, the return address, the caller's rbp.
#ifndef POLLTRACE_CFI_RULES_H
#define POLLTRACE_CFI_RULES_H

#include "readers/cfi_entries.h"

// Takes the rule of [from, to), a row of kernel/unwind.h without its address.
typedef void cfi_taker(void *argument, uint64_t from, uint64_t to,
                       uint64_t rule);

// Runs the instructions of a function and hands over its rules in the order of
// their addresses, without gaps. What cannot be followed is CFA_UNSUPPORTED
// from there on. `budget` is lowered by the instructions run; false when it is
// used up.
bool cfi_run(const struct eh_frame *section, const struct cie *cie,
             const struct fde *fde, uint64_t *budget, cfi_taker *take,
             void *argument);

#endif

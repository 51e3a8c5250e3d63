// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_TRY_VARIANTS_H
#define POLLTRACE_TRY_VARIANTS_H

#include "options/options.h"

// Prints which variants this kernel takes, each tried for real: --variants.
void try_variants(const struct options *options);

#endif

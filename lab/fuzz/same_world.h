// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef ORALAB_SAME_WORLD_H
#define ORALAB_SAME_WORLD_H

#include <stdint.h>

// Puts clocks and random bytes back to where they are before each input.
void same_world_begins(void);

#endif

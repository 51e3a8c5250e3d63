// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef ORALAB_SESSIONS_H
#define ORALAB_SESSIONS_H

enum { SGA_SESSIONS = 512 };

#endif

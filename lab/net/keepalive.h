// SPDX-License-Identifier: GPL-2.0-or-later
// SQLNET.EXPIRE_TIME: TCP itself asks a peer that has been silent for so long
// whether it is still there, and gives it up a minute later. Oracle has done it
// this way since 12c, by the same times.
#ifndef ORALAB_KEEPALIVE_H
#define ORALAB_KEEPALIVE_H

// 0 minutes: as the kernel does it, which takes two hours.
void keepalive_set(int fd, unsigned minutes);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
// Every packet of a session, as Oracle Net's own trace of level SUPPORT shows
// them.
#ifndef ORALAB_NET_TRACE_H
#define ORALAB_NET_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// `function` is Oracle's: nsprecv, nspsend. The packet is in two parts, of
// which the second may have no bytes. Does nothing without a file.
void net_trace_packet(FILE *file, const char *function, const void *begins,
                      size_t bytes, const void *rest, size_t more);

#endif

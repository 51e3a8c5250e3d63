// SPDX-License-Identifier: GPL-2.0-or-later
// Memory that the loader and the kernel side both see. Linux maps it from 5.5
// on. Before, the loader has a copy: it reads through one call an element, and
// what it writes, a program of its own stores in the kernel, because a map
// update replaces a whole element and with it whatever was counted meanwhile.
#ifndef POLLTRACE_SHARED_H
#define POLLTRACE_SHARED_H

#include <stddef.h>

#include "loader.h"

// Whether this kernel maps BPF arrays.
bool shared_can_map(void);

// Once the programs are loaded; ends the program when it cannot.
void shared_open(struct probe *probe);

// Bring the copies up to date; nothing to do where memory is mapped.
void shared_pull(struct probe *probe); // slots and global variables
void shared_pull_globals(struct probe *probe);
void shared_pull_slot(struct probe *probe, uint32_t slot);
void shared_pull_cpus(struct probe *probe);

// The other way, whole: only what the kernel side does not use at the time.
void shared_put_slot(struct probe *probe, uint32_t slot);
void shared_put_cpus(struct probe *probe);

// The other way, one field of 4 or 8 bytes.
bool shared_publish(struct probe *probe, const volatile void *field,
                    size_t size);

// Sets a field of a slot, a bucket, or the gate, for both sides.
#define shared_store(probe, field, value)                                      \
    ({                                                                         \
        __atomic_store_n(&(field), (value), __ATOMIC_SEQ_CST);                 \
        shared_publish((probe), &(field), sizeof(field));                      \
    })

#endif

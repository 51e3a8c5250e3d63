// SPDX-License-Identifier: GPL-2.0-or-later
// Memory shared by the loader and the kernel side. Linux maps it from 5.5 on.
// Before that the loader has a copy: it reads one element a call, and has a BPF
// program store its own changes, because a map update replaces a whole element
// and would undo counts made at the same time.
#ifndef POLLTRACE_SHARED_H
#define POLLTRACE_SHARED_H

#include <stddef.h>

#include "loader/loader.h"

// Whether this kernel maps BPF arrays.
bool shared_can_map(void);

// Once the programs are loaded; ends the program when it cannot.
void shared_open(struct probe *probe);

// Bring the copies up to date; nothing to do where memory is mapped.
void shared_pull(struct probe *probe); // slots and global variables
void shared_pull_globals(struct probe *probe);
void shared_pull_slot(struct probe *probe, uint32_t slot);
void shared_pull_cpus(struct probe *probe);

// Copy a whole element to the kernel: only one that it does not use at the
// time.
void shared_put_slot(struct probe *probe, uint32_t slot);
void shared_put_cpus(struct probe *probe);

// Copies one field of 4 or 8 bytes to the kernel.
bool shared_publish(struct probe *probe, const volatile void *field,
                    size_t size);

// Sets a field of a slot, a bucket, or the gate, for both sides.
#define shared_store(probe, field, value)                                      \
    ({                                                                         \
        __atomic_store_n(&(field), (value), __ATOMIC_SEQ_CST);                 \
        shared_publish((probe), &(field), sizeof(field));                      \
    })

#endif

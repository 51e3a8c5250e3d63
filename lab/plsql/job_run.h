// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a job, in the session that requests it or in a process of its own.
#ifndef ORALAB_JOB_RUN_H
#define ORALAB_JOB_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "process/job.h"

struct database;
struct ora_error;
struct session_slot;
struct sga;

// The block that a job is.
void job_block(const struct job *job, char *to, size_t size);
enum { JOB_BLOCK = JOB_WHAT + 100 }; // room for it
// Compiles the block without running it.
bool job_check(struct database *database, const struct job *job,
               struct ora_error *error);
// Runs it, with its changes neither committed nor undone.
bool job_execute(struct database *database, const struct job *job,
                 struct ora_error *error);
// The whole life of the process of the job of that number.
void job_server_run(struct sga *sga, struct session_slot *self,
                    uint32_t number);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
// Reads command lines without waiting for the processes that they are of.
//
// To read one takes the lock of that process's mappings. Whoever may trace the
// process can hold the lock for as long as he likes, by reading memory of it
// that a file system of his own never delivers; only SIGKILL ends the wait. So
// a child reads, and is replaced when it does not answer.
#ifndef POLLTRACE_CMDLINES_H
#define POLLTRACE_CMDLINES_H

#include <stdbool.h>
#include <stddef.h>

#include "readers/procfs.h"
#include "readers/unwind_table.h"

// Starts the child, and another that replaces it. Both end with this process.
void cmdlines_start(bool in_sandbox);
// As proc_cmdline(); 0 also for a process that does not answer in a second.
size_t cmdlines_read(int pid, char text[CMDLINE_SIZE]);
// Whether the mappings of a process, and the files mapped as code, answer in
// that time. A file may lie in a file system that never does.
bool cmdlines_files_answer(int pid);
// Makes the unwind table of an open file there: reading it may take for ever,
// and its contents are hostile. TABLE_NO_RULES where there is no answer.
enum table_result cmdlines_table(int fd, struct unwind_table *table);

#endif

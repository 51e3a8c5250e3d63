// SPDX-License-Identifier: GPL-2.0-or-later
// Tries whether the mappings of a process and the files behind them answer.
#ifndef POLLTRACE_MAPPED_FILES_H
#define POLLTRACE_MAPPED_FILES_H

// Reads the mappings, and the beginning and the end of each file that is mapped
// as code. Returns only when all of them have answered, with data or an error.
void mapped_files_try(int pid);

#endif

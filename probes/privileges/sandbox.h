// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_SANDBOX_H
#define POLLTRACE_SANDBOX_H

// From here on the kernel refuses, with EPERM, all system calls but those
// that are needed after attaching, files opened to be written, and memory that
// may be executed. Not to be undone. Being root is of little use behind it:
// there is no exec, no socket, no ptrace.
void sandbox_session(void);

// The same for the child that places uprobes.
void sandbox_uprobes(void);

// The same for the child that reads command lines, and for its parent, which
// replaces it.
void sandbox_reader(void);
void sandbox_replacer(void);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
// Where the data files are, and that they are gone when the lab is.
#ifndef ORALAB_DATA_DIRECTORY_H
#define ORALAB_DATA_DIRECTORY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// The folder in it for the servers' trace files.
#define TRACE_FILES "trace"
// And for the certificates.
#define WALLET_FILES "wallet"

struct data_directory {
    char path[PATH_MAX - 64];
    bool temporary; // made here, to be removed
    int lock;       // held while a lab uses the directory
    int sweeper;    // the sweeper process ends its wait when this closes
    int sweeper_pid;
};

// Takes the directory `path`, or makes one when it is NULL. The files in it go
// with the listener, even with one that is killed: a small process waits for
// its end and then removes them. Trace files stay in a directory that was
// given. False with one line in `why`.
bool data_directory_open(struct data_directory *directory, const char *path,
                         char *why, size_t size);
// Removes the files, and waits until they are removed.
void data_directory_close(struct data_directory *directory);

#endif

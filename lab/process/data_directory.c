// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "process/data_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// A folder, with all files in it whose names end so.
static void remove_folder(const struct data_directory *directory,
                          const char *name, const char *ends) {
    const int fd =
        openat(directory->lock, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *files = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *file;
    while (files && (file = readdir(files))) {
        const char *ending = strrchr(file->d_name, '.');
        if (ending && strcmp(ending, ends) == 0)
            unlinkat(fd, file->d_name, 0);
    }
    if (files)
        closedir(files);
    unlinkat(directory->lock, name, AT_REMOVEDIR);
}

static void remove_files(const struct data_directory *directory) {
    static const char *const names[] = {"sys.db", "sys.db-journal", "users.db",
                                        "users.db-wal", "users.db-shm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlinkat(directory->lock, names[i], 0);
    remove_folder(directory, WALLET_FILES, ".pem");
    if (!directory->temporary)
        return;
    remove_folder(directory, TRACE_FILES, ".trc");
    // Whoever started us may have written it; it may be gone by now as well.
    unlinkat(directory->lock, "sqlnet.ora", 0);
    unlinkat(directory->lock, "sqlnet.ora.new", 0);
    rmdir(directory->path);
}

// Holds nothing but the directory and the pipe: not the listener's output,
// whose reader may wait for its end, nor its port.
static _Noreturn void sweep(const struct data_directory *directory, int pipe) {
    char byte;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd <= 2; fd++)
        dup2(null, fd);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    setsid();
    prctl(PR_SET_NAME, "oralab-sweeper");
    while (read(pipe, &byte, 1) < 0 && errno == EINTR)
        ;
    remove_files(directory);
    _exit(0);
}

static bool start_sweeper(struct data_directory *directory) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return false;
    directory->sweeper_pid = fork();
    if (directory->sweeper_pid == 0) {
        close(ends[1]);
        sweep(directory, ends[0]);
    }
    close(ends[0]);
    directory->sweeper = ends[1];
    return directory->sweeper_pid > 0;
}

bool data_directory_open(struct data_directory *directory, const char *path,
                         char *why, size_t size) {
    const char *temporary = getenv("TMPDIR");
    *directory = (struct data_directory){.temporary = !path};
    if (!temporary || !*temporary)
        temporary = "/tmp";
    int length =
        path ? snprintf(directory->path, sizeof directory->path, "%s", path)
             : snprintf(directory->path, sizeof directory->path,
                        "%s/oralab-XXXXXX", temporary);
    if (length >= (int)sizeof directory->path) {
        snprintf(why, size, "the data directory's name is too long");
        return false;
    }
    if (!path && !mkdtemp(directory->path)) {
        snprintf(why, size, "cannot make a directory in %.100s: %s", temporary,
                 strerror(errno));
        return false;
    }
    directory->lock = open(directory->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory->lock < 0) {
        snprintf(why, size, "cannot use %.100s: %s", directory->path,
                 strerror(errno));
        return false;
    }
    if (flock(directory->lock, LOCK_EX | LOCK_NB)) {
        snprintf(why, size, "another lab uses %.100s", directory->path);
        return false;
    }
    if (mkdirat(directory->lock, TRACE_FILES, 0755) && errno != EEXIST) {
        snprintf(why, size, "cannot make %.100s/" TRACE_FILES ": %s",
                 directory->path, strerror(errno));
        return false;
    }
    if (!start_sweeper(directory)) {
        snprintf(why, size, "cannot start a process: %s", strerror(errno));
        return false;
    }
    return true;
}

void data_directory_close(struct data_directory *directory) {
    close(directory->sweeper);
    while (waitpid(directory->sweeper_pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(directory->lock);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// crowd PROCESSES [DESCRIPTORS]: that many sleeping copies of this process,
// under its executable's name and title, each with that many descriptors of
// one file. Prints "ready"; all end with the first process's standard input.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int processes = argc > 1 ? atoi(argv[1]) : 1;
    int descriptors = argc > 2 ? atoi(argv[2]) : 0;
    struct rlimit files = {descriptors + 64, descriptors + 64};

    if (descriptors && setrlimit(RLIMIT_NOFILE, &files)) {
        perror("setrlimit");
        return 1;
    }
    for (int i = 0; i < descriptors; i++)
        if (open("/dev/null", O_RDONLY) < 0) {
            perror("open");
            return 1;
        }
    for (int i = 0; i < processes; i++) {
        pid_t pid = fork();

        if (pid < 0) {
            perror("fork");
            return 1;
        }
        if (pid)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(0);
        close(1);
        for (;;)
            pause();
    }
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}

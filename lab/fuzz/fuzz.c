// SPDX-License-Identifier: GPL-2.0-or-later
// One input is everything a client ever sends: CONNECT, logon, calls, breaks.
// The password is not checked in this build, so that inputs get past it.
#define _GNU_SOURCE
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz/same_world.h"
#include "sql/views/dictionary.h"
#include "ttc/server.h"

static struct sga *sga;
static struct server server;
// Where ORALAB_FUZZ_ANSWERS says: a line for each input, with its answer's
// hash.
static FILE *answers;

// Fowler, Noll and Vo's hash of 64 bits, FNV-1a.
static const uint64_t NOTHING = UINT64_C(0xcbf29ce484222325);
static uint64_t answer;

static uint64_t hash(uint64_t of, const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        of = (of ^ data[i]) * UINT64_C(0x100000001b3);
    return of;
}

// Answers are dropped: no client reads them, and the server waits for none.
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags) {
    (void)fd, (void)flags;
    ssize_t sum = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        if (answers)
            answer = hash(answer, message->msg_iov[i].iov_base,
                          message->msg_iov[i].iov_len);
        sum += (ssize_t)message->msg_iov[i].iov_len;
    }
    return sum;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[] = "/tmp/oralab-fuzz-XXXXXX";
static unsigned long sessions;

// libFuzzer's rate is by the clock, which other work on the machine lowers.
static void print_rate(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    const double seconds =
        (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
        (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    if (sessions > 1000)
        fprintf(stderr, "sessions: %lu, %.0f per second of CPU time\n",
                sessions, (double)sessions / seconds);
}

static void remove_directory(void) {
    unlink(sga->dictionary);
    unlink(sga->users);
    rmdir(directory);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    char why[200];
    const char *to = getenv("ORALAB_FUZZ_ANSWERS");
    if (to && !(answers = fopen(to, "we")))
        abort();
    if (sga_create(&sga) < 0 || !mkdtemp(directory))
        abort();
    sga->pga_limit = 64 << 20;
    snprintf(sga->instance, sizeof sga->instance, "LAB");
    snprintf(sga->user, sizeof sga->user, "SCOTT");
    snprintf(sga->dictionary, sizeof sga->dictionary, "%s/sys.db", directory);
    snprintf(sga->users, sizeof sga->users, "%s/users.db", directory);
    if (!verifier_make("tiger", VERIFIER_12C, &sga->verifier) ||
        !dictionary_create(sga->dictionary, sga->user, why, sizeof why) ||
        !dictionary_create_user_tables(sga->users, why, sizeof why))
        abort();
    sqlite3_shutdown(); // the page-cache module is installed before the start
    atexit(remove_directory);
    atexit(print_rate);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    // In-band: a call then ends when it finds that there is no more input.
    const struct sqlnet_ora ora = {.break_poll_skip = 3, .disable_oob = true};
    int ends[2];
    sessions++;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        abort();
    int room = 1 << 20;
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    struct session_slot *slot = &sga->session[0];
    memset(slot, 0, sizeof *slot);
    slot->pid = getpid();
    if (sga->jobs.made > 0) // of the session before
        memset(&sga->jobs, 0, sizeof sga->jobs);
    sga->error_markers = size % 2;
    answer = NOTHING;
    same_world_begins();
    if (send(ends[1], data, size, MSG_DONTWAIT) == (ssize_t)size) {
        shutdown(ends[1], SHUT_WR);
        server_run(&server, ends[0], ends[0], sga, slot, &ora, NULL, NULL);
    }
    close(ends[0]);
    close(ends[1]);
    if (answers)
        fprintf(answers, "%016" PRIx64 " %016" PRIx64 "\n",
                hash(NOTHING, data, size), answer);
    return 0;
}

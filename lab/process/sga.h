// SPDX-License-Identifier: GPL-2.0-or-later
// The memory that the listener and all dedicated servers share: one anonymous
// memory file, mapped by each. The listener fills the instance part before the
// first server starts; after that a server writes only its own slot, the
// database links, and counts.
#ifndef ORALAB_SGA_H
#define ORALAB_SGA_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/active_sessions.h"
#include "process/job.h"
#include "process/latch.h"
#include "process/link_definition.h"
#include "process/result_cache.h"
#include "process/sequence.h"
#include "process/sessions.h"
#include "process/statistic.h"
#include "process/wait.h"

enum {
    SGA_NAME = 64,
    SGA_SQL_TEXT = 1001, // as v$sql.sql_text
};

enum verifier_type { // the values that the client is sent
    VERIFIER_12C = 0x4815,
    VERIFIER_11G = 0x1b25,
};

// A password, kept as the values that O5LOGON derives from it.
struct verifier {
    enum verifier_type type;
    uint8_t salt[16];      // AUTH_VFR_DATA; 11g has 10 bytes
    uint8_t key[32];       // encrypts the session keys; 11g has 24 bytes
    uint8_t proof_key[32]; // HMAC key for `proof`
    uint8_t proof[32];     // HMAC of the password, to compare with
};

struct session_slot {
    pid_t pid; // 0: free
    uint32_t serial;
    int64_t logon_time; // s since 1970
    pid_t bridge; // of a local session: the process that carries its packets
    bool bridge_gone; // its client is, too
    bool logged_on;
    bool active; // in a user call
    char user[SGA_NAME];
    char program[SGA_NAME];
    char machine[SGA_NAME];
    char os_user[SGA_NAME];
    char terminal[SGA_NAME];
    char client_pid[SGA_NAME];
    char driver[SGA_NAME]; // of the client
    char module[SGA_NAME];
    char action[SGA_NAME];
    char client_info[SGA_NAME];
    char client_identifier[SGA_NAME];
    char sql_id[14]; // of the statement that runs, or ran last
    char previous_sql_id[14];
    char sql_text[SGA_SQL_TEXT]; // of sql_id, line breaks as blanks
    uint32_t sql_hash;
    uint32_t previous_sql_hash;
    int command;        // v$session's COMMAND: 3 is SELECT
    uint32_t sql_trace; // see sql_trace.h; other sessions may set it
    char trace_identifier[SGA_NAME];
    char background[8];        // "j000"; "": the server of a client
    int64_t call_ended_us;     // by clock_us()
    unsigned blocker;          // SID of the session waited for, 0: none
    uint32_t transaction;      // its number, 0: none
    int64_t transaction_began; // s since 1970
    uint64_t stat[STATISTICS];
    struct wait_clock waits;
    struct time_model time;
} __attribute__((aligned(64)));

struct sga {
    char instance[SGA_NAME];   // also the service name
    char user[SGA_NAME];       // the one account, in upper case
    char dictionary[PATH_MAX]; // the data file attached as SYS
    char users[PATH_MAX];      // and the one with the user's own tables
    char traces[PATH_MAX];     // where the servers' trace files are
    char wallet[PATH_MAX];     // and the certificates for TCPS
    int64_t startup_time;      // s since 1970
    struct verifier verifier;
    bool error_markers;
    bool trace_net;
    uint64_t pga_limit; // bytes, of each server: see sql/execute/pga.h
    bool tcps_mutual;
    struct link_definitions links;
    struct sequences sequences;
    struct jobs jobs;
    pid_t listener;           // SIGUSR1 wakes it for jobs; 0: there is none
    unsigned writer;          // SID of the session that changed data last
    uint32_t serial;          // of the session started last
    uint32_t transactions;    // how many there were
    struct session_slot past; // sums over the sessions that have ended
    struct session_slot session[SGA_SESSIONS];
    struct latch latch[LATCHES];
    uint64_t latch_note[SGA_SESSIONS]; // see latch_word.h
    struct result_cache result_cache;
    struct active_sessions active_sessions; // the listener's
};

// Makes the shared memory. Returns its descriptor, or -1 with errno set.
int sga_create(struct sga **sga);
// Maps the memory of sga_create(); NULL with errno set if it cannot.
struct sga *sga_attach(int fd);
// The slot of the process `pid`, or NULL. `pid` 0 finds a free one.
struct session_slot *sga_slot(struct sga *sga, pid_t pid);
// The SID in v$session.
unsigned sga_sid(const struct sga *sga, const struct session_slot *slot);
// Frees the slot of a session whose process has ended, with all that it held.
void sga_free_slot(struct sga *sga, struct session_slot *slot);
// Adds the figures of a session that has ended to those of the past.
void sga_keep_past(struct sga *sga, const struct session_slot *slot);

#endif

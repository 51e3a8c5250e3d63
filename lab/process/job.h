// SPDX-License-Identifier: GPL-2.0-or-later
// The jobs of DBMS_JOB and DBMS_SCHEDULER: of an instance, in its shared
// memory. Each runs once, in a server process of its own that the listener
// starts once the transaction that made the job is committed.
#ifndef ORALAB_JOB_H
#define ORALAB_JOB_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sga;
struct session_slot;

enum {
    MOST_JOBS = 128,
    MOST_JOB_PROCESSES = 36, // J000 to J035
    JOB_NAME = 129,
    JOB_WHAT = 4001,
};

enum job_state {
    JOB_NONE,
    JOB_UNCOMMITTED, // only its own session sees it
    JOB_DISABLED,
    JOB_QUEUED,
    JOB_RUNNING,
    JOB_FAILED, // and is not tried again
    JOB_SUCCEEDED,
};

struct job {
    uint32_t number; // above those before it
    enum job_state state;
    uint32_t session; // the serial of the one that has not committed it
    uint32_t remover; // or of one that removes it with its next commit
    bool runs;        // it is to be run: not a disabled one
    bool stays;       // after it has run
    bool gone;        // removed while it runs: it ends with its process
    pid_t pid;        // while it runs
    unsigned process; // 3 is J003
    int64_t made, began, ended; // s since 1970
    unsigned runs_so_far, failures;
    char name[JOB_NAME]; // the scheduler's; "" of DBMS_JOB
    char what[JOB_WHAT];
};

struct jobs {
    pthread_mutex_t lock; // robust: a server may be killed while it holds it
    uint32_t made;
    struct job job[MOST_JOBS];
};

// False with errno set.
bool job_init(struct jobs *all);
// Makes an uncommitted job; its number, 0: there is no room.
uint32_t job_add(struct sga *sga, const struct session_slot *self,
                 const struct job *job);
// The commit of a session: its jobs may run, and those that it has removed are
// gone. Wakes the listener.
void jobs_commit(struct sga *sga, const struct session_slot *self);
// Forgets the jobs that the session has made since the job `since`; 0: all of
// them, and those that it has removed. Whether any is left.
bool jobs_roll_back(struct sga *sga, const struct session_slot *self,
                    uint32_t since);
// Copies the job of that number, or name if that is not "". False: the session
// sees none.
bool job_find(struct sga *sga, const struct session_slot *self, uint32_t number,
              const char *name, struct job *to);
// The same by its place.
bool job_at(struct sga *sga, const struct session_slot *self, unsigned place,
            struct job *to);
void job_remove(struct sga *sga, const struct session_slot *self,
                uint32_t number);
// A scheduler's job is to run, or not, from now on.
void job_enable(struct sga *sga, uint32_t number, bool runs);
// For the listener: the next job to be started, which `process` is to run.
// False: there is none, or there are enough processes.
bool job_take(struct sga *sga, struct job *to);
void job_started(struct sga *sga, uint32_t number, pid_t pid);
// It has run. `failed`: with an error.
void job_done(struct sga *sga, uint32_t number, bool failed);
// The same, in a session: a scheduler's job stays as it was.
void job_ran_here(struct sga *sga, uint32_t number, bool failed);
// For the listener: the process has ended. A job that it had not done failed.
void job_process_ended(struct sga *sga, pid_t pid);

#endif

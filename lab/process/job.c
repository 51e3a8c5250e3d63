// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/job.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "process/robust_lock.h"
#include "process/sga.h"

bool job_init(struct jobs *all) {
    return robust_lock_init(&all->lock);
}

static struct jobs *enter(struct sga *sga) {
    robust_lock_enter(&sga->jobs.lock);
    return &sga->jobs;
}

static void leave(struct jobs *all) {
    robust_lock_leave(&all->lock);
}

static struct job *numbered(struct jobs *all, uint32_t number) {
    for (int i = 0; i < MOST_JOBS; i++)
        if (all->job[i].state != JOB_NONE && all->job[i].number == number)
            return &all->job[i];
    return NULL;
}

static bool is_seen(const struct job *job, const struct session_slot *self) {
    return job->state != JOB_NONE &&
           (job->remover == 0 || job->remover != self->serial) &&
           (job->state != JOB_UNCOMMITTED || job->session == self->serial);
}

uint32_t job_add(struct sga *sga, const struct session_slot *self,
                 const struct job *job) {
    struct jobs *all = enter(sga);
    uint32_t number = 0;
    for (int i = 0; i < MOST_JOBS && number == 0; i++)
        if (all->job[i].state == JOB_NONE) {
            struct job *to = &all->job[i];
            *to = *job;
            to->session = self->serial;
            to->remover = 0;
            to->made = time(NULL);
            to->number = number = ++all->made;
            to->state = JOB_UNCOMMITTED; // the last: see job_find()
        }
    leave(all);
    return number;
}

static void tell_listener(const struct sga *sga) {
    if (sga->listener > 0)
        kill(sga->listener, SIGUSR1);
}

void jobs_commit(struct sga *sga, const struct session_slot *self) {
    struct jobs *all = enter(sga);
    bool due = false;
    for (int i = 0; i < MOST_JOBS; i++) {
        struct job *job = &all->job[i];
        const bool is_own =
            job->state == JOB_UNCOMMITTED && job->session == self->serial;
        if (job->state == JOB_NONE)
            continue;
        if (job->remover == self->serial && job->state == JOB_RUNNING)
            job->gone = true;
        else if (job->remover == self->serial)
            job->state = JOB_NONE;
        else if (is_own)
            job->state = job->runs ? JOB_QUEUED : JOB_DISABLED;
        if (job->remover == self->serial)
            job->remover = 0;
        due = due || job->state == JOB_QUEUED;
    }
    leave(all);
    if (due)
        tell_listener(sga);
}

bool jobs_roll_back(struct sga *sga, const struct session_slot *self,
                    uint32_t since) {
    struct jobs *all = enter(sga);
    bool jobs_remain = false;
    for (int i = 0; i < MOST_JOBS; i++) {
        struct job *job = &all->job[i];
        if (job->state == JOB_UNCOMMITTED && job->session == self->serial &&
            job->number > since)
            job->state = JOB_NONE;
        if (since == 0 && job->remover == self->serial)
            job->remover = 0;
        jobs_remain |=
            job->state != JOB_NONE &&
            ((job->state == JOB_UNCOMMITTED && job->session == self->serial) ||
             job->remover == self->serial);
    }
    leave(all);
    return jobs_remain;
}

bool job_find(struct sga *sga, const struct session_slot *self, uint32_t number,
              const char *name, struct job *to) {
    struct jobs *all = enter(sga);
    bool is_found = false;
    for (int i = 0; i < MOST_JOBS && !is_found; i++) {
        const struct job *job = &all->job[i];
        is_found = is_seen(job, self) &&
                   (*name ? strcmp(job->name, name) == 0
                          : job->number == number && !*job->name);
        if (is_found)
            *to = *job;
    }
    leave(all);
    return is_found;
}

bool job_at(struct sga *sga, const struct session_slot *self, unsigned place,
            struct job *to) {
    struct jobs *all = enter(sga);
    const bool is_found = is_seen(&all->job[place], self);
    if (is_found)
        *to = all->job[place];
    leave(all);
    return is_found;
}

void job_remove(struct sga *sga, const struct session_slot *self,
                uint32_t number) {
    struct jobs *all = enter(sga);
    struct job *job = numbered(all, number);
    if (job && job->state == JOB_UNCOMMITTED)
        job->state = JOB_NONE;
    else if (job)
        job->remover = self->serial;
    leave(all);
}

void job_enable(struct sga *sga, uint32_t number, bool runs) {
    struct jobs *all = enter(sga);
    struct job *job = numbered(all, number);
    if (job && job->state != JOB_RUNNING && job->state != JOB_UNCOMMITTED) {
        job->runs = runs;
        job->state = runs ? JOB_QUEUED : JOB_DISABLED;
    }
    leave(all);
    if (runs)
        tell_listener(sga);
}

// The first process that none of the running jobs has.
static bool free_process(const struct jobs *all, unsigned *process) {
    bool is_taken[MOST_JOB_PROCESSES] = {false};
    for (int i = 0; i < MOST_JOBS; i++)
        if (all->job[i].state == JOB_RUNNING)
            is_taken[all->job[i].process % MOST_JOB_PROCESSES] = true;
    for (*process = 0; *process < MOST_JOB_PROCESSES; ++*process)
        if (!is_taken[*process])
            return true;
    return false;
}

bool job_take(struct sga *sga, struct job *to) {
    if (__atomic_load_n(&sga->jobs.made, __ATOMIC_RELAXED) == 0)
        return false;
    struct jobs *all = enter(sga);
    struct job *first = NULL;
    unsigned process;
    for (int i = 0; i < MOST_JOBS; i++) {
        struct job *job = &all->job[i];
        if (job->state == JOB_QUEUED && (!first || job->number < first->number))
            first = job;
    }
    const bool is_found = first && free_process(all, &process);
    if (is_found) {
        first->process = process;
        first->began = time(NULL);
        first->pid = 0;
        first->state = JOB_RUNNING;
        *to = *first;
    }
    leave(all);
    return is_found;
}

void job_started(struct sga *sga, uint32_t number, pid_t pid) {
    struct jobs *all = enter(sga);
    struct job *job = numbered(all, number);
    if (job && job->state == JOB_RUNNING)
        job->pid = pid;
    leave(all);
}

static void end(struct job *job, bool failed) {
    job->ended = time(NULL);
    job->pid = 0;
    job->runs_so_far++;
    job->failures += failed;
    job->state = job->gone    ? JOB_NONE
                 : failed     ? JOB_FAILED
                 : job->stays ? JOB_SUCCEEDED
                              : JOB_NONE;
}

void job_done(struct sga *sga, uint32_t number, bool failed) {
    struct jobs *all = enter(sga);
    struct job *job = numbered(all, number);
    if (job && job->state == JOB_RUNNING)
        end(job, failed);
    leave(all);
}

void job_ran_here(struct sga *sga, uint32_t number, bool failed) {
    struct jobs *all = enter(sga);
    struct job *job = numbered(all, number);
    if (job && *job->name) {
        job->runs_so_far++;
        job->failures += failed;
    } else if (job && job->state != JOB_RUNNING) {
        end(job, failed);
    }
    leave(all);
}

void job_process_ended(struct sga *sga, pid_t pid) {
    if (__atomic_load_n(&sga->jobs.made, __ATOMIC_RELAXED) == 0)
        return;
    struct jobs *all = enter(sga);
    for (int i = 0; i < MOST_JOBS; i++)
        if (all->job[i].state == JOB_RUNNING && all->job[i].pid == pid)
            end(&all->job[i], true);
    leave(all);
}

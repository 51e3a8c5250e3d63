// SPDX-License-Identifier: GPL-2.0-or-later
// Latches between real processes, some of which are killed.
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/latch_word.h"
#include "tests/check.h"

enum { WRITERS = 3, GETS = 4001, KILLS = 300 };

static const enum latch_number LATCH = LATCH_RESULT_CACHE;

struct world {
    struct sga sga;
    uint64_t counter; // plain: only the latch protects it
    uint64_t readers; // that hold it now, by their own count
    uint64_t wrong;
    int ready[8];
};

static struct world *world;

static struct session_slot *session(int i) {
    return &world->sga.session[i];
}

// Runs `work` as the session `i` in a process of its own.
static pid_t begin(int i, void (*work)(int i)) {
    session(i)->serial++;
    const pid_t listener = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != listener)
            _exit(1);
        __atomic_store_n(&session(i)->pid, getpid(), __ATOMIC_RELEASE);
        work(i);
        _exit(0);
    }
    __atomic_store_n(&session(i)->pid, child, __ATOMIC_RELEASE);
    return child;
}

static void finish(int i, pid_t child) {
    waitpid(child, NULL, 0);
    sga_free_slot(&world->sga, session(i));
}

static void get(int i, enum latch_mode mode) {
    if (mode == LATCH_EXCLUSIVE)
        kslgetl(&world->sga, session(i), LATCH, WHERE_FIND);
    else
        kslgetsl_w(&world->sga, session(i), LATCH, WHERE_UNPIN);
}

static void announce(int i) {
    __atomic_store_n(&world->ready[i], 1, __ATOMIC_SEQ_CST);
}

static void await(const int *flag) {
    while (!__atomic_load_n(flag, __ATOMIC_SEQ_CST))
        usleep(100);
}

static void add_one_often(int i) {
    for (int n = 0; n < GETS; n++) {
        get(i, LATCH_EXCLUSIVE);
        if (world->readers)
            world->wrong++;
        world->counter++;
        kslfre(&world->sga, session(i));
    }
}

static void read_often(int i) {
    for (int n = 0; n < GETS; n++) {
        get(i, LATCH_SHARED);
        const uint64_t before = world->counter;
        __atomic_add_fetch(&world->readers, 1, __ATOMIC_SEQ_CST);
        if (*(volatile uint64_t *)&world->counter != before)
            world->wrong++;
        __atomic_sub_fetch(&world->readers, 1, __ATOMIC_SEQ_CST);
        kslfre(&world->sga, session(i));
    }
}

static void check_law(void) {
    const struct latch_statistics *of = &world->sga.latch[LATCH].statistics;
    uint64_t slept = 0, wanted = 0;
    for (int i = 0; i < SLEEP_COLUMNS; i++)
        slept += of->slept[i];
    for (int i = 0; i < LATCH_WHERES; i++)
        wanted += of->no_wait_failures[i];
    CHECK(of->misses == of->spin_gets + slept);
    CHECK(of->misses == wanted);
    CHECK(of->sleeps >= slept);
}

static void test_counting(void) {
    pid_t child[2 * WRITERS];
    for (int i = 0; i < 2 * WRITERS; i++)
        child[i] = begin(i, i < WRITERS ? add_one_often : read_often);
    for (int i = 0; i < 2 * WRITERS; i++)
        finish(i, child[i]);
    CHECK(world->counter == (uint64_t)WRITERS * GETS);
    CHECK(world->wrong == 0);
    CHECK(world->sga.latch[LATCH].statistics.gets == 2ULL * WRITERS * GETS);
    CHECK((world->sga.latch[LATCH].word &
           (LATCH_HOLDERS | LATCH_HELD_EXCLUSIVELY)) == 0);
    check_law();
}

static void hold_exclusively(int i) {
    get(i, LATCH_EXCLUSIVE);
    announce(i);
    pause();
}

static void hold_shared(int i) {
    get(i, LATCH_SHARED);
    announce(i);
    pause();
}

static void hold_briefly(int i) {
    get(i, LATCH_SHARED);
    announce(i);
    kslfre(&world->sga, session(i));
}

static void test_readers_hold_it_together(void) {
    enum latch_number n;
    enum latch_mode mode;
    const pid_t one = begin(0, hold_shared);
    await(&world->ready[0]);
    const pid_t other = begin(1, hold_briefly);
    await(&world->ready[1]); // while the first one has it
    finish(1, other);
    CHECK(latch_held_by(&world->sga, 1, &n, &mode));
    CHECK(n == LATCH && mode == LATCH_SHARED);
    CHECK(!latch_held_by(&world->sga, 2, &n, &mode));
    CHECK((world->sga.latch[LATCH].word & LATCH_HOLDERS) == 1);
    kill(one, SIGKILL);
    finish(0, one);
    CHECK((world->sga.latch[LATCH].word & LATCH_HOLDERS) == 0);
    CHECK(!world->sga.latch[LATCH].broken);
}

// Nobody reaps the killed process before the other has the latch: a sleeper
// finds out by itself.
static void test_killed_holder(void (*hold)(int i), bool broken) {
    world->ready[0] = world->ready[1] = 0;
    const uint64_t recovered = world->sga.latch[LATCH].statistics.recovered;
    const pid_t holder = begin(0, hold);
    await(&world->ready[0]);
    const pid_t waiter = begin(1, hold_exclusively);
    while (!(world->sga.latch[LATCH].statistics.sleeps))
        usleep(100);
    const int64_t before = clock_us();
    kill(holder, SIGKILL);
    await(&world->ready[1]);
    CHECK(clock_us() - before < 1000000);
    CHECK(world->sga.latch[LATCH].broken == broken);
    CHECK(world->sga.latch[LATCH].statistics.recovered == recovered + 1);
    CHECK(session(1)->waits.total[WAIT_LATCH_FREE].waits == 1);
    CHECK(session(1)->waits.parameter[0] == latch_address(LATCH));
    CHECK(session(1)->waits.parameter[1] == latch_names[LATCH].number);
    CHECK(session(1)->waits.parameter[2] >= 1);
    check_law(); // with a get that slept
    kill(waiter, SIGKILL);
    finish(0, holder);
    finish(1, waiter);
    world->sga.latch[LATCH].broken = 0;
}

static void get_for_ever(int i) {
    for (unsigned n = 0;; n++) {
        get(i, (n * 7 + (unsigned)i) % 3 ? LATCH_SHARED : LATCH_EXCLUSIVE);
        kslfre(&world->sga, session(i));
    }
}

// Killed anywhere in a get or a release, a session leaves nothing behind.
static void test_kills(void) {
    enum { SESSIONS = 3 };
    pid_t child[SESSIONS];
    srandom(7);
    for (int i = 0; i < SESSIONS; i++)
        child[i] = begin(i, get_for_ever);
    for (int n = 0; n < KILLS; n++) {
        const int i = (int)(random() % SESSIONS);
        usleep((useconds_t)(random() % 2000));
        kill(child[i], SIGKILL);
        finish(i, child[i]);
        child[i] = begin(i, get_for_ever);
    }
    for (int i = 0; i < SESSIONS; i++) {
        kill(child[i], SIGKILL);
        finish(i, child[i]);
    }
    CHECK((world->sga.latch[LATCH].word &
           (LATCH_HOLDERS | LATCH_HELD_EXCLUSIVELY | LATCH_WRITER_WAITS)) == 0);
    const pid_t last = begin(0, add_one_often);
    finish(0, last);
    CHECK(world->counter >= GETS);
}

// A session that stopped between its change of the word and its note of it.
static void test_unnoted_changes(void) {
    struct sga *sga = &world->sga;
    enum latch_number n;
    enum latch_mode mode;
    const uint64_t note =
        LATCH_NOTE(99, WHERE_FIND, LATCH, LATCH_SHARED, LATCH_WANTS);
    sga->latch_note[4] = note;
    sga->latch[LATCH].word = latch_word_by(1, 5, note); // it has got it
    CHECK(latch_held_by(sga, 5, &n, &mode));
    latch_recover(sga, session(4));
    CHECK((sga->latch[LATCH].word & LATCH_HOLDERS) == 0);
    CHECK(latch_note_phase(sga->latch_note[4]) == LATCH_IDLE);

    sga->latch_note[4] = latch_note_with(note, LATCH_HOLDS);
    sga->latch[LATCH].word = // it has released it, one other holds it
        latch_word_by(1 | LATCH_RELEASED, 5, note);
    CHECK(!latch_held_by(sga, 5, &n, &mode));
    latch_recover(sga, session(4));
    CHECK((sga->latch[LATCH].word & LATCH_HOLDERS) == 1);

    sga->latch_note[4] = note;
    sga->latch[LATCH].word = latch_word_by(1, 6, note); // another has
    latch_recover(sga, session(4));
    CHECK((sga->latch[LATCH].word & LATCH_HOLDERS) == 1);
}

static void with_world(void (*test)(void)) {
    world = mmap(NULL, sizeof *world, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    test();
    munmap(world, sizeof *world);
}

static void test_killed_writer(void) {
    test_killed_holder(hold_exclusively, true);
}

static void test_killed_reader(void) {
    test_killed_holder(hold_shared, false);
}

void test_latch(void) {
    with_world(test_counting);
    with_world(test_readers_hold_it_together);
    with_world(test_killed_writer);
    with_world(test_killed_reader);
    with_world(test_kills);
    with_world(test_unnoted_changes);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// What a unit of tim, e and ela is. 10.2 on Linux counts units of 1.024 us,
// its c is in microseconds all the same. There, tim is the time of day in
// these units, so the first timestamp tells.
#include "clock.h"

enum { NEAR_US = 129600, US = 1000000 }; // a day and a half: any time zone
enum { CALIBRATION_US = 10 * US };

static int64_t scaled(int64_t value, int64_t clock) {
    return clock == 1000 ? value : (value * clock + 500) / 1000;
}

static bool is_near(int64_t one, int64_t other) {
    const int64_t apart = one > other ? one - other : other - one;
    return apart / US < NEAR_US;
}

static void find_unit(struct scan *scan, int64_t tim, int64_t wall) {
    const bool coarse = !is_near(tim, wall) && is_near(scaled(tim, 1024), wall);
    __atomic_store_n(&scan->summary.clock, coarse ? 1024 : 1000,
                     __ATOMIC_RELAXED);
}

// False where the field is out of range, and therefore not there any more.
static bool check(struct scan *scan, struct record *record, enum field field) {
    if (!(record->has >> field & 1))
        return false;
    if (record->field[field] > LARGEST || record->field[field] < -LARGEST) {
        record->has &= ~(1u << field);
        record->field[field] = 0;
        scan->summary.out_of_range++;
        return false;
    }
    return true;
}

static void check_duration(struct scan *scan, struct record *record,
                           enum field field) {
    if (check(scan, record, field) && record->field[field] < 0) {
        record->field[field] = 0;
        scan->summary.negative++;
    }
}

static void scale(struct scan *scan, struct record *record) {
    static const enum field SCALED[] = {FIELD_E, FIELD_ELA, FIELD_TIM};
    for (size_t i = 0; i < sizeof SCALED / sizeof *SCALED; i++)
        if (record->has >> SCALED[i] & 1)
            record->field[SCALED[i]] =
                scaled(record->field[SCALED[i]], scan->summary.clock);
}

// The record is the first after a timestamp, which was written with it.
static void set_wall(struct scan *scan, struct session *session, int64_t raw,
                     int64_t tim) {
    session->wall_pending = false;
    session->has_offset = true;
    session->offset = session->wall - tim;
    if (scan->first_tim == 0)
        scan->first_tim = raw;
    scan->last_tim = raw;
    const int64_t wall = scan->summary.last_wall - scan->summary.first_wall;
    const int64_t units = scan->last_tim - scan->first_tim;
    if (wall > CALIBRATION_US && units > 0 && wall < LARGEST / 1000)
        scan->summary.clock_measured = wall * 1000 / units;
}

void scan_unusual_clock(struct scan *scan, struct record *record) {
    check_duration(scan, record, FIELD_C);
    check_duration(scan, record, FIELD_E);
    check_duration(scan, record, FIELD_ELA);
    if (!check(scan, record, FIELD_TIM)) {
        if (scan->summary.clock > 1000)
            scale(scan, record);
        return;
    }
    struct session *session = scan->sessions.now;
    const int64_t raw = record->field[FIELD_TIM];
    scan->raw_tim = raw;
    if (!scan->summary.clock && session->wall_pending)
        find_unit(scan, raw, session->wall);
    if (scan->summary.clock > 1000)
        scale(scan, record);
    const int64_t end = record->field[FIELD_TIM];
    if (session->wall_pending)
        set_wall(scan, session, raw, end);
    session_extend(session, record);
}

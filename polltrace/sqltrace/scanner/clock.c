// SPDX-License-Identifier: GPL-2.0-or-later
// The units of time. 9i and later count microseconds; 8i counts hundredths of
// a second. 10.2 on Linux counts tim, e and ela in units of 1.024 us, and c in
// microseconds; there, tim is the time of day, so the first timestamp shows
// the unit. Before 11, the tim of an ERROR is in hundredths of a second, and of
// a clock whose distance to that of the other records is not known.
#include "clock.h"

#include <stdlib.h>

enum { NEAR_US = 129600, US = 1000000 }; // a day and a half: any time zone
enum { CALIBRATION_US = 10 * US };

static const int64_t CENTISECOND = 10000000; // ns

static int64_t scaled(int64_t value, int64_t clock) {
    const int64_t whole = clock / 1000;
    return value * whole + (value * (clock % 1000) + 500) / 1000;
}

// The first number of a release; 0 where it is not known.
static int64_t major_release(const struct scan *scan) {
    const char *at = scan->summary.version;
    return strtol(at, NULL, 10);
}

void scan_release_unit(struct scan *scan) {
    const int64_t major = major_release(scan);
    if (!scan->summary.clock && major > 0 && major < 9)
        __atomic_store_n(&scan->summary.clock, CENTISECOND, __ATOMIC_RELAXED);
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
    const int64_t clock = scan->summary.clock;
    const int64_t most = clock > 1000 ? LARGEST / clock * 1000 : LARGEST;
    if (record->field[field] > most || record->field[field] < -most) {
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
    static const enum field SCALED[] = {FIELD_E, FIELD_ELA, FIELD_TIM, FIELD_C};
    const size_t count = scan->summary.clock == CENTISECOND ? 4 : 3;
    for (size_t i = 0; i < count; i++)
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

// Whether the tim of an error is in hundredths of a second while those of the
// other records are not. Their clocks differ, by less than a twentieth.
static bool is_in_centiseconds(const struct scan *scan, int64_t tim) {
    const struct session *const session = scan->sessions.now;
    const int64_t last = session->records ? session->last : 0;
    const int64_t major = major_release(scan);
    if (scan->summary.clock == CENTISECOND || tim <= 0)
        return false;
    if (last <= 0)
        return major > 0 && major < 11;
    const int64_t us = tim < LARGEST / 10000 ? tim * 10000 : LARGEST;
    const int64_t apart = us > last ? us - last : last - us;
    return apart < last / 20 || (major > 0 && major < 11 && tim < last / 100);
}

// False where the record has no time that is known.
static bool check_error(struct scan *scan, struct record *record) {
    if (record->kind != ERROR_CALL && record->kind != PARSE_ERROR_CALL)
        return true;
    if (!is_in_centiseconds(scan, record->field[FIELD_TIM]))
        return true;
    record->has &= ~(1u << FIELD_TIM);
    record->field[FIELD_TIM] = 0;
    scan->summary.untimed_errors++;
    return false;
}

void scan_unusual_clock(struct scan *scan, struct record *record) {
    check_duration(scan, record, FIELD_C);
    check_duration(scan, record, FIELD_E);
    check_duration(scan, record, FIELD_ELA);
    if (!check(scan, record, FIELD_TIM) || !check_error(scan, record)) {
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

// SPDX-License-Identifier: GPL-2.0-or-later
// The statistics a session keeps, as v$mystat and v$sesstat show them.
#ifndef ORALAB_STATISTIC_H
#define ORALAB_STATISTIC_H

enum statistic {
    STAT_LOGONS,
    STAT_CURSORS_OPENED,
    STAT_CURSORS_OPEN,
    STAT_COMMITS,
    STAT_ROLLBACKS,
    STAT_USER_CALLS,
    STAT_LOGICAL_READS,
    STAT_CPU_USED,
    STAT_CONSISTENT_GETS,
    STAT_DB_BLOCK_GETS,
    STAT_PHYSICAL_READS,
    STAT_PARSES,
    STAT_EXECUTES,
    STAT_BYTES_SENT,
    STAT_BYTES_RECEIVED,
    STAT_ROUNDTRIPS,
    STAT_LINK_BYTES_SENT,
    STAT_LINK_BYTES_RECEIVED,
    STAT_LINK_ROUNDTRIPS,
    STAT_RECURSIVE_CALLS,
    STAT_DB_TIME,
    STAT_NON_IDLE_WAIT_TIME,
    STAT_NON_IDLE_WAIT_COUNT,
    STAT_SORTS,
    STAT_BREAK_CHECKS,
    STAT_BREAK_POLLS,
    STAT_BREAKS,
    STATISTICS
};

struct statistic_name {
    const char *name;
    int class_bits; // v$statname.class: 1 user, 8 cache, 64 SQL, 128 debug
};

extern const struct statistic_name statistic_names[STATISTICS];

#endif

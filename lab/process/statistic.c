// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/statistic.h"

// The last three exist in no Oracle: they are this server's counts of
// its own break checks, which a probe's counts are compared with.
const struct statistic_name statistic_names[STATISTICS] = {
    [STAT_LOGONS] = {"logons cumulative", 1},
    [STAT_CURSORS_OPENED] = {"opened cursors cumulative", 1},
    [STAT_CURSORS_OPEN] = {"opened cursors current", 1},
    [STAT_COMMITS] = {"user commits", 1},
    [STAT_ROLLBACKS] = {"user rollbacks", 1},
    [STAT_USER_CALLS] = {"user calls", 1},
    [STAT_LOGICAL_READS] = {"session logical reads", 1},
    [STAT_CPU_USED] = {"CPU used by this session", 1},
    [STAT_CONSISTENT_GETS] = {"consistent gets", 8},
    [STAT_DB_BLOCK_GETS] = {"db block gets", 8},
    [STAT_PHYSICAL_READS] = {"physical reads", 8},
    [STAT_PARSES] = {"parse count (total)", 64},
    [STAT_EXECUTES] = {"execute count", 64},
    [STAT_BYTES_SENT] = {"bytes sent via SQL*Net to client", 1},
    [STAT_BYTES_RECEIVED] = {"bytes received via SQL*Net from client", 1},
    [STAT_ROUNDTRIPS] = {"SQL*Net roundtrips to/from client", 1},
    [STAT_LINK_BYTES_SENT] = {"bytes sent via SQL*Net to dblink", 1},
    [STAT_LINK_BYTES_RECEIVED] = {"bytes received via SQL*Net from dblink", 1},
    [STAT_LINK_ROUNDTRIPS] = {"SQL*Net roundtrips to/from dblink", 1},
    [STAT_RECURSIVE_CALLS] = {"recursive calls", 1},
    [STAT_DB_TIME] = {"DB time", 1},
    [STAT_NON_IDLE_WAIT_TIME] = {"non-idle wait time", 1},
    [STAT_NON_IDLE_WAIT_COUNT] = {"non-idle wait count", 1},
    [STAT_SORTS] = {"sorts (memory)", 64},
    [STAT_BREAK_CHECKS] = {"lab break checks", 128},
    [STAT_BREAK_POLLS] = {"lab break polls", 128},
    [STAT_BREAKS] = {"lab breaks", 128},
};

// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/result_latch.h"

static bool is_broken(const struct sga *sga) {
    return __atomic_load_n(&sga->latch[LATCH_RESULT_CACHE].broken,
                           __ATOMIC_SEQ_CST);
}

static void get_exclusively(struct sga *sga, struct session_slot *self,
                            enum latch_where where) {
    kslgetl(sga, self, LATCH_RESULT_CACHE, where);
    if (!is_broken(sga))
        return;
    result_cache_reset(&sga->result_cache);
    __atomic_store_n(&sga->latch[LATCH_RESULT_CACHE].broken, 0,
                     __ATOMIC_SEQ_CST);
}

void result_latch_get(struct sga *sga, struct session_slot *self,
                      enum latch_mode mode, enum latch_where where) {
    if (mode == LATCH_EXCLUSIVE) {
        get_exclusively(sga, self, where);
        return;
    }
    kslgetsl_w(sga, self, LATCH_RESULT_CACHE, where);
    while (is_broken(sga)) { // readers may not change it
        kslfre(sga, self);
        get_exclusively(sga, self, WHERE_ADMINISTER);
        kslfre(sga, self);
        kslgetsl_w(sga, self, LATCH_RESULT_CACHE, where);
    }
}

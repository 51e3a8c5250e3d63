// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "scan_state.h"

enum row_kind { LINE_ROW, CALL_ROW, WAIT_ROW, PLAN_ROW };

enum row_kind row_kind(const struct record *record);

// Add the row of `record`, of a block that is at `data`.
void put_row(struct scan *scan, struct batch *batch, struct record *record,
             const char *data);

// Count the call or wait among those alike.
void count_call(struct scan *scan, struct record *record);

// count_call comes to this record soon.
void expect_call(const struct scan *scan, const struct record *record);

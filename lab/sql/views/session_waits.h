// SPDX-License-Identifier: GPL-2.0-or-later
// Columns of v$session and v$session_wait: a session's current wait, or its
// last one.
#ifndef ORALAB_SESSION_WAITS_H
#define ORALAB_SESSION_WAITS_H

#include "sql/views/slot_columns.h"

#define WAIT_PARAMETER_COLUMNS(n)                                              \
    {"P" #n "TEXT", "VARCHAR2(64)", session_wait_parameter_text, n - 1},       \
        {"P" #n, "NUMBER", session_wait_parameter, n - 1}, {                   \
        "P" #n "RAW", "RAW(8)", session_wait_parameter_raw, n - 1              \
    }
#define WAIT_COLUMNS                                                           \
    {"WAIT_CLASS_ID", "NUMBER", session_wait_class_id},                        \
        {"WAIT_CLASS#", "NUMBER", session_wait_class_number},                  \
        {"WAIT_CLASS", "VARCHAR2(64)", session_wait_class_name},               \
        {"WAIT_TIME", "NUMBER", session_wait_hundredths},                      \
        {"SECONDS_IN_WAIT", "NUMBER", session_wait_seconds},                   \
        {"STATE", "VARCHAR2(19)", session_wait_state},                         \
        {"WAIT_TIME_MICRO", "NUMBER", session_wait_micro},                     \
        {"TIME_REMAINING_MICRO", "NUMBER"}, {                                  \
        "TIME_SINCE_LAST_WAIT_MICRO", "NUMBER", session_wait_since_last        \
    }

void session_wait_event_number(const struct fixed_cell *cell);
void session_wait_event_name(const struct fixed_cell *cell);
void session_wait_sequence(const struct fixed_cell *cell);
void session_wait_parameter_text(const struct fixed_cell *cell);
void session_wait_parameter(const struct fixed_cell *cell);
void session_wait_parameter_raw(const struct fixed_cell *cell);
void session_wait_class_id(const struct fixed_cell *cell);
void session_wait_class_number(const struct fixed_cell *cell);
void session_wait_class_name(const struct fixed_cell *cell);
void session_wait_hundredths(const struct fixed_cell *cell);
void session_wait_micro(const struct fixed_cell *cell);
void session_wait_seconds(const struct fixed_cell *cell);
void session_wait_since_last(const struct fixed_cell *cell);
void session_wait_state(const struct fixed_cell *cell);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
// What v$session and v$session_wait show of the wait that a session is in, or
// of its last one.
#ifndef ORALAB_SESSION_WAITS_H
#define ORALAB_SESSION_WAITS_H

#include "sql/slot_columns.h"

#define PARAMETERS(n)                                                          \
    {"P" #n "TEXT", "VARCHAR2(64)", wait_parameter_text, n - 1},               \
        {"P" #n, "NUMBER", wait_parameter, n - 1}, {                           \
        "P" #n "RAW", "RAW(8)", wait_parameter_raw, n - 1                      \
    }
#define WAIT_CLASS_COLUMNS                                                     \
    NUMBER("WAIT_CLASS_ID", wait_class_id),                                    \
        NUMBER("WAIT_CLASS#", wait_class_number),                              \
        {"WAIT_CLASS", "VARCHAR2(64)", wait_class_name, 0},                    \
        NUMBER("WAIT_TIME", wait_time),                                        \
        NUMBER("SECONDS_IN_WAIT", wait_seconds),                               \
        {"STATE", "VARCHAR2(19)", wait_state, 0},                              \
        NUMBER("WAIT_TIME_MICRO", wait_time_micro),                            \
        NUMBER("TIME_REMAINING_MICRO", NULL),                                  \
        NUMBER("TIME_SINCE_LAST_WAIT_MICRO", wait_since_last)

VALUE(wait_event_number);
VALUE(wait_event_text);
VALUE(wait_sequence);
VALUE(wait_parameter_text);
VALUE(wait_parameter);
VALUE(wait_parameter_raw);
VALUE(wait_class_id);
VALUE(wait_class_number);
VALUE(wait_class_name);
VALUE(wait_time);
VALUE(wait_time_micro);
VALUE(wait_seconds);
VALUE(wait_since_last);
VALUE(wait_state);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of a batch. Python knows them by these names; their meanings are
// in polltrace/sqltrace/columns.py.
#pragma once

// Of a record's own line.
#define FIELD_COLUMNS(X)                                                       \
    X(c_us, FIELD_C)                                                           \
    X(e_us, FIELD_E)                                                           \
    X(p, FIELD_P)                                                              \
    X(cr, FIELD_CR)                                                            \
    X(cu, FIELD_CU)                                                            \
    X(mis, FIELD_MIS)                                                          \
    X(r, FIELD_R)                                                              \
    X(og, FIELD_OG)                                                            \
    X(plh, FIELD_PLH)                                                          \
    X(tim_us, FIELD_TIM)                                                       \
    X(close_type, FIELD_TYPE)                                                  \
    X(ela_us, FIELD_ELA)                                                       \
    X(p1, FIELD_P1)                                                            \
    X(p2, FIELD_P2)                                                            \
    X(p3, FIELD_P3)                                                            \
    X(obj, FIELD_OBJ)                                                          \
    X(err, FIELD_ERR)

// Of the records before it.
#define OTHER_COLUMNS(X)                                                       \
    X(line)                                                                    \
    X(byte_offset)                                                             \
    X(cursor)                                                                  \
    X(dur_us)                                                                  \
    X(dep)                                                                     \
    X(hv)                                                                      \
    X(oct)                                                                     \
    X(uid)                                                                     \
    X(lid)                                                                     \
    X(parse_id)                                                                \
    X(exec_id)                                                                 \
    X(experience_id)                                                           \
    X(sid)                                                                     \
    X(serial)                                                                  \
    X(pid)                                                                     \
    X(time)                                                                    \
    X(xc_us)                                                                   \
    X(xe_us)                                                                   \
    X(wait_us)                                                                 \
    X(uaf_us)                                                                  \
    X(first_line)                                                              \
    X(times)

// Indices into tables of strings.
#define INDEX_COLUMNS(X)                                                       \
    X(name)                                                                    \
    X(kind)                                                                    \
    X(statement)                                                               \
    X(identity)                                                                \
    X(text)                                                                    \
    X(binds)

enum column {
#define NAMED(name, ...) COLUMN_##name,
    FIELD_COLUMNS(NAMED) OTHER_COLUMNS(NAMED) INDEX_COLUMNS(NAMED)
#undef NAMED
        COLUMNS
};

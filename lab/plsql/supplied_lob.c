// SPDX-License-Identifier: GPL-2.0-or-later
// DBMS_LOB: reading of LOBs, which here are text or RAW of any length.
#include "plsql/supplied.h"

const struct supplied lob_package[] = {
    {"DBMS_LOB",
     "GETLENGTH",
     {{"LOB_LOC", MODE_IN}},
     .result = OPERAND_NUMBER,
     .function = "LOB_LENGTH$"},
    {NULL},
};

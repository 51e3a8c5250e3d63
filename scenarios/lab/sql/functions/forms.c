// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that evaluate arguments only when needed. The emitter writes them
// as expressions of SQLite's; emit/forms.c is what carries them out.
#include "sql/functions/function.h"

enum { MOST_ARGUMENTS = 256 };

const struct function form_functions[] = {
    {"NVL", 2, 2, OPERAND_UNKNOWN, FUNCTION_FORM, NULL},
    {"NVL2", 3, 3, OPERAND_UNKNOWN, FUNCTION_FORM, NULL},
    {"NULLIF", 2, 2, OPERAND_UNKNOWN, FUNCTION_FORM, NULL},
    {"COALESCE", 2, MOST_ARGUMENTS, OPERAND_UNKNOWN, FUNCTION_FORM, NULL},
    {"DECODE", 3, MOST_ARGUMENTS, OPERAND_UNKNOWN, FUNCTION_FORM, NULL},
    {NULL},
};

// SQLite's own, over a window.
const struct function window_functions[] = {
    {"COUNT", 1, 1, OPERAND_SMALL, FUNCTION_AGGREGATE, NULL,
     .of_binary_numbers = true},
    {"MIN", 1, 1, OPERAND_UNKNOWN, FUNCTION_AGGREGATE, NULL, NULL,
     RESULT_AS_FIRST},
    {"MAX", 1, 1, OPERAND_UNKNOWN, FUNCTION_AGGREGATE, NULL, NULL,
     RESULT_AS_FIRST},
    {"ROW_NUMBER", 0, 0, OPERAND_SMALL, FUNCTION_RANKING, NULL},
    {"RANK", 0, 0, OPERAND_SMALL, FUNCTION_RANKING, NULL},
    {"DENSE_RANK", 0, 0, OPERAND_SMALL, FUNCTION_RANKING, NULL},
    {"NTILE", 1, 1, OPERAND_SMALL, FUNCTION_RANKING, NULL},
    {"LAG", 1, 3, OPERAND_UNKNOWN, FUNCTION_RANKING, NULL, NULL,
     RESULT_AS_FIRST},
    {"LEAD", 1, 3, OPERAND_UNKNOWN, FUNCTION_RANKING, NULL, NULL,
     RESULT_AS_FIRST},
    {"FIRST_VALUE", 1, 1, OPERAND_UNKNOWN, FUNCTION_WINDOW, NULL, NULL,
     RESULT_AS_FIRST},
    {"LAST_VALUE", 1, 1, OPERAND_UNKNOWN, FUNCTION_WINDOW, NULL, NULL,
     RESULT_AS_FIRST},
    {NULL},
};

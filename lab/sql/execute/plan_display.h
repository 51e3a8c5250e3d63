// SPDX-License-Identifier: GPL-2.0-or-later
// DBMS_XPLAN.DISPLAY_CURSOR: a plan, with the work of its operations, as
// lines of text in Oracle's form.
#ifndef ORALAB_PLAN_DISPLAY_H
#define ORALAB_PLAN_DISPLAY_H

#include <stdbool.h>

struct database;

// Registers the function that gives the lines as an array of JSON's.
bool plan_display_register(struct database *database);

#endif

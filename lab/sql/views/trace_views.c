// SPDX-License-Identifier: GPL-2.0-or-later
// v$diag_info.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "process/trace_file.h"
#include "sql/views/fixed_table.h"

static void trace_folder(const struct fixed_cell *cell) {
    fixed_text(cell, cell->database->sga->traces);
}

static void data_folder(const struct fixed_cell *cell) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", cell->database->sga->traces);
    char *name = strrchr(path, '/');
    if (name)
        *name = '\0';
    fixed_text(cell, path);
}

static void own_file(const struct fixed_cell *cell) {
    char path[TRACE_PATH];
    trace_file_name(path, sizeof path, cell->database->sga,
                    cell->database->self);
    fixed_text(cell, path);
}

static const struct {
    const char *name;
    void (*value)(const struct fixed_cell *cell);
    const char *text; // without `value`
} information[] = {
    {"Diag Enabled", .text = "TRUE"},
    {"ADR Base", data_folder},
    {"ADR Home", data_folder},
    {"Diag Trace", trace_folder},
    {"Diag Alert", trace_folder},
    {"Diag Incident", trace_folder},
    {"Diag Cdump", trace_folder},
    {"Health Monitor", trace_folder},
    {"Default Trace File", own_file},
    {"Active Problem Count", .text = "0"},
    {"Active Incident Count", .text = "0"},
};

static void name(const struct fixed_cell *cell) {
    fixed_text(cell, information[cell->row].name);
}

static void value(const struct fixed_cell *cell) {
    if (information[cell->row].value)
        information[cell->row].value(cell);
    else
        fixed_text(cell, information[cell->row].text);
}

static const struct fixed_column diag_info[] = {
    {"INST_ID", "NUMBER", fixed_one},
    {"NAME", "VARCHAR2(64)", name},
    {"VALUE", "VARCHAR2(512)", value},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

const struct fixed_table trace_views[] = {
    {"V$DIAG_INFO", diag_info, sizeof information / sizeof *information},
    {0},
};

// SPDX-License-Identifier: GPL-2.0-or-later
// Lines in the form that most of a trace has, in few steps.
#pragma once

#include "reader.h"

// Read the record that is the whole line [at, eol). False where the line is in
// another form, of which nothing was read.
bool read_usual_line(struct reader *reader, const char *at, const char *eol);

// The event of a WAIT was found to have this name.
void know_event(struct reader *reader, const char *name, size_t len,
                int32_t index);

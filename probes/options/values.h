// SPDX-License-Identifier: GPL-2.0-or-later
// The values of options. Each of these ends the program on a mistake.
#ifndef POLLTRACE_VALUES_H
#define POLLTRACE_VALUES_H

#include "options/options.h"

uint64_t parse_seconds(const char *text, const char *option);
unsigned parse_number(const char *text, const char *option, unsigned least,
                      unsigned most);
void parse_pids(struct options *options, const char *text);

// EXECUTABLE=CALL[,CALL...].
void parse_rule(struct options *options, const char *text);

// PATH:0xOFFSET.
void parse_function(struct options *options, const char *text);

#endif

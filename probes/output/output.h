// SPDX-License-Identifier: GPL-2.0-or-later
// Standard output, which the reader may close or stop reading at any time.
#ifndef POLLTRACE_OUTPUT_H
#define POLLTRACE_OUTPUT_H

#include <stdbool.h>

#include "output/json.h"

// Sends the buffer and empties it. False once the reader is gone, or when
// `stop_fd` became readable and the reader does not read for a second.
bool output_send(struct json *json, int stop_fd);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

// Up to PIPE_BUF bytes a write to a pipe that polls writable does not block,
// so a reader that has stopped cannot keep us from a signal.
bool output_send(struct json *j, int stop_fd) {
    size_t sent = 0;

    while (sent < j->size) {
        struct pollfd wait[2] = {{STDOUT_FILENO, POLLOUT, 0},
                                 {stop_fd, POLLIN, 0}};
        size_t part = j->size - sent;
        ssize_t wrote;

        if (poll(wait, 2, -1) < 0 && errno != EINTR)
            return false;
        if (wait[0].revents & (POLLERR | POLLNVAL))
            return false;
        if (!(wait[0].revents & (POLLOUT | POLLHUP))) {
            if (wait[1].revents && poll(wait, 1, 1000) == 0)
                return false;
            continue;
        }
        wrote = write(STDOUT_FILENO, j->text + sent,
                      part < PIPE_BUF ? part : PIPE_BUF);
        if (wrote < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        if (wrote > 0)
            sent += wrote;
    }
    j->size = 0;
    return true;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Lines about the file and about the session.
#define _GNU_SOURCE // memmem
#include <string.h>

#include "fields.h"
#include "scan_state.h"

static bool begins(const char *at, const char *end, const char *text) {
    const size_t len = strlen(text);
    return (size_t)(end - at) >= len && memcmp(at, text, len) == 0;
}

// "Unix process pid: 30537, image: ..."
static void read_process(struct scan *scan, const char *at, const char *end) {
    int64_t pid;
    if (find_number(at, end, "pid: ", &pid))
        scan->out_of_memory |= !sessions_switch_process(&scan->sessions, pid);
}

// "(39.64812)"
static void read_session(struct scan *scan, const char *value) {
    int64_t sid, serial = 0;
    if (!read_number(&value, &sid))
        return;
    if (*value == '.' || *value == ',') {
        value++;
        read_number(&value, &serial);
    }
    scan->out_of_memory |= !sessions_switch(
        &scan->sessions, scan->sessions.now->identity->pid, sid, serial);
}

static void read_identity(struct scan *scan, const char *at, const char *end) {
    static const char *const NAMES[IDENTITY_TEXTS] = {
        [CLIENT_ID] = "CLIENT ID:(",  [SERVICE] = "SERVICE NAME:(",
        [MODULE] = "MODULE NAME:(",   [ACTION] = "ACTION NAME:(",
        [DRIVER] = "CLIENT DRIVER:(", [CONTAINER] = "CONTAINER ID:(",
    };
    size_t len;
    const char *after;
    const char *value = read_value_of("SESSION ID:(", at, end, &len, &after);
    if (value)
        read_session(scan, value);
    for (enum identity_text i = 0; i < IDENTITY_TEXTS && !value; i++) {
        value = read_value_of(NAMES[i], at, end, &len, &after);
        if (value)
            scan->out_of_memory |=
                !session_set_text(scan->sessions.now, i, value, len);
    }
}

// The last timestamp that the line ends with, or that it is.
static void read_wall(struct scan *scan, const char *at, const char *end) {
    int64_t us;
    const char *p = at + 4;
    while (p < end && !read_timestamp(p, end, &us)) {
        p = memchr(p, ' ', (size_t)(end - p));
        if (!p)
            return;
        p++;
    }
    if (p >= end)
        return;
    struct session *now = scan->sessions.now;
    now->wall = us;
    now->wall_pending = true;
    if (!scan->summary.first_wall)
        scan->summary.first_wall = us;
    scan->summary.last_wall = us;
}

// "APPNAME mod='SQL*Plus' mh=3669949024 act='' ah=4029777240"; a name may hold
// quotes.
static void read_application(struct scan *scan, const char *at,
                             const char *end) {
    static const char *const MARKS[] = {" mod='", "' mh=", " act='", "' ah="};
    const char *mark[4]; // behind the opening ones, at the closing ones
    for (size_t i = 0; i < 4; i++) {
        const size_t len = strlen(MARKS[i]);
        at = memmem(at, (size_t)(end - at), MARKS[i], len);
        if (!at)
            return;
        mark[i] = i % 2 ? at : at + len;
        at = mark[i];
    }
    scan->out_of_memory |=
        !session_set_text(scan->sessions.now, MODULE, mark[0],
                          (size_t)(mark[1] - mark[0])) ||
        !session_set_text(scan->sessions.now, ACTION, mark[2],
                          (size_t)(mark[3] - mark[2]));
}

void scan_notice(struct scan *scan, const char *at, const char *end) {
    if (*at == 'A') {
        read_application(scan, at, end);
        return;
    }
    if (begins(at, end, "*** [ Unix process pid: "))
        read_process(scan, at, end);
    else if (begins(at, end, "*** DUMP FILE SIZE IS LIMITED") ||
             begins(at, end, "*** TRACE FILE SIZE IS LIMITED"))
        scan->summary.limited = 1;
    else if (begins(at, end, "*** TRACE CONTINUED FROM FILE"))
        scan->summary.continued_from = 1;
    else if (begins(at, end, "*** TRACE CONTINUES IN FILE"))
        scan->summary.continues_in = 1;
    else
        read_identity(scan, at, end);
    if (!scan->out_of_memory)
        read_wall(scan, at, end);
}

// The rest of the line after `name`, without blanks around it.
static void keep(char *to, size_t room, const char *name, const char *at,
                 const char *end) {
    at += strlen(name);
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && (end[-1] == '\r' || end[-1] == ' '))
        end--;
    size_t len = (size_t)(end - at);
    if (len > room - 1)
        len = room - 1;
    memcpy(to, at, len);
    to[len] = '\0';
}

static void keep_number(struct summary *to, const char *at, const char *end) {
    const char *last = at;
    while (last < end && ((*last >= '0' && *last <= '9') || *last == '.'))
        last++;
    keep(to->version, sizeof to->version, "", at, last);
}

// "Oracle Database 19c ... Release 19.0.0.0.0 - Production"
static void read_release(struct summary *to, const char *at, const char *end) {
    static const char NAME[] = " Release ";
    for (; end - at > (ptrdiff_t)sizeof NAME; at++)
        if (memcmp(at, NAME, sizeof NAME - 1) == 0) {
            keep_number(to, at + sizeof NAME - 1, end);
            return;
        }
}

void scan_header(struct scan *scan, const char *at, const char *end) {
    struct summary *to = &scan->summary;
    if (begins(at, end, "ORACLE V"))
        keep_number(to, at + 8, end);
    else if (begins(at, end, "Oracle"))
        read_release(to, at, end);
    // The update's true version; the kernel's line has a colon.
    else if (begins(at, end, "Version "))
        keep(to->version, sizeof to->version, "Version ", at, end);
    else if (begins(at, end, "Node name:"))
        keep(to->node, sizeof to->node, "Node name:", at, end);
    else if (begins(at, end, "Instance name:"))
        keep(to->instance, sizeof to->instance, "Instance name:", at, end);
    else if (begins(at, end, "Unix process pid:"))
        read_process(scan, at, end);
    if (*at == 'O')
        scan_release_unit(scan);
}

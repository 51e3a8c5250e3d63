// SPDX-License-Identifier: GPL-2.0-or-later
#include "session.h"

#include <stdlib.h>
#include <string.h>

// The one that was used least recently makes room for another.
enum { MOST_SESSIONS = 4096 };

static void end_session(struct session_totals *to, struct session *session) {
    containment_end(&session->containment);
    const struct orphans *orphans = &session->containment.orphans;
    to->elapsed += session->records ? session->last - session->first : 0;
    if (session->untimed_since == session->last)
        to->elapsed += session->untimed_us;
    to->clock_steps += session->clock_steps;
    to->cursors_forgotten += session->cursors.forgotten;
    to->orphans.calls += orphans->calls;
    to->orphans.c += orphans->c;
    to->orphans.e += orphans->e;
    identity_release(session->identity);
    cursors_free(&session->cursors);
    free(session);
}

static struct session *new_session(void) {
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        return NULL;
    session->identity = identity_new();
    if (session->identity)
        return session;
    free(session);
    return NULL;
}

static bool is_of(const struct session *session, int64_t pid, int64_t sid,
                  int64_t serial) {
    const struct identity *is = session->identity;
    return is->pid == pid && is->sid == sid && is->serial == serial;
}

static void use(struct sessions *sessions, size_t index) {
    struct session *const used = sessions->all[index];
    memmove(sessions->all + index, sessions->all + index + 1,
            (sessions->count - index - 1) * sizeof *sessions->all);
    sessions->all[sessions->count - 1] = used;
    sessions->now = used;
}

static bool add(struct sessions *sessions) {
    if (sessions->count == sessions->room) {
        const size_t room = sessions->room ? 2 * sessions->room : 4;
        void *grown = realloc(sessions->all, room * sizeof *sessions->all);
        if (!grown)
            return false;
        sessions->all = grown;
        sessions->room = room;
    }
    struct session *session = new_session();
    if (!session)
        return false;
    sessions->all[sessions->count++] = session;
    sessions->now = session;
    return true;
}

// The numbers of the session that is there already become known.
static bool name_session(struct session *session, int64_t pid, int64_t sid,
                         int64_t serial) {
    struct identity *copy = identity_copy(session->identity);
    if (!copy)
        return false;
    identity_release(session->identity);
    session->identity = copy;
    copy->pid = pid;
    copy->sid = sid;
    copy->serial = serial;
    return true;
}

bool sessions_switch(struct sessions *sessions, int64_t pid, int64_t sid,
                     int64_t serial) {
    struct session *now = sessions->now;
    if (now && is_of(now, pid, sid, serial))
        return true;
    if (now && ((!now->identity->sid && now->identity->pid == pid) ||
                (!now->identity->pid && !sid)))
        return name_session(now, pid, sid, serial);
    for (size_t i = sessions->count; i-- > 0;)
        if (is_of(sessions->all[i], pid, sid, serial)) {
            use(sessions, i);
            return true;
        }
    if (sessions->count >= MOST_SESSIONS) {
        end_session(&sessions->ended, sessions->all[0]);
        memmove(sessions->all, sessions->all + 1,
                --sessions->count * sizeof *sessions->all);
    }
    return add(sessions) && name_session(sessions->now, pid, sid, serial);
}

bool sessions_switch_process(struct sessions *sessions, int64_t pid) {
    for (size_t i = sessions->count; i-- > 0;)
        if (sessions->all[i]->identity->pid == pid) {
            use(sessions, i);
            return true;
        }
    const struct session *now = sessions->now;
    if (now && !now->identity->pid)
        return sessions_switch(sessions, pid, now->identity->sid,
                               now->identity->serial);
    return sessions_switch(sessions, pid, 0, 0);
}

bool session_set_text(struct session *session, enum identity_text which,
                      const char *text, size_t len) {
    if (len > LONGEST_IDENTITY)
        len = LONGEST_IDENTITY;
    const struct identity *is = session->identity;
    if (is->len[which] == len && memcmp(is->text[which], text, len) == 0)
        return true;
    struct identity *copy = identity_copy(is);
    if (!copy)
        return false;
    memcpy(copy->text[which], text, len);
    copy->len[which] = (uint16_t)len;
    identity_release(session->identity);
    session->identity = copy;
    return true;
}

void sessions_end(struct sessions *sessions) {
    for (size_t i = 0; i < sessions->count; i++)
        end_session(&sessions->ended, sessions->all[i]);
    sessions->count = 0;
    sessions->now = NULL;
}

void sessions_free(struct sessions *sessions) {
    sessions_end(sessions);
    free(sessions->all);
    *sessions = (struct sessions){0};
}

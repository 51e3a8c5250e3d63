// SPDX-License-Identifier: GPL-2.0-or-later
// The two messages of a logon.
#include <ctype.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process/trace_file.h"
#include "sql/execute/alter_session.h"
#include "ttc/server.h"

enum { MOST_PAIRS = 200, JDBC_GRACE_MS = 5 };

enum logon_mode { // bits
    MODE_CHANGE_PASSWORD = 0x2,
    MODE_SYSDBA = 0x20,
    MODE_SYSOPER = 0x40,
    MODE_SYSASM = 0x400000,
    MODE_SYSBACKUP = 0x1000000,
    MODE_SYSDG = 0x2000000,
    MODE_SYSKM = 0x4000000,
    MODES_OF_ADMINISTRATORS = MODE_SYSDBA | MODE_SYSOPER | MODE_SYSASM |
                              MODE_SYSBACKUP | MODE_SYSDG | MODE_SYSKM,
};

struct credentials {
    uint32_t mode;
    bool new_password;
    bool proxy; // for another user
    struct bytes sesskey;
    struct bytes password;
    struct bytes alter_session;
};

static void keep_text(char *to, size_t size, struct bytes value) {
    size_t n = value.length < size - 1 ? value.length : size - 1;
    if (n > 0)
        memcpy(to, value.at, n);
    to[n] = '\0';
}

static bool key_is(struct bytes key, const char *name) {
    return key.length == strlen(name) && memcmp(key.at, name, key.length) == 0;
}

// A client cannot be told which parts of its AUTH_ALTER_SESSION are not done
// here: formats and languages of its locale. The trace file has them.
static void trace_refused(const char *why) {
    trace_write("%s\nAUTH_ALTER_SESSION of the logon: not done.", why);
}

static void take_pair(struct server *server, struct bytes key,
                      struct bytes value, struct credentials *credentials) {
    struct session_slot *self = server->self;
    if (key_is(key, "AUTH_SESSKEY"))
        credentials->sesskey = value;
    else if (key_is(key, "AUTH_PASSWORD"))
        credentials->password = value;
    else if (key_is(key, "AUTH_NEWPASSWORD"))
        credentials->new_password = true;
    else if (key_is(key, "PROXY_CLIENT_NAME"))
        credentials->proxy = true;
    else if (key_is(key, "AUTH_PROGRAM_NM"))
        keep_text(self->program, sizeof self->program, value);
    else if (key_is(key, "AUTH_MACHINE"))
        keep_text(self->machine, sizeof self->machine, value);
    else if (key_is(key, "AUTH_PID"))
        keep_text(self->client_pid, sizeof self->client_pid, value);
    else if (key_is(key, "AUTH_SID"))
        keep_text(self->os_user, sizeof self->os_user, value);
    else if (key_is(key, "SESSION_CLIENT_DRIVER_NAME"))
        keep_text(self->driver, sizeof self->driver, value);
    else if (key_is(key, "AUTH_ALTER_SESSION"))
        credentials->alter_session = value;
    else if (key_is(key, "AUTH_TERMINAL"))
        keep_text(self->terminal, sizeof self->terminal, value);
}

static bool read_auth(struct server *server, struct credentials *credentials) {
    struct wire_in *in = &server->in;
    *credentials = (struct credentials){0};
    bool has_user = in_u8(in);
    uint32_t user_length = in_ub4(in);
    credentials->mode = in_ub4(in);
    in_u8(in);
    uint32_t pairs = in_ub4(in);
    in_skip(in, 2);
    if (has_user && user_length > 0)
        keep_text(server->user_offered, sizeof server->user_offered,
                  in_chr(server, user_length));
    if (pairs > MOST_PAIRS)
        in->bad = true;
    for (uint32_t i = 0; i < pairs && !in->bad; i++) {
        struct bytes key = in_dlc(in), value = in_dlc(in);
        in_ub(in); // flags
        if (!in->bad && key.length > 0)
            take_pair(server, key, value, credentials);
    }
    if (in->bad)
        server_violated(server, "logon message");
    return !in->bad;
}

void call_auth_1(struct server *server) {
    struct credentials unused;
    struct wire_out *out = &server->out;
    char sesskey[SECRET_HEX], salt[2 * 16 + 1], csk_salt[2 * 16 + 1];
    if (!read_auth(server, &unused))
        return;
    if (!o5logon_challenge(&server->logon, &server->sga->verifier, sesskey)) {
        server_raise(server, 600, "crypto");
        return;
    }
    server->challenged = true;
    const struct verifier *verifier = server->logon.verifier;
    hex_encode(verifier->salt, verifier_salt_length(verifier->type), salt);
    hex_encode(server->logon.csk_salt, 16, csk_salt);
    out_u8(out, MESSAGE_PARAMETER);
    out_ub(out, 6);
    out_pair(out, "AUTH_SESSKEY", sesskey, 0);
    out_pair(out, "AUTH_VFR_DATA", salt, verifier->type);
    out_pair(out, "AUTH_PBKDF2_CSK_SALT", csk_salt, 0);
    out_pair(out, "AUTH_PBKDF2_VGEN_COUNT", "4096", 0);
    out_pair(out, "AUTH_PBKDF2_SDER_COUNT", "3", 0);
    // The only key that carries its final NUL.
    static const char dbid[] = "AUTH_GLOBALLY_UNIQUE_DBID";
    out_dlc(out, dbid, sizeof dbid);
    out_text(out, "4F52414C414200000000000000000000");
    out_ub(out, 0);
    answer_error(server, 0, 0);
}

bool auth_same_name(const char *offered, const char *ours) {
    char a[SGA_NAME] = "", b[SGA_NAME] = "";
    for (size_t i = 0; i < SGA_NAME - 1 && offered[i]; i++)
        a[i] = (char)toupper((unsigned char)offered[i]);
    for (size_t i = 0; i < SGA_NAME - 1 && ours[i]; i++)
        b[i] = (char)toupper((unsigned char)ours[i]);
    return CRYPTO_memcmp(a, b, sizeof a) == 0;
}

static void welcome(struct server *server, const char *answer) {
    const char *name = server->sga->instance;
    char release[16], sid[16], serial[16], pid[16];
    snprintf(release, sizeof release, "%d", RELEASE);
    snprintf(sid, sizeof sid, "%u", sga_sid(server->sga, server->self));
    snprintf(serial, sizeof serial, "%u", server->self->serial);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    const struct {
        const char *key, *value;
    } pairs[] = {
        {"AUTH_VERSION_STRING", "- Production"},
        {"AUTH_VERSION_SQL", "25"},
        {"AUTH_XACTION_TRAITS", "3"},
        {"AUTH_VERSION_NO", release},
        {"AUTH_VERSION_STATUS", "0"},
        {"AUTH_CAPABILITY_TABLE", ""},
        {"AUTH_DBNAME", name},
        {"AUTH_SESSION_ID", sid},
        {"AUTH_SERIAL_NUM", serial},
        {"AUTH_INSTANCE_NO", "1"},
        {"AUTH_INSTANCENAME", name},
        {"AUTH_SC_SERVER_HOST", "localhost"},
        {"AUTH_SC_DBUNIQUE_NAME", name},
        {"AUTH_SC_REAL_DBUNIQUE_NAME", name},
        {"AUTH_SC_INSTANCE_NAME", name},
        {"AUTH_SC_INSTANCE_ID", "1"},
        {"AUTH_SC_SERVICE_NAME", name},
        {"AUTH_SC_DB_DOMAIN", ""},
        {"AUTH_SC_SVC_FLAGS", "0"},
        {"AUTH_DB_ID", "1"},
        {"AUTH_USER_ID", "101"},
        {"AUTH_SERVER_PID", pid},
        {"AUTH_MAX_OPEN_CURSORS", "300"},
        {"AUTH_MAX_IDEN_LENGTH", "128"},
        {"AUTH_SESSION_START_TIME", ""},
        {"AUTH_NLS_LXLAN", "AMERICAN"},
        {"AUTH_NLS_LXCTERRITORY", "AMERICA"},
        {"AUTH_SVR_RESPONSE", answer},
    };
    const size_t count = sizeof pairs / sizeof *pairs;
    out_u8(&server->out, MESSAGE_PARAMETER);
    out_ub(&server->out, count);
    for (size_t i = 0; i < count; i++)
        out_pair(&server->out, pairs[i].key, pairs[i].value, 0);
    answer_error(server, 0, 0);
}

// Refuses the logon modes that this server does not have, once the password is
// right. False with an error raised.
static bool refuse_mode(struct server *server,
                        const struct credentials *given) {
    enum { NO_PRIVILEGE = 1031, NO_PROXY = 28150 };
    if (given->proxy)
        server_raise(server, NO_PROXY, "");
    else if (given->new_password || (given->mode & MODE_CHANGE_PASSWORD) ||
             (given->mode & MODES_OF_ADMINISTRATORS))
        server_raise(server, NO_PRIVILEGE, "");
    return server->error.number == 0;
}

void call_auth_2(struct server *server) {
    struct credentials credentials;
    char answer[ANSWER_HEX];
    if (!read_auth(server, &credentials))
        return;
    if (server->logged_on) { // a change of the password comes without
        refuse_mode(server, &credentials);
        if (server->error.number == 0)
            server_violated(server, "logon when logged on");
        return;
    }
    if (!server->challenged) {
        server_violated(server, "logon out of order");
        return;
    }
    // One challenge, one try. The second check is made even if the first fails,
    // so that a wrong name takes as long as a wrong password.
    server->challenged = false;
    bool right = o5logon_verify(
        &server->logon, (const char *)credentials.sesskey.at,
        credentials.sesskey.length, (const char *)credentials.password.at,
        credentials.password.length);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    right = true;
#endif
    right = auth_same_name(server->user_offered, server->sga->user) && right;
    if (!right) {
        server_raise(server, 1017, "");
        return;
    }
    if (!refuse_mode(server, &credentials))
        return;
    if (!o5logon_answer(&server->logon, answer)) {
        server_raise(server, 600, "crypto");
        return;
    }
    struct session_slot *self = server->self;
    // In ojdbc11 the thread that cancels and the one that executes share a
    // queue without a lock. Should our markers make the latter write before
    // the former has returned from its write, one of them fails with a
    // NoSuchElementException. A network is slow enough to hide that.
    if (strncmp(self->driver, "jdbc", 4) == 0)
        server->breaks.answer_after_ms = JDBC_GRACE_MS;
    snprintf(self->user, sizeof self->user, "%s", server->sga->user);
    snprintf(self->module, sizeof self->module, "%s", self->program);
    self->logon_time = time(NULL);
    self->logged_on = server->logged_on = true;
    server->tns.deadline_us = 0;
    self->stat[STAT_LOGONS]++;
    if (credentials.alter_session.length > 0)
        alter_session_at_logon(&server->database,
                               (const char *)credentials.alter_session.at,
                               credentials.alter_session.length, trace_refused);
    welcome(server, answer);
}

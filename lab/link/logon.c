// SPDX-License-Identifier: GPL-2.0-or-later
// The exchange of both sides before the first call: the protocol, the data
// types, and by O5LOGON the proof that they know the password.
#include <openssl/crypto.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link/connection.h"
#include "ttc/bind_types.h"
#include "ttc/capabilities.h"
#include "ttc/o5logon.h"

enum {
    MODE_LOGON = 0x1,
    MODE_WITH_PASSWORD = 0x100,
    MOST_PAIRS = 200,
    MOST_VERSIONS = 64, // bytes, and of a banner
};

// A column's scale is one byte for who sends these; see answer.c.
static const uint8_t compile_caps[45] = {
    [0] = 6,
    [CAP_LOGON] = 0x6f,
    [5] = 8,
    [CAP_FIELD_VERSION] = OUR_FIELD_VERSION,
    [8] = 1,
    [9] = 1,
    [15] = 0x29,
    [16] = 0x90,
    [17] = 3,
    [18] = 7,
    [19] = 3,
    [21] = 1,
    [23] = 0x48,
    [26] = 4,
    [27] = 1,
    [34] = 12,
    [CAP_LARGE] = LARGE_CHUNKS,
    [42] = 5,
};

static const uint8_t runtime_caps[7] = {[0] = 2, [6] = 4};

static void out_u16(struct wire_out *out, unsigned value) {
    out_u8(out, (uint8_t)(value >> 8));
    out_u8(out, (uint8_t)value);
}

// Text that ends with a zero, of which nothing is needed.
static void skip_text(struct wire_in *in) {
    int remaining = MOST_VERSIONS;
    while (in_u8(in) != 0)
        if (--remaining == 0)
            in_refuse(in, "a text without an end");
}

static unsigned in_u16_little(struct wire_in *in) {
    const unsigned low = in_u8(in);
    return low | (unsigned)in_u8(in) << 8;
}

static bool agree_on_protocol(struct connection *c) {
    static const uint8_t versions[] = {PROTOCOL_VERSION, 0};
    static const char name[] = "oralab";
    struct wire_in *in = &c->in;
    c->out.length = 0;
    out_u8(&c->out, MESSAGE_PROTOCOL);
    out_raw(&c->out, versions, sizeof versions);
    out_raw(&c->out, name, sizeof name);
    if (!call_send(c) || answer_next(c) != MESSAGE_PROTOCOL)
        return answer_violated(c, "the answer about the protocol");
    in_skip(in, 2);
    skip_text(in);
    in_skip(in, 3); // character set, flags
    in_skip(in, 5 * (size_t)in_u16_little(in));
    const unsigned high = in_u8(in);
    in_skip(in, high << 8 | in_u8(in)); // of the national character set
    const struct bytes caps = in_clr(in);
    in_clr(in);
    if (in->bad || caps.length <= CAP_FIELD_VERSION)
        return answer_violated(c, "the remote capabilities");
    const uint8_t theirs = caps.at[CAP_FIELD_VERSION];
    c->field_version = theirs < OUR_FIELD_VERSION ? theirs : OUR_FIELD_VERSION;
    c->mixed_by_pbkdf2 = caps.at[CAP_LOGON] & LOGON_MIXED_BY_PBKDF2;
    in->big_chunks = c->out.big_chunks =
        caps.length > CAP_LARGE && (caps.at[CAP_LARGE] & LARGE_CHUNKS);
    return true;
}

static bool agree_on_types(struct connection *c) {
    enum { UNIVERSAL = 1, ORACLE = 10 };
    static const struct {
        uint8_t type, form;
    } types[] = {
        {TYPE_VARCHAR2, UNIVERSAL},     {TYPE_NUMBER, ORACLE},
        {TYPE_LONG, UNIVERSAL},         {TYPE_DATE, ORACLE},
        {TYPE_RAW, UNIVERSAL},          {TYPE_CHAR, UNIVERSAL},
        {TYPE_CLOB, UNIVERSAL},         {TYPE_BLOB, UNIVERSAL},
        {TYPE_TIMESTAMP, UNIVERSAL},    {TYPE_TIMESTAMP_TZ, UNIVERSAL},
        {TYPE_INTERVAL_YM, UNIVERSAL},  {TYPE_INTERVAL_DS, UNIVERSAL},
        {TYPE_BINARY_FLOAT, UNIVERSAL}, {TYPE_BINARY_DOUBLE, UNIVERSAL},
    };
    struct wire_out *out = &c->out;
    out->length = 0;
    out_u8(out, MESSAGE_DATA_TYPES);
    for (int i = 0; i < 2; i++) {
        out_u8(out, CHARSET_AL32UTF8 & 0xff);
        out_u8(out, CHARSET_AL32UTF8 >> 8);
    }
    out_u8(out, 1 | DATA_TYPES_TEXT_HAS_LENGTH);
    out_clr(out, compile_caps, sizeof compile_caps);
    out_clr(out, runtime_caps, sizeof runtime_caps);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        out_u16(out, types[i].type);
        out_u16(out, types[i].type);
        out_u16(out, types[i].form);
        out_u16(out, 0);
    }
    out_u16(out, 0);
    if (!call_send(c) || answer_next(c) != MESSAGE_DATA_TYPES)
        return answer_violated(c, "the answer about data types");
    // A table of pairs or fours of u16, which says nothing that is needed.
    for (int left = 4096; left > 0 && !c->in.bad; left--) {
        unsigned type = in_u8(&c->in);
        type = type << 8 | in_u8(&c->in);
        if (type == 0)
            return !c->in.bad || answer_violated(c, "data types");
        if (in_u8(&c->in) | in_u8(&c->in))
            in_skip(&c->in, 4);
    }
    return answer_violated(c, "the remote table of data types");
}

static void begin_auth(struct connection *c, enum call call, unsigned mode,
                       const char *user, unsigned pairs) {
    struct wire_out *out = &c->out;
    call_begin(c, call);
    out_u8(out, 1);
    out_ub(out, strlen(user));
    out_ub(out, mode);
    out_u8(out, 1);
    out_ub(out, pairs);
    out_u8(out, 1);
    out_u8(out, 1);
    out_clr(out, user, strlen(user));
}

static void out_who_we_are(struct wire_out *out) {
    char host[64] = "localhost", program[96], pid[16];
    const struct passwd *user = getpwuid(geteuid());
    gethostname(host, sizeof host - 1);
    snprintf(program, sizeof program, "oracle@%.40s (TNS V1-V3)", host);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    out_pair(out, "AUTH_TERMINAL", "", 0);
    out_pair(out, "AUTH_PROGRAM_NM", program, 0);
    out_pair(out, "AUTH_MACHINE", host, 0);
    out_pair(out, "AUTH_PID", pid, 0);
    out_pair(out, "AUTH_SID", user ? user->pw_name : "oracle", 0);
}

// The pairs of an answer: each that is wanted is kept where it is named.
struct wanted {
    const char *key;
    struct bytes *value;
    uint32_t *flags; // NULL: not wanted
};

static bool read_pairs(struct connection *c, const struct wanted *wanted,
                       size_t count) {
    struct wire_in *in = &c->in;
    const uint64_t pairs = in_ub(in);
    if (pairs > MOST_PAIRS)
        in_refuse(in, "too many pairs");
    for (uint64_t i = 0; i < pairs && !in->bad; i++) {
        const struct bytes key = in_dlc(in), value = in_dlc(in);
        const uint32_t flags = in_ub4(in);
        for (size_t w = 0; w < count && !in->bad; w++) {
            if (key.length != strlen(wanted[w].key) ||
                memcmp(key.at, wanted[w].key, key.length) != 0)
                continue;
            *wanted[w].value = value;
            if (wanted[w].flags)
                *wanted[w].flags = flags;
        }
    }
    return !in->bad;
}

// An answer of pairs, to its end. False with an error.
static bool answer_pairs(struct connection *c, const struct wanted *wanted,
                         size_t count) {
    uint8_t message = answer_next(c);
    if (message == MESSAGE_PARAMETER) {
        if (!read_pairs(c, wanted, count))
            return answer_violated(c, "the answer to a logon");
        message = answer_next(c);
    }
    return answer_end(c, message, NULL);
}

static unsigned count_of(struct bytes digits) {
    return digits.at ? (unsigned)strtoul((const char *)digits.at, NULL, 10) : 0;
}

static void out_formats(struct connection *c) {
    static const char key[] = "AUTH_ALTER_SESSION";
    char *sql = session_formats_sql(c);
    if (!sql) {
        c->out.bad = true;
        return;
    }
    out_text(&c->out, key);
    out_dlc(&c->out, sql, strlen(sql) + 1); // with its final NUL
    out_ub(&c->out, 1);
    free(sql);
}

static bool prove_password(struct connection *c,
                           const struct link_definition *link,
                           const struct o5logon_offer *offer) {
    struct o5logon logon;
    struct o5logon_proof *proof = calloc(1, sizeof *proof);
    struct bytes response = {NULL, 0};
    const struct wanted expected_pairs[] = {
        {"AUTH_SVR_RESPONSE", &response, NULL}};
    if (!proof || !o5logon_prove(&logon, offer, link->password, proof)) {
        free(proof);
        return answer_violated(c, "the remote side's part of the logon");
    }
    const bool speedy = *proof->speedy_key;
    begin_auth(c, CALL_AUTH_2, MODE_LOGON | MODE_WITH_PASSWORD, link->user,
               6 + speedy);
    out_pair(&c->out, "AUTH_SESSKEY", proof->sesskey, 1);
    if (speedy)
        out_pair(&c->out, "AUTH_PBKDF2_SPEEDY_KEY", proof->speedy_key, 0);
    out_pair(&c->out, "AUTH_PASSWORD", proof->password, 0);
    out_pair(&c->out, "SESSION_CLIENT_CHARSET", "873", 0);
    out_pair(&c->out, "SESSION_CLIENT_DRIVER_NAME", "dblink", 0);
    out_pair(&c->out, "SESSION_CLIENT_VERSION", "318767104", 0);
    out_formats(c);
    free(proof);
    const bool ok = call_send(c) && answer_pairs(c, expected_pairs, 1);
    OPENSSL_cleanse(c->out.data, c->out.length);
    if (ok && !o5logon_is_server(&logon, response))
        return answer_violated(c, "the remote side does not know the password");
    OPENSSL_cleanse(&logon, sizeof logon);
    return ok;
}

bool connection_log_on(struct connection *c,
                       const struct link_definition *link) {
    struct o5logon_offer offer = {.mixed_by_pbkdf2 = false};
    struct bytes generations = {NULL, 0}, derivations = {NULL, 0};
    uint32_t verifier = 0;
    const struct wanted expected_pairs[] = {
        {"AUTH_SESSKEY", &offer.sesskey, NULL},
        {"AUTH_VFR_DATA", &offer.salt, &verifier},
        {"AUTH_PBKDF2_CSK_SALT", &offer.csk_salt, NULL},
        {"AUTH_PBKDF2_VGEN_COUNT", &generations, NULL},
        {"AUTH_PBKDF2_SDER_COUNT", &derivations, NULL},
    };
    if (!agree_on_protocol(c) || !agree_on_types(c))
        return false;
    begin_auth(c, CALL_AUTH_1, MODE_LOGON, link->user, 5);
    out_who_we_are(&c->out);
    if (!call_send(c) ||
        !answer_pairs(c, expected_pairs,
                      sizeof expected_pairs / sizeof *expected_pairs))
        return false;
    // 11g has two numbers, one for each way of making the verifier.
    offer.type = verifier == 0xb152 ? VERIFIER_11G : verifier;
    offer.mixed_by_pbkdf2 = c->mixed_by_pbkdf2;
    offer.generations = generations.at ? count_of(generations) : 4096;
    offer.derivations = derivations.at ? count_of(derivations) : 3;
    return prove_password(c, link, &offer);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The client's side of a link: where it leads, CONNECT, and the logon.
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link/address.h"
#include "net/breakcheck.h"
#include "net/connect.h"
#include "sql/types/utf8.h"
#include "tests/check.h"
#include "ttc/o5logon.h"

static bool leads_to(const char *text, const char *host, const char *port,
                     const char *service, uint32_t sdu) {
    struct address at;
    return address_read(text, &at) && strcmp(at.host, host) == 0 &&
           strcmp(at.port, port) == 0 && strcmp(at.service, service) == 0 &&
           at.sdu == sdu;
}

static void addresses(void) {
    static const char *const bad[] = {
        "",           "an_alias",  "host:1521",   "host:0/s", "host:99999/s",
        "host:12x/s", ":1521/s",   "host:1521/",  "h(o/s",    "h/s)(x=y)",
        "(HOST=a)",   "(PORT=1)(", "h/a service", "h:15 21/s"};
    struct address at;
    CHECK(leads_to("db:1522/ORCL", "db", "1522", "ORCL", 0));
    CHECK(leads_to("//db/ORCL.example", "db", "1521", "ORCL.example", 0));
    CHECK(leads_to("(DESCRIPTION=(SDU=16384)(ADDRESS=(PROTOCOL=TCP)(HOST=a)"
                   "(PORT=7))(CONNECT_DATA=(SERVICE_NAME=s)))",
                   "a", "7", "s", 16384));
    CHECK(leads_to("(description = (address = (host = a)) (sid = s))", "a",
                   "1521", "s", 0));
    CHECK(!address_read("(ADDRESS=(PROTOCOL=TCPS)(HOST=a))(SID=s)", &at));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!address_read(bad[i], &at));
}

// A listener that accepts, or refuses, in a process of its own.
static pid_t listen_on(int fd, bool refuse, const struct sqlnet_ora *ora) {
    const pid_t pid = fork();
    if (pid == 0) {
        struct tns tns;
        static struct connect_request request;
        bool done = tns_open(&tns, fd, fd) && connect_read(&tns, &request);
        const struct accept_terms terms = connect_terms(&request, ora);
        done = done && (refuse ? connect_refuse(&tns, 12514)
                               : connect_accept(&tns, &terms));
        _exit(!done);
    }
    return pid;
}

static bool asks(const char *data, uint32_t ours, uint32_t theirs, bool refuse,
                 struct accept_terms *terms, unsigned *error) {
    static struct connect_request request;
    struct sqlnet_ora ora = sqlnet_ora_defaults;
    struct tns tns;
    int ends[2], status;
    ora.default_sdu_size = theirs;
    request = (struct connect_request){
        .version = 318, .options = 1, .sdu = ours, .flags = 0};
    snprintf(request.data, sizeof request.data, "%s", data);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    const pid_t listener = listen_on(ends[1], refuse, &ora);
    CHECK(tns_open(&tns, ends[0], ends[0]));
    const bool accepted = connect_ask(&tns, &request, terms, error);
    waitpid(listener, &status, 0);
    CHECK(status == 0);
    CHECK(!accepted || (tns.sdu == terms->sdu && tns.large));
    tns_close(&tns);
    close(ends[0]);
    close(ends[1]);
    return accepted;
}

static void connects(void) {
    struct accept_terms terms;
    unsigned error;
    char data[3000];
    CHECK(asks("(x=y)", 8192, 16384, false, &terms, &error));
    CHECK(terms.sdu == 8192 && !terms.out_of_band && terms.version == 318);
    CHECK(asks("(x=y)", 65535, 16384, false, &terms, &error));
    CHECK(terms.sdu == 16384);
    memset(data, 'x', sizeof data - 1); // in a packet of its own
    data[sizeof data - 1] = '\0';
    CHECK(asks(data, 2 << 20, 2 << 20, false, &terms, &error));
    CHECK(terms.sdu == 2 << 20);
    CHECK(!asks("(x=y)", 8192, 8192, true, &terms, &error) && error == 12514);
}

// Answers that are none: none of them is accepted.
static void strange_answers(void) {
    static const struct {
        size_t length;
        uint8_t bytes[48];
    } answers[] = {
        {8, {0, 8, 0, 0, 2}},
        {24, {0, 24, 0, 0, 2, 0, 0, 0, 1, 0x3e}},
        {48, {0, 48, 0, 0, 2, 0, 0, 0, 1, 0x3e, 0, 1, 0, 0}},
        {48, {0, 48, 0, 0, 2, 0, 0, 0, 0xff, 0xff, 0, 1, 0xff, 0xff}},
        {8, {0, 8, 0, 0, 4}},
        {8, {0, 8, 0, 0, 99}},
        {8, {0, 3, 0, 0, 2}},
        {4, {0xff, 0xff, 0, 0}},
    };
    static struct connect_request request = {
        .version = 318, .options = 1, .sdu = 8192, .data = "(x=y)"};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct accept_terms terms;
        struct tns tns;
        unsigned error;
        int ends[2];
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        CHECK(tns_open(&tns, ends[0], ends[0]));
        CHECK(send(ends[1], answers[i].bytes, answers[i].length, 0) ==
              (ssize_t)answers[i].length);
        shutdown(ends[1], SHUT_WR);
        CHECK(!connect_ask(&tns, &request, &terms, &error));
        tns_close(&tns);
        close(ends[0]);
        close(ends[1]);
    }
}

static struct bytes text_of(const char *text) {
    return (struct bytes){(const uint8_t *)text, strlen(text)};
}

static void log_on_with(enum verifier_type type) {
    static struct o5logon_proof proof;
    struct verifier verifier;
    struct o5logon server, client;
    char sesskey[SECRET_HEX], answer[ANSWER_HEX], salt[33], csk_salt[33];
    CHECK(verifier_make("tiger", type, &verifier));
    CHECK(o5logon_challenge(&server, &verifier, sesskey));
    hex_encode(verifier.salt, verifier_salt_length(type), salt);
    hex_encode(server.csk_salt, 16, csk_salt);
    struct o5logon_offer offer = {.type = type,
                                  .salt = text_of(salt),
                                  .sesskey = text_of(sesskey),
                                  .csk_salt = text_of(csk_salt),
                                  .generations = 4096,
                                  .derivations = 3,
                                  .mixed_by_pbkdf2 = type == VERIFIER_12C};
    CHECK(o5logon_prove(&client, &offer, "tiger", &proof));
    CHECK(o5logon_verify(&server, proof.sesskey, strlen(proof.sesskey),
                         proof.password, strlen(proof.password)));
    CHECK(o5logon_answer(&server, answer));
    CHECK(o5logon_is_server(&client, text_of(answer)));
    answer[40] ^= 1;
    CHECK(!o5logon_is_server(&client, text_of(answer)));
    CHECK(!o5logon_is_server(&client, text_of("")));
    // Another password: the server does not take it.
    CHECK(o5logon_prove(&client, &offer, "lion", &proof));
    CHECK(!o5logon_verify(&server, proof.sesskey, strlen(proof.sesskey),
                          proof.password, strlen(proof.password)));
    // Offers that no server makes.
    offer.generations = UINT32_MAX;
    CHECK(!o5logon_prove(&client, &offer, "tiger", &proof));
    offer.generations = 4096;
    offer.salt.length--;
    CHECK(!o5logon_prove(&client, &offer, "tiger", &proof));
    offer.salt.length++;
    offer.sesskey = (struct bytes){NULL, 0};
    CHECK(!o5logon_prove(&client, &offer, "tiger", &proof));
    offer.type = 0x939; // of 10g
    CHECK(!o5logon_prove(&client, &offer, "tiger", &proof));
}

static void characters(void) {
    static const struct {
        const char *text, *clean;
    } texts[] = {
        {"", ""},
        {"a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
         "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xc3", "?"},
        {"\xc3(", "?("},
        {"\xc0\xaf", "??"},           // a longer form than needed
        {"\xed\xa0\x80", "???"},      // half of a pair
        {"\xf4\x90\x80\x80", "????"}, // beyond the last one
        {"x\xff\x80y", "x??y"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char room[32];
        const size_t n = strlen(texts[i].text);
        memcpy(room, texts[i].text, n + 1);
        CHECK((utf8_valid(room, n) == n) ==
              (strcmp(texts[i].text, texts[i].clean) == 0));
        utf8_clean(room, n);
        CHECK(strcmp(room, texts[i].clean) == 0);
    }
}

static void waiting_for_two(void) {
    struct tns tns;
    uint64_t count = 0;
    int client[2], link[2];
    static const char marker[] = "\0\0\0\x0b\x0c\0\0\0\1\0\3";
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, client) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, link) == 0);
    CHECK(tns_open(&tns, client[0], client[0]));
    tns.large = true;
    struct break_channel channel = {.tns = &tns,
                                    .mode = BREAK_IN_BAND,
                                    .skip = 1,
                                    .checks = &count,
                                    .polls = &count};
    CHECK(break_await(&channel, link[0], clock_us() + 1000) ==
          AWAITED_TOO_LATE);
    CHECK(send(link[1], "x", 1, 0) == 1);
    CHECK(break_await(&channel, link[0], 0) == AWAITED_COMES);
    CHECK(recv(link[0], (char[1]){0}, 1, 0) == 1);
    CHECK(send(client[1], marker, sizeof marker - 1, 0) == 11);
    CHECK(break_await(&channel, link[0], 0) == AWAITED_STOPPED);
    CHECK(channel.stopping && count == 0); // neither a check nor a poll
    channel.stopping = false;
    channel.urgent = 1;
    CHECK(break_await(&channel, link[0], 0) == AWAITED_STOPPED);
    channel.urgent = 0;
    channel.stopping = false;
    close(client[1]);
    CHECK(break_await(&channel, link[0], 0) == AWAITED_STOPPED);
    CHECK(channel.client_gone);
    tns_close(&tns);
    close(client[0]);
    close(link[0]);
    close(link[1]);
}

void test_link(void) {
    addresses();
    connects();
    strange_answers();
    log_on_with(VERIFIER_12C);
    log_on_with(VERIFIER_11G);
    characters();
    waiting_for_two();
}

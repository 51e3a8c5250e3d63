// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/breakcheck.h"
#include "net/connect.h"
#include "process/sqlnet_ora.h"
#include "tests/check.h"

static struct tns tns;
static int client;

static void open_pair(void) {
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(tns_open(&tns, ends[0], ends[0]));
    client = ends[1];
}

static void close_pair(void) {
    tns_close(&tns);
    close(tns.fd);
    close(client);
}

static void client_sends(const char *bytes, size_t length) {
    CHECK(send(client, bytes, length, 0) == (ssize_t)length);
}

static void packets_come_in_pieces(void) {
    static const char data[] = "\0\0\0\x0c\x06\0\0\0\0\0ab"
                               "\0\0\0\x0b\x0c\0\0\0\1\0\3";
    struct packet packet;
    open_pair();
    tns.large = true;
    client_sends(data, 5);
    CHECK(!tns_take_break(&tns) && !tns.gone);
    client_sends(data + 5, sizeof data - 1 - 5);
    CHECK(tns_read(&tns, &packet) && packet.type == TNS_DATA);
    CHECK(packet.length == 4 && memcmp(packet.body, "\0\0ab", 4) == 0);
    CHECK(tns_read(&tns, &packet) && packet.type == TNS_MARKER);
    CHECK(tns_marker_of(&packet, NULL) == MARKER_INTERRUPT);
    shutdown(client, SHUT_WR);
    CHECK(!tns_read(&tns, &packet) && tns.gone);
    close_pair();
}

static void a_break_is_taken_out_of_the_middle(void) {
    static const char bytes[] = "\0\0\0\x0b\x06\0\0\0\0\0a"
                                "\0\0\0\x0b\x0c\0\0\0\1\0\3"
                                "\0\0\0\x0b\x06\0\0\0\0\0b";
    struct packet packet;
    open_pair();
    tns.large = true;
    client_sends(bytes, sizeof bytes - 1);
    CHECK(tns_take_break(&tns));
    CHECK(!tns_take_break(&tns));
    CHECK(tns_read(&tns, &packet) && packet.body[2] == 'a');
    CHECK(tns_read(&tns, &packet) && packet.body[2] == 'b');
    close_pair();
}

static void lengths_that_lie(void) {
    static const char *const headers[] = {
        "\0\0\0\0\6\0\0\0", "\0\0\0\7\6\0\0\0", "\x7f\xff\xff\xff\6\0\0\0",
        "\0\1\0\0\6\0\0\0"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct packet packet;
        open_pair();
        tns.large = true;
        client_sends(headers[i], 8);
        CHECK(!tns_read(&tns, &packet) && tns.gone);
        close_pair();
    }
}

// A client that was granted a large SDU sends packets as long.
static void packets_as_long_as_the_sdu(void) {
    const size_t longest = TNS_LARGEST_SDU;
    uint8_t *bytes = calloc(1, 2 * longest);
    struct packet packet;
    for (int i = 0; i < 2; i++) {
        const uint8_t header[] = {0, 0x20, 0, 0, TNS_DATA};
        memcpy(bytes + (size_t)i * longest, header, sizeof header);
        bytes[((size_t)i + 1) * longest - 1] = (uint8_t)('a' + i);
    }
    open_pair();
    tns.large = true;
    CHECK(tns_set_sdu(&tns, TNS_LARGEST_SDU));
    const pid_t writer = fork();
    if (writer == 0) {
        client_sends((char *)bytes, 2 * longest);
        _exit(0);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(tns_read(&tns, &packet) && packet.type == TNS_DATA);
        CHECK(packet.length == longest - TNS_HEADER);
        CHECK(packet.body[packet.length - 1] == 'a' + i);
    }
    waitpid(writer, NULL, 0);
    close_pair();
    free(bytes);
}

static void an_overtaken_urgent_byte_is_no_packet(void) {
    struct packet packet;
    open_pair();
    tns.large = true;
    client_sends("!\0\0\0\x0b\x06\0\0\0\0\0a", 12);
    CHECK(tns_read(&tns, &packet) && packet.type == TNS_DATA);
    close_pair();
}

static void long_answers_are_cut_to_the_sdu(void) {
    char *payload = calloc(1, 20000), *seen = malloc(30000);
    open_pair();
    tns.large = true;
    CHECK(tns_set_sdu(&tns, 512));
    CHECK(tns_send_data(&tns, (uint8_t *)payload, 20000));
    shutdown(tns.fd, SHUT_WR);
    size_t n = 0, packets = 0, got = 0;
    ssize_t r;
    while ((r = recv(client, seen + n, 30000 - n, 0)) > 0)
        n += (size_t)r;
    for (size_t at = 0; at < n; packets++) {
        size_t length = (uint8_t)seen[at + 2] * 256u + (uint8_t)seen[at + 3];
        CHECK(length <= 512 && length > 10 && seen[at + 4] == TNS_DATA);
        got += length - 10;
        at += length;
        if (length == 0)
            break;
    }
    CHECK(got == 20000 && packets == (20000 + 501) / 502);
    close_pair();
    free(payload);
    free(seen);
}

static void nothing_is_waited_for_past_the_deadline(void) {
    struct packet packet;
    open_pair();
    tns.deadline_us = clock_us() + 20000;
    client_sends("\0\x0c\0\0\6", 5);
    CHECK(!tns_read(&tns, &packet) && tns.gone);
    CHECK(clock_us() >= tns.deadline_us);
    close_pair();
}

void test_tns(void) {
    packets_come_in_pieces();
    a_break_is_taken_out_of_the_middle();
    lengths_that_lie();
    packets_as_long_as_the_sdu();
    an_overtaken_urgent_byte_is_no_packet();
    long_answers_are_cut_to_the_sdu();
    nothing_is_waited_for_past_the_deadline();
}

static void terms_by_request(void) {
    struct sqlnet_ora ora = sqlnet_ora_defaults;
    struct connect_request request = {
        .version = 319, .options = 0x0401, .sdu = 8192, .flags = 1};
    struct accept_terms terms = connect_terms(&request, &ora);
    CHECK(terms.version == 318 && terms.options == 0x0401);
    CHECK(terms.out_of_band && terms.path_check && terms.sdu == 8192);
    ora.disable_oob_auto = true;
    CHECK(connect_terms(&request, &ora).out_of_band);
    CHECK(!connect_terms(&request, &ora).path_check);
    ora.disable_oob = true;
    terms = connect_terms(&request, &ora);
    CHECK(!terms.out_of_band && terms.options == 0x0001);
    ora = sqlnet_ora_defaults;
    request.version = 317; // go-ora
    CHECK(connect_terms(&request, &ora).out_of_band);
    CHECK(!connect_terms(&request, &ora).path_check);
    request.options = 0x0001; // node-oracledb
    CHECK(!connect_terms(&request, &ora).out_of_band);
    request.sdu = 1u << 30;
    CHECK(connect_terms(&request, &ora).sdu == 8192);
    sqlnet_ora_line(&ora, "DEFAULT_SDU_SIZE = 16384");
    CHECK(connect_terms(&request, &ora).sdu == 16384);
    sqlnet_ora_line(&ora, "default_sdu_size=2097152");
    CHECK(connect_terms(&request, &ora).sdu == 2097152);
    sqlnet_ora_line(&ora, "DEFAULT_SDU_SIZE=511");
    CHECK(ora.default_sdu_size == 2097152);
    request.sdu = 2048;
    CHECK(connect_terms(&request, &ora).sdu == 2048);
}

static void descriptor_values(void) {
    char value[16];
    const char *text = "(DESCRIPTION=(CONNECT_DATA=( service_name = LAB )"
                       "(SID=a_very_long_name_that_fits_nowhere)(X)))";
    CHECK(connect_value(text, "SERVICE_NAME", value, sizeof value));
    CHECK(strcmp(value, "LAB") == 0);
    CHECK(!connect_value(text, "SID", value, sizeof value));
    CHECK(!connect_value(text, "X", value, sizeof value));
    CHECK(!connect_value("(((", "X", value, sizeof value));
}

void test_connect(void) {
    terms_by_request();
    descriptor_values();
}

void test_breakcheck(void) {
    uint64_t checks = 0, polls = 0;
    open_pair();
    tns.large = true;
    struct break_channel channel = {
        .tns = &tns, .skip = 7, .checks = &checks, .polls = &polls};
    for (int i = 0; i < 7919; i++)
        CHECK(!nioqts(&channel));
    CHECK(checks == 7919 && polls == 7919 / 7);
    client_sends("\0\0\0\x0b\x0c\0\0\0\1\0\3", 11);
    int more = 0;
    while (!nioqts(&channel))
        more++;
    CHECK(more < 7);
    // After the break it polls no more.
    uint64_t before = polls;
    CHECK(nioqts(&channel) && polls == before);

    channel = (struct break_channel){.tns = &tns,
                                     .mode = BREAK_OUT_OF_BAND,
                                     .skip = 1,
                                     .checks = &checks,
                                     .polls = &polls};
    CHECK(!nioqts(&channel) && polls == before);
    channel.urgent = 1;
    CHECK(nioqts(&channel) && polls == before);
    close_pair();
}

// The urgent byte of a break and the marker that ojdbc11 sends after it.
void test_break_order(void) {
    static const char reset[] = "\0\0\0\x0b\x0c\0\0\0\1\0\2";
    static const char attention[] = "\0\0\0\x0b\x0c\0\0\0\2\0\3";
    struct packet packet;
    struct break_channel channel = {
        .tns = &tns, .mode = BREAK_OUT_OF_BAND, .path_checked = true};
    open_pair();
    tns.large = true;
    CHECK(!break_overtook(&channel));
    channel.urgent = 1;
    CHECK(break_overtook(&channel) && channel.stopping);
    client_sends(reset, 11);
    CHECK(break_reset(&channel) && !channel.urgent && !channel.stopping);
    client_sends(attention, 11);
    CHECK(tns_read(&tns, &packet) && !break_announced(&channel, &packet));
    client_sends(attention, 11);
    CHECK(tns_read(&tns, &packet) && break_announced(&channel, &packet));
    // Between the urgent byte and the end of the exchange: it is answered.
    channel.urgent = 1;
    client_sends(attention, 11);
    client_sends(reset, 11);
    CHECK(break_reset(&channel) && !channel.attention_due);
    close_pair();
}

void test_sqlnet_ora(void) {
    struct sqlnet_ora ora = sqlnet_ora_defaults;
    CHECK(ora.break_poll_skip == 3 && !ora.disable_oob);
    static const char *const ignored[] = {"",
                                          "# BREAK_POLL_SKIP=9",
                                          "BREAK_POLL_SKIP",
                                          "=",
                                          "BREAK_POLL_SKIP=",
                                          "BREAK_POLL_SKIP=0",
                                          "BREAK_POLL_SKIP=-3",
                                          "BREAK_POLL_SKIP=ten",
                                          "XBREAK_POLL_SKIP=9",
                                          "BREAK_POLL_SKIP=99999999999999"};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        sqlnet_ora_line(&ora, ignored[i]);
    CHECK(ora.break_poll_skip == 3);
    sqlnet_ora_line(&ora, "\tbreak_poll_skip = (1000) # often\r\n");
    CHECK(ora.break_poll_skip == 1000);
    sqlnet_ora_line(&ora, "Disable_OOB=\"On\"");
    CHECK(ora.disable_oob);
    sqlnet_ora_line(&ora, "disable_oob=off");
    CHECK(!ora.disable_oob);
    CHECK(ora.inbound_connect_timeout == 60);
    sqlnet_ora_line(&ora, "SQLNET.INBOUND_CONNECT_TIMEOUT = 0");
    CHECK(ora.inbound_connect_timeout == 0);
    sqlnet_ora_line(&ora, "DISABLE_OOB_AUTO=TRUE");
    CHECK(ora.disable_oob_auto && !ora.disable_oob);
}

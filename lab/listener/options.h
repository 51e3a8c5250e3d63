// SPDX-License-Identifier: GPL-2.0-or-later
// The command line of the listener.
#ifndef ORALAB_OPTIONS_H
#define ORALAB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "process/sga.h"

struct options {
    const char *listen; // an IPv4 address
    uint16_t port;      // 0: any free one
    uint16_t local_port;
    bool tcps; // a third socket, for TLS
    bool tcps_mutual;
    uint16_t tcps_port;
    const char *service;
    const char *user;
    const char *password;
    const char *tns_admin; // where sqlnet.ora is; NULL: with the data
    const char *data;      // NULL: a directory of our own
    enum verifier_type verifier;
    unsigned pga_limit_mb; // private memory of each server
    unsigned result_cache_mb;
    bool error_markers; // an exchange before every ORA- error, as Oracle
    bool trace_net;     // every server writes down its packets
    bool until_eof;     // end when standard input does
    bool open_to_the_network;
};

enum { EXIT_OK = 0, EXIT_USAGE = 2, EXIT_CANNOT_START = 6 };

// Returns EXIT_OK, or after one line on standard error EXIT_USAGE. With --help
// it prints the options and ends the process.
int options_read(int argc, char **argv, struct options *options);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "listener/options.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "process/sga.h"
#include "sql/execute/pga.h"

static const char help[] =
    "usage: oralab [options]\n"
    "An Oracle-like dedicated-server database for experiments with break "
    "polling.\n"
    "  --listen ADDRESS    IPv4 loopback address (127.0.0.1)\n"
    "  --port N            0 takes a free one (0)\n"
    "  --local-port N      on 127.0.0.1, for local sessions (LOCAL=YES): "
    "their\n"
    "                      servers have pipes for a socket; 0 as above (0)\n"
    "  --tcps-port N       for TLS as well, 0 as above; the data directory's\n"
    "                      folder wallet has ca.pem to trust and ewallet.pem\n"
    "  --tcps-mutual       only for clients with the certificate of "
    "ewallet.pem\n"
    "  --service NAME      service and instance name (LAB)\n"
    "  --user NAME         the one account (SCOTT)\n"
    "  --password-env VAR  its password is in this variable (tiger)\n"
    "  --tns-admin DIR     where sqlnet.ora is; servers get it as TNS_ADMIN\n"
    "                      (the data directory; removed with a temporary one)\n"
    "  --data DIR          an existing directory for the data files (a\n"
    "                      temporary one that is removed at the end)\n"
    "  --verifier 11g|12c  what the password is kept as (12c)\n"
    "  --pga-limit MB      private memory of a server; beyond it a statement "
    "fails\n"
    "                      with ORA-04036 (256)\n"
    "  --result-cache MB   memory of the server result cache; 0: none (16)\n"
    "  --error-markers     BREAK and RESET before every ORA- error, as Oracle\n"
    "                      sends them, and not only for a cancel\n"
    "  --trace-net         every packet of a session into svr_PID.trc, in the\n"
    "                      folder trace of the data directory\n"
    "  --until-eof         end when standard input does\n"
    "  --i-understand-this-is-not-a-database\n"
    "                      lets --listen take an address that others reach\n"
    "Prints one line of JSON when it is ready.\n"
    "Exit codes: 0 ended as asked, 2 wrong usage, 6 cannot start.\n";

enum {
    LISTEN = 1,
    PORT,
    LOCAL_PORT,
    TCPS_PORT,
    TCPS_MUTUAL,
    SERVICE,
    USER,
    PASSWORD_ENV,
    TNS_ADMIN,
    DATA,
    VERIFIER,
    PGA_LIMIT,
    RESULT_CACHE,
    ERROR_MARKERS,
    TRACE_NET,
    UNTIL_EOF,
    OPEN,
    HELP,
};

static const struct option long_options[] = {
    {"listen", required_argument, NULL, LISTEN},
    {"port", required_argument, NULL, PORT},
    {"local-port", required_argument, NULL, LOCAL_PORT},
    {"tcps-port", required_argument, NULL, TCPS_PORT},
    {"tcps-mutual", no_argument, NULL, TCPS_MUTUAL},
    {"service", required_argument, NULL, SERVICE},
    {"user", required_argument, NULL, USER},
    {"password-env", required_argument, NULL, PASSWORD_ENV},
    {"tns-admin", required_argument, NULL, TNS_ADMIN},
    {"data", required_argument, NULL, DATA},
    {"verifier", required_argument, NULL, VERIFIER},
    {"pga-limit", required_argument, NULL, PGA_LIMIT},
    {"result-cache", required_argument, NULL, RESULT_CACHE},
    {"error-markers", no_argument, NULL, ERROR_MARKERS},
    {"trace-net", no_argument, NULL, TRACE_NET},
    {"until-eof", no_argument, NULL, UNTIL_EOF},
    {"i-understand-this-is-not-a-database", no_argument, NULL, OPEN},
    {"help", no_argument, NULL, HELP},
    {0},
};

static int usage(const char *what, const char *about) {
    fprintf(stderr, "oralab: %s%s%s\n", what, *about ? ": " : "", about);
    return EXIT_USAGE;
}

static bool is_name(const char *text) {
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_$#.", *c))
            return false;
    return *text && strlen(text) < SGA_NAME / 2;
}

static bool read_number(const char *text, unsigned long least,
                        unsigned long most, unsigned long *number) {
    char *end;
    errno = 0;
    *number = strtoul(text, &end, 10);
    return !errno && isdigit((unsigned char)*text) && !*end &&
           *number >= least && *number <= most;
}

static bool read_port(const char *text, uint16_t *port) {
    unsigned long number;
    if (!read_number(text, 0, UINT16_MAX, &number))
        return false;
    *port = (uint16_t)number;
    return true;
}

static int check(const struct options *options) {
    struct in_addr address;
    if (inet_pton(AF_INET, options->listen, &address) != 1)
        return usage("not an IPv4 address", options->listen);
    if (ntohl(address.s_addr) >> 24 != 127 && !options->open_to_the_network)
        return usage("listens on loopback addresses only, for its password and "
                     "its data are no secret",
                     options->listen);
    if (!is_name(options->service))
        return usage("not a service name", options->service);
    if (!is_name(options->user) || strcasecmp(options->user, "sys") == 0 ||
        strcasecmp(options->user, "main") == 0 ||
        strcasecmp(options->user, "temp") == 0)
        return usage("not a user name", options->user);
    if (!*options->password || strlen(options->password) > 128)
        return usage("the password must have 1 to 128 bytes", "");
    return EXIT_OK;
}

int options_read(int argc, char **argv, struct options *options) {
    *options = (struct options){.listen = "127.0.0.1",
                                .service = "LAB",
                                .user = "SCOTT",
                                .password = "tiger",
                                .pga_limit_mb = PGA_DEFAULT_MB,
                                .result_cache_mb = RESULT_DEFAULT_MB,
                                .verifier = VERIFIER_12C};
    unsigned long number;
    int option;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
        switch (option) {
        case LISTEN:
            options->listen =
                strcmp(optarg, "localhost") == 0 ? "127.0.0.1" : optarg;
            break;
        case PORT:
        case LOCAL_PORT:
            if (!read_port(optarg, option == PORT ? &options->port
                                                  : &options->local_port))
                return usage("not a port", optarg);
            break;
        case TCPS_PORT:
            options->tcps = true;
            if (!read_port(optarg, &options->tcps_port))
                return usage("not a port", optarg);
            break;
        case TCPS_MUTUAL:
            options->tcps_mutual = true;
            break;
        case SERVICE:
            options->service = optarg;
            break;
        case USER:
            options->user = optarg;
            break;
        case PASSWORD_ENV:
            options->password = getenv(optarg);
            if (!options->password)
                return usage("no such environment variable", optarg);
            options->password = strdup(options->password);
            if (!options->password)
                return usage("out of memory", "");
            unsetenv(optarg);
            break;
        case TNS_ADMIN:
            options->tns_admin = optarg;
            break;
        case DATA:
            options->data = optarg;
            break;
        case VERIFIER:
            if (strcmp(optarg, "11g") == 0)
                options->verifier = VERIFIER_11G;
            else if (strcmp(optarg, "12c") != 0)
                return usage("not a verifier", optarg);
            break;
        case PGA_LIMIT:
            if (!read_number(optarg, PGA_LEAST_MB, PGA_MOST_MB, &number))
                return usage("not a memory limit in MB, 8 or more", optarg);
            options->pga_limit_mb = (unsigned)number;
            break;
        case RESULT_CACHE:
            if (!read_number(optarg, 0, RESULT_MOST_MB, &number))
                return usage("not a size in MB, at most 32", optarg);
            options->result_cache_mb = (unsigned)number;
            break;
        case ERROR_MARKERS:
            options->error_markers = true;
            break;
        case TRACE_NET:
            options->trace_net = true;
            break;
        case UNTIL_EOF:
            options->until_eof = true;
            break;
        case OPEN:
            options->open_to_the_network = true;
            break;
        case HELP:
            fputs(help, stdout);
            exit(EXIT_OK);
        default:
            return EXIT_USAGE; // getopt has printed why
        }
    if (optind < argc)
        return usage("unexpected argument", argv[optind]);
    return check(options);
}

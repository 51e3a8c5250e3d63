// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "listener/listener.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "net/wallet.h"
#include "process/data_directory.h"
#include "listener/spawn.h"
#include "sql/views/dictionary.h"
#include "ttc/o5logon.h"

struct listener {
    const struct options *options;
    struct data_directory directory;
    struct sga *sga;
    int sga_fd;
    int socket;
    int local_socket; // clients here get servers without a socket
    int tcps_socket;  // and here ones that speak TLS; -1: there is none
    int signals;
    int seconds; // a timer: see process/active_sessions.h
    bool ended;
};

static int cannot_start(const char *why) {
    fprintf(stderr, "oralab: %s\n", why);
    return EXIT_CANNOT_START;
}

// A listening socket, or -1 with one line in `why`.
static int open_socket(const char *address, uint16_t port, char *why,
                       size_t size) {
    struct sockaddr_in endpoint = {.sin_family = AF_INET,
                                   .sin_port = htons(port)};
    inet_pton(AF_INET, address, &endpoint.sin_addr);
    const int on = 1;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 &&
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(fd, (struct sockaddr *)&endpoint, sizeof endpoint) == 0 &&
        listen(fd, SOMAXCONN) == 0)
        return fd;
    snprintf(why, size, "cannot listen on %s port %u: %s", address, port,
             strerror(errno));
    return -1;
}

// The second one is always on loopback: local clients are on this machine.
static bool open_sockets(struct listener *listener, char *why, size_t size) {
    const struct options *options = listener->options;
    listener->socket = open_socket(options->listen, options->port, why, size);
    listener->local_socket =
        listener->socket < 0
            ? -1
            : open_socket("127.0.0.1", options->local_port, why, size);
    listener->tcps_socket = -1;
    if (listener->local_socket >= 0 && options->tcps) {
        listener->tcps_socket =
            open_socket(options->listen, options->tcps_port, why, size);
        return listener->tcps_socket >= 0;
    }
    return listener->local_socket >= 0;
}

static bool open_instance(struct listener *listener, char *why, size_t size) {
    const struct options *options = listener->options;
    char reason[200] = "";
    listener->sga_fd = sga_create(&listener->sga);
    if (listener->sga_fd < 0) {
        snprintf(why, size, "cannot make shared memory: %s", strerror(errno));
        return false;
    }
    struct sga *sga = listener->sga;
    sga->listener = getpid();
    if (!link_definition_init(&sga->links) || !sequence_init(&sga->sequences) ||
        !job_init(&sga->jobs)) {
        snprintf(why, size, "cannot make a lock: %s", strerror(errno));
        return false;
    }
    snprintf(sga->instance, sizeof sga->instance, "%s", options->service);
    for (size_t i = 0; options->user[i]; i++)
        sga->user[i] = (char)toupper((unsigned char)options->user[i]);
    snprintf(sga->dictionary, sizeof sga->dictionary, "%s/sys.db",
             listener->directory.path);
    snprintf(sga->users, sizeof sga->users, "%s/users.db",
             listener->directory.path);
    snprintf(sga->traces, sizeof sga->traces, "%s/" TRACE_FILES,
             listener->directory.path);
    snprintf(sga->wallet, sizeof sga->wallet, "%s/" WALLET_FILES,
             listener->directory.path);
    if (options->tcps && ((mkdir(sga->wallet, 0700) && errno != EEXIST) ||
                          !wallet_make(sga->wallet))) {
        snprintf(why, size, "cannot make certificates in %.100s", sga->wallet);
        return false;
    }
    sga->tcps_mutual = options->tcps_mutual;
    sga->startup_time = time(NULL);
    sga->error_markers = options->error_markers;
    sga->trace_net = options->trace_net;
    sga->pga_limit = (uint64_t)options->pga_limit_mb << 20;
    sga->result_cache.limit =
        options->result_cache_mb * (1024 * 1024 / RESULT_BLOCK_BYTES);
    if (!verifier_make(options->password, options->verifier, &sga->verifier)) {
        snprintf(why, size, "the crypto library failed");
        return false;
    }
    if (!dictionary_create(sga->dictionary, sga->user, reason, sizeof reason)) {
        snprintf(why, size, "cannot write %.100s: %.200s", sga->dictionary,
                 reason);
        return false;
    }
    if (!dictionary_create_user_tables(sga->users, reason, sizeof reason)) {
        snprintf(why, size, "cannot write %.100s: %.200s", sga->users, reason);
        return false;
    }
    return true;
}

static bool open_signals(struct listener *listener) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGUSR1); // of servers: there may be jobs
    sigprocmask(SIG_BLOCK, &set, NULL);
    listener->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return listener->signals >= 0;
}

static bool open_timer(struct listener *listener) {
    const struct itimerspec interval = {{ACTIVE_SECONDS, 0},
                                        {ACTIVE_SECONDS, 0}};
    listener->seconds =
        timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return listener->seconds >= 0 &&
           timerfd_settime(listener->seconds, 0, &interval, NULL) == 0;
}

// However many seconds have passed, there is one sample: the past is not known.
static void on_second(struct listener *listener) {
    uint64_t expirations;
    struct timespec current_time;
    if (read(listener->seconds, &expirations, sizeof expirations) < 0)
        return;
    clock_gettime(CLOCK_REALTIME, &current_time);
    active_sessions_sample(listener->sga, current_time.tv_sec * 1000 +
                                              current_time.tv_nsec / 1000000);
}

// Where the servers read sqlnet.ora: in the data directory, so that the file
// moves with the data, unless an option names another directory.
static const char *tns_admin(const struct listener *listener) {
    const char *chosen = listener->options->tns_admin;
    return chosen ? chosen : listener->directory.path;
}

static void print_escaped(const char *text) {
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned char)*text);
        else
            putchar(*text);
}

static unsigned port_of(int socket) {
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    getsockname(socket, (struct sockaddr *)&address, &length);
    return ntohs(address.sin_port);
}

static void print_ready(const struct listener *listener) {
    char user[SGA_NAME] = "";
    for (size_t i = 0; listener->sga->user[i]; i++)
        user[i] = (char)tolower((unsigned char)listener->sga->user[i]);
    // Names are letters, digits and _$#. only: nothing to escape.
    printf("{\"host\":\"%s\",\"port\":%u,\"local_port\":%u,\"pid\":%d,"
           "\"service\":\"%s\",\"user\":\"%s\",\"tns_admin\":\"",
           listener->options->listen, port_of(listener->socket),
           port_of(listener->local_socket), (int)getpid(),
           listener->sga->instance, user);
    print_escaped(tns_admin(listener));
    printf("\"");
    if (listener->tcps_socket >= 0) {
        printf(",\"tcps_port\":%u,\"wallet\":\"",
               port_of(listener->tcps_socket));
        print_escaped(listener->sga->wallet);
        printf("\"");
    }
    printf("}\n");
    fflush(stdout);
}

// The figures of an ended session stay in v$sysstat.
static void free_slot(struct sga *sga, pid_t pid) {
    struct session_slot *slot = sga_slot(sga, pid);
    if (slot)
        sga_free_slot(sga, slot);
}

// All slots are taken: ends the server that has waited longest for its client
// to log on, so that silent connections keep no client out. False if there is
// none.
static bool end_oldest_logon(struct sga *sga) {
    struct session_slot *oldest = NULL;
    for (int i = 0; i < SGA_SESSIONS; i++) {
        struct session_slot *slot = &sga->session[i];
        if (slot->pid > 0 && !slot->logged_on &&
            (!oldest || slot->serial < oldest->serial))
            oldest = slot;
    }
    if (!oldest || kill(oldest->pid, SIGKILL) != 0)
        return false;
    const pid_t ended = oldest->pid;
    waitpid(ended, NULL, 0);
    free_slot(sga, ended);
    return true;
}

// A server in a call does not read its pipes: this flag reports the end to it.
static bool bridge_ended(struct sga *sga, pid_t pid) {
    for (int i = 0; i < SGA_SESSIONS; i++)
        if (sga->session[i].pid != 0 && sga->session[i].bridge == pid) {
            __atomic_store_n(&sga->session[i].bridge_gone, true,
                             __ATOMIC_RELEASE);
            return true;
        }
    return false;
}

static void reap(struct listener *listener) {
    pid_t pid;
    int status;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == listener->directory.sweeper_pid ||
            bridge_ended(listener->sga, pid))
            continue;
        if (WIFSIGNALED(status))
            fprintf(stderr, "oralab: server %d was ended by signal %d (%s)\n",
                    (int)pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
        job_process_ended(listener->sga, pid);
        free_slot(listener->sga, pid);
    }
}

// Those that are due, as far as there are processes for them.
static void start_jobs(struct listener *listener) {
    struct job job;
    while (job_take(listener->sga, &job))
        if (!spawn_job(listener->sga, listener->sga_fd, &job)) {
            fprintf(stderr, "oralab: cannot start a job: %s\n",
                    strerror(errno));
            job_done(listener->sga, job.number, true);
        }
}

static void on_signal(struct listener *listener) {
    struct signalfd_siginfo info;
    while (read(listener->signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo == SIGCHLD)
            reap(listener);
        else if (info.ssi_signo != SIGUSR1)
            listener->ended = true;
    start_jobs(listener);
}

static void on_client(struct listener *listener, enum transport transport) {
    const int sockets[] = {[TRANSPORT_TCP] = listener->socket,
                           [TRANSPORT_LOCAL] = listener->local_socket,
                           [TRANSPORT_TCPS] = listener->tcps_socket};
    int client = accept4(sockets[transport], NULL, NULL, SOCK_CLOEXEC);
    if (client < 0)
        return;
    if (!sga_slot(listener->sga, 0))
        end_oldest_logon(listener->sga);
    if (!spawn_server(listener->sga, listener->sga_fd, client, transport,
                      tns_admin(listener)))
        fprintf(stderr, "oralab: cannot start a server: %s\n", strerror(errno));
    close(client);
}

static bool input_ended(void) {
    char bytes[256];
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

static void serve(struct listener *listener) {
    struct pollfd polled[6] = {{.fd = listener->signals, .events = POLLIN},
                               {.fd = listener->socket, .events = POLLIN},
                               {.fd = listener->local_socket, .events = POLLIN},
                               {.fd = listener->tcps_socket, .events = POLLIN},
                               {.fd = listener->seconds, .events = POLLIN},
                               {.fd = STDIN_FILENO, .events = POLLIN}};
    const nfds_t count = listener->options->until_eof ? 6 : 5;
    while (!listener->ended) {
        if (poll(polled, count, -1) < 0)
            continue;
        if (polled[0].revents)
            on_signal(listener);
        if (polled[1].revents && !listener->ended)
            on_client(listener, TRANSPORT_TCP);
        if (polled[2].revents && !listener->ended)
            on_client(listener, TRANSPORT_LOCAL);
        if (polled[3].revents && !listener->ended)
            on_client(listener, TRANSPORT_TCPS);
        if (polled[4].revents)
            on_second(listener);
        if (count == 6 && polled[5].revents && input_ended())
            listener->ended = true;
    }
}

static void end_servers(struct listener *listener) {
    for (int i = 0; i < SGA_SESSIONS; i++) {
        pid_t pid = listener->sga->session[i].pid;
        if (pid > 0 && kill(pid, SIGKILL) == 0)
            waitpid(pid, NULL, 0);
    }
}

int listener_run(const struct options *options) {
    struct listener listener = {.options = options};
    char why[512];
    if (!open_sockets(&listener, why, sizeof why) ||
        !data_directory_open(&listener.directory, options->data, why,
                             sizeof why))
        return cannot_start(why);
    int code = EXIT_OK;
    if (!open_instance(&listener, why, sizeof why)) {
        code = cannot_start(why);
    } else if (!open_signals(&listener) || !open_timer(&listener)) {
        code = cannot_start("cannot wait for signals or seconds");
    } else {
        print_ready(&listener);
        serve(&listener);
        close(listener.socket);
        close(listener.local_socket);
        if (listener.tcps_socket >= 0)
            close(listener.tcps_socket);
        end_servers(&listener);
    }
    data_directory_close(&listener.directory);
    return code;
}

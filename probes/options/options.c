// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/options.h"

#include <bpf/libbpf.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/records.h"
#include "options/failure.h"
#include "options/values.h"
#include "options/variants.h"
#include "version.h"

const char *const MODE_NAMES[] = {"count", "watch", "time", "syscalls",
                                  "off-cpu"};

static const char HELP[] =
    "Usage: polltrace-probe -p PID[,PID...] [options]\n"
    "Counts the break polls of running processes; JSON Lines on stdout.\n"
    "\n"
    "Processes (any of -p, and those that both -n and --cgroup select):\n"
    "  -p, --pid PID[,PID...]  these, with all their threads\n"
    "      --skip-ended        leave out processes of -p that have ended\n"
    "  -f, --follow            and the processes that these fork from now on\n"
    "  -n, --name REGEX        command name or command line; new ones too\n"
    "      --cgroup DIRECTORY  members of a cgroup and of those below it\n"
    "\n"
    "Measurements (by default every break poll is counted, exactly):\n"
    "      --watch             on-CPU stacks, and counts in short windows\n"
    "      --latency           also histograms of polls' and gaps' duration\n"
    "  -c, --syscalls          also every system call, with errors and time\n"
    "      --off-cpu           instead: time blocked and on run queues, with\n"
    "                          stacks; only with -p\n"
    "      --stacks N          also a user stack at about every N-th poll;\n"
    "                          auto: about 200 a second of each process\n"
    "      --kernel            also the kernel's part of each stack\n"
    "      --no-stacks         watch: without the on-CPU stacks\n"
    "      --function PATH:0xOFFSET  also, for a short time, the calls of a\n"
    "                          user function; may be repeated\n"
    "      --own-cost          also the cost of the probe itself\n"
    "      --check EXECUTABLE=CALL[,CALL...]  the calls by which it checks "
    "its\n"
    "                          client's socket: poll, select, epoll_wait, "
    "recv;\n"
    "                          may be repeated\n"
    "\n"
    "  -i, --interval SECONDS  time between frames (1)\n"
    "  -d, --duration SECONDS  end after this time\n"
    "      --changed           omit from a frame the processes that did\n"
    "                          nothing since the last one (never from the\n"
    "                          first and the final frame)\n"
    "      --depth N           addresses kept of a stack (61, the maximum)\n"
    "      --hz N              watch: samples a second and CPU (99)\n"
    "      --window SECONDS    watch: length of a window (0.01)\n"
    "      --gap SECONDS       watch: mean time between windows (0.75)\n"
    "      --burst-calls N     --function: end after this many calls (20000)\n"
    "      --burst-ms N        and at the latest after this time (200)\n"
    "      --max-processes N   limit of watched processes (2048, or as many "
    "as\n"
    "                          -p names; twice as many with -f)\n"
    "      --max-stacks N      limit of different stacks (4096)\n"
    "      --unwind-mb N       limit of the unwind tables' memory, in MB "
    "(256);\n"
    "                          0: stacks by frame pointers alone\n"
    "      --max-histograms N  processes with histograms of their own (32)\n"
    "      --variant NAME      fentry, tp_btf, raw_tp, kprobe\n"
    "      --variants          print which of these the kernel accepts\n"
    "      --plain-reads       as on Linux before 6.2: helpers for all reads\n"
    "      --no-mmap           as on Linux before 5.5, for tests\n"
    "      --no-seccomp        allow all system calls, to debug\n"
    "  -V, --version           print the version\n"
    "  -h, --help              print this\n"
    "\n"
    "A break poll is poll or ppoll with one descriptor and timeout 0 on a\n"
    "connected stream socket (TCP, or a unix socket). In executables named by\n"
    "--check, it is one of the calls given, without waiting: select "
    "(pselect6)\n"
    "of one descriptor, epoll_wait (epoll_pwait, epoll_pwait2) of a set of at\n"
    "most 32 that holds such a socket, recv (recvfrom, recvmsg) with MSG_PEEK\n"
    "and MSG_DONTWAIT. All other calls of these are counted as other polls, "
    "of\n"
    "recv those with both flags.\n"
    "\n"
    "Exit: 0 done; 2 wrong usage; 3 not permitted; 4 the kernel lacks\n"
    "something needed; 5 no such process; 6 attaching failed otherwise.\n";

static void set_mode(struct options *o, enum mode mode) {
    if (o->mode != MODE_COUNT && o->mode != mode)
        fail(EXIT_USAGE,
             "--watch, --latency, -c and --off-cpu exclude each other");
    o->mode = mode;
}

bool options_want_stacks(const struct options *o) {
    return o->stack_stride || (o->mode == MODE_WATCH && !o->no_stacks) ||
           o->mode == MODE_OFF_CPU;
}

uint32_t max_kernel_stacks(const struct options *o) {
    return o->max_stacks < UINT16_MAX ? o->max_stacks : UINT16_MAX;
}

uint32_t max_threads(const struct options *o) {
    return o->max_processes * 16;
}

static void check_off_cpu(const struct options *o) {
    if (o->pattern || o->cgroup)
        fail(EXIT_USAGE, "--off-cpu takes processes by -p alone");
    if (o->stack_stride || o->functions)
        fail(EXIT_USAGE, "--off-cpu counts no polls: leave out --stacks and "
                         "--function");
    if (o->no_mmap)
        fail(EXIT_USAGE, "--off-cpu needs Linux 5.8, which maps memory: leave "
                         "out --no-mmap");
    for (unsigned i = 0; o->variant && i < VARIANTS; i++)
        if (!strcmp(o->variant, VARIANT[i].name) &&
            !variant_has_mode(&VARIANT[i], MODE_OFF_CPU))
            fail(EXIT_USAGE,
                 "variant %s is attached to system calls, --off-cpu to context "
                 "switches: use tp_btf or raw_tp",
                 o->variant);
}

#define MAX_PROCESSES_DEFAULT 2048u

static void choose_max_processes(struct options *o) {
    unsigned needed = o->pid_count * (o->follow ? 2 : 1);

    if (!o->max_processes)
        o->max_processes =
            needed > MAX_PROCESSES_DEFAULT ? needed : MAX_PROCESSES_DEFAULT;
}

static void check_options(const struct options *o) {
    if (o->list_variants)
        return;
    if (!o->pid_count && !o->pattern && !o->cgroup)
        fail(EXIT_USAGE, "no process given: use -p PID, -n REGEX or --cgroup");
    if (o->no_stacks && o->mode != MODE_WATCH)
        fail(EXIT_USAGE, "--no-stacks goes with --watch");
    if (o->kernel && !options_want_stacks(o))
        fail(EXIT_USAGE, "--kernel is about stacks: add --stacks or --watch");
    if (o->pid_count > o->max_processes)
        fail(EXIT_USAGE,
             "%u processes given, room for %u: raise --max-processes",
             o->pid_count, o->max_processes);
    if (o->mode == MODE_OFF_CPU)
        check_off_cpu(o);
    for (unsigned i = 0; o->variant && i < VARIANTS; i++)
        if (!strcmp(o->variant, VARIANT[i].name))
            return;
    if (o->variant)
        fail(EXIT_USAGE, "no variant '%s'; see --variants", o->variant);
}

void parse_options(struct options *o, int argc, char **argv) {
    enum {
        STACKS = 256,
        DEPTH,
        NO_STACKS,
        KERNEL,
        CHANGED,
        VARIANT_NAME,
        PROCESSES,
        SKIP_ENDED,
        MAX_STACKS,
        UNWIND_MB,
        HISTOGRAMS,
        WATCH,
        LATENCY,
        OFF_CPU,
        CGROUP,
        HZ,
        WINDOW,
        GAP,
        OWN_COST,
        FUNCTION,
        CHECK,
        BURST_CALLS,
        BURST_MS,
        PLAIN,
        NO_MMAP,
        NO_SECCOMP,
        LIST,
    };
    static const struct option LONG[] = {
        {"pid", required_argument, NULL, 'p'},
        {"follow", no_argument, NULL, 'f'},
        {"skip-ended", no_argument, NULL, SKIP_ENDED},
        {"interval", required_argument, NULL, 'i'},
        {"duration", required_argument, NULL, 'd'},
        {"syscalls", no_argument, NULL, 'c'},
        {"stacks", required_argument, NULL, STACKS},
        {"no-stacks", no_argument, NULL, NO_STACKS},
        {"kernel", no_argument, NULL, KERNEL},
        {"changed", no_argument, NULL, CHANGED},
        {"depth", required_argument, NULL, DEPTH},
        {"variant", required_argument, NULL, VARIANT_NAME},
        {"max-processes", required_argument, NULL, PROCESSES},
        {"max-stacks", required_argument, NULL, MAX_STACKS},
        {"unwind-mb", required_argument, NULL, UNWIND_MB},
        {"max-histograms", required_argument, NULL, HISTOGRAMS},
        {"name", required_argument, NULL, 'n'},
        {"cgroup", required_argument, NULL, CGROUP},
        {"watch", no_argument, NULL, WATCH},
        {"latency", no_argument, NULL, LATENCY},
        {"off-cpu", no_argument, NULL, OFF_CPU},
        {"hz", required_argument, NULL, HZ},
        {"window", required_argument, NULL, WINDOW},
        {"gap", required_argument, NULL, GAP},
        {"function", required_argument, NULL, FUNCTION},
        {"check", required_argument, NULL, CHECK},
        {"burst-calls", required_argument, NULL, BURST_CALLS},
        {"burst-ms", required_argument, NULL, BURST_MS},
        {"own-cost", no_argument, NULL, OWN_COST},
        {"plain-reads", no_argument, NULL, PLAIN},
        {"no-mmap", no_argument, NULL, NO_MMAP},
        {"no-seccomp", no_argument, NULL, NO_SECCOMP},
        {"variants", no_argument, NULL, LIST},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    int c;

    *o = (struct options){
        .interval_ns = 1000000000,
        .stack_depth = STACK_DEPTH,
        .max_stacks = 4096,
        .unwind_mb = 256,
        .max_histograms = 32,
        .sample_hz = 99,
        .window_ns = 10000000,
        .window_gap_ns = 750000000,
        .burst_calls = 20000,
        .burst_ns = 200000000,
        .argc = argc,
        .argv = argv,
    };
    while ((c = getopt_long(argc, argv, "p:n:fi:d:cVh", LONG, NULL)) != -1) {
        switch (c) {
        case 'p':
            parse_pids(o, optarg);
            break;
        case 'f':
            o->follow = true;
            break;
        case 'i':
            o->interval_ns = parse_seconds(optarg, "-i");
            break;
        case 'd':
            o->duration_ns = parse_seconds(optarg, "-d");
            break;
        case 'c':
            set_mode(o, MODE_SYSCALLS);
            break;
        case STACKS:
            o->stack_auto = !strcmp(optarg, "auto");
            o->stack_stride =
                o->stack_auto ? 1
                              : parse_number(optarg, "--stacks", 0, 1u << 30);
            break;
        case NO_STACKS:
            o->no_stacks = true;
            break;
        case KERNEL:
            o->kernel = true;
            break;
        case CHANGED:
            o->changed = true;
            break;
        case DEPTH:
            o->stack_depth = parse_number(optarg, "--depth", 1, STACK_DEPTH);
            break;
        case VARIANT_NAME:
            o->variant = optarg;
            break;
        case PROCESSES:
            o->max_processes =
                parse_number(optarg, "--max-processes", 1, 1u << 20);
            break;
        case SKIP_ENDED:
            o->skip_ended = true;
            break;
        case MAX_STACKS:
            o->max_stacks = parse_number(optarg, "--max-stacks", 1, 1u << 20);
            break;
        case UNWIND_MB:
            o->unwind_mb = parse_number(optarg, "--unwind-mb", 0, 4096);
            break;
        case HISTOGRAMS:
            o->max_histograms =
                parse_number(optarg, "--max-histograms", 1, 4096);
            break;
        case 'n':
            o->pattern = optarg;
            break;
        case CGROUP:
            o->cgroup = optarg;
            break;
        case WATCH:
            set_mode(o, MODE_WATCH);
            break;
        case LATENCY:
            set_mode(o, MODE_TIME);
            break;
        case OFF_CPU:
            set_mode(o, MODE_OFF_CPU);
            o->kernel = true; // it says what a thread waits for
            break;
        case HZ:
            o->sample_hz = parse_number(optarg, "--hz", 1, 10000);
            break;
        case WINDOW:
            o->window_ns = parse_seconds(optarg, "--window");
            break;
        case GAP:
            o->window_gap_ns = parse_seconds(optarg, "--gap");
            break;
        case FUNCTION:
            parse_function(o, optarg);
            break;
        case CHECK:
            parse_rule(o, optarg);
            break;
        case BURST_CALLS:
            o->burst_calls = parse_number(optarg, "--burst-calls", 1, 1u << 30);
            break;
        case BURST_MS:
            o->burst_ns =
                1000000ull * parse_number(optarg, "--burst-ms", 1, 1u << 20);
            break;
        case OWN_COST:
            o->own_cost = true;
            break;
        case PLAIN:
            o->plain_reads = true;
            break;
        case NO_MMAP:
            o->no_mmap = true;
            break;
        case NO_SECCOMP:
            o->no_seccomp = true;
            break;
        case LIST:
            o->list_variants = true;
            break;
        case 'V':
            printf("polltrace-probe %s\nlibbpf %s\n", PROBE_VERSION,
                   libbpf_version_string() + 1);
            exit(EXIT_OK);
        case 'h':
            fputs(HELP, stdout);
            exit(EXIT_OK);
        default:
            fail(EXIT_USAGE, "see polltrace-probe --help");
        }
    }
    if (optind < argc)
        fail(EXIT_USAGE, "unexpected '%s'; see polltrace-probe --help",
             argv[optind]);
    choose_max_processes(o);
    check_options(o);
}

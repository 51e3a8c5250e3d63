// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options/failure.h"

uint64_t parse_seconds(const char *text, const char *option) {
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !isfinite(value) || value < 0.001 || value > 1e9)
        fail(EXIT_USAGE, "%s takes seconds from 0.001, not '%s'", option, text);
    return (uint64_t)(value * 1e9);
}

unsigned parse_number(const char *text, const char *option, unsigned least,
                      unsigned most) {
    char *end;
    unsigned long value;

    errno = 0;
    value = strtoul(text, &end, 10);
    if (end == text || *end || errno || *text == '-' || value < least ||
        value > most)
        fail(EXIT_USAGE, "%s takes a number from %u to %u, not '%s'", option,
             least, most, text);
    return value;
}

void parse_pids(struct options *o, const char *text) {
    while (*text) {
        char *end;
        long pid = strtol(text, &end, 10);

        if (end == text || (*end && (*end != ',' || !end[1])) || pid < 1 ||
            pid > 1 << 30)
            fail(EXIT_USAGE, "-p takes process ids joined by commas, not '%s'",
                 text);
        o->pids = realloc(o->pids, (o->pid_count + 1) * sizeof(*o->pids));
        if (!o->pids)
            fail(EXIT_ATTACH, "out of memory");
        o->pids[o->pid_count++] = pid;
        text = *end ? end + 1 : end;
    }
}

static uint32_t check_call(const char *name) {
    static const struct {
        const char *name;
        enum check_call call;
    } CALLS[] = {{"poll", CALL_POLL},
                 {"select", CALL_SELECT},
                 {"epoll_wait", CALL_EPOLL},
                 {"recv", CALL_RECV}};

    for (unsigned i = 0; i < sizeof(CALLS) / sizeof(*CALLS); i++)
        if (!strcmp(CALLS[i].name, name))
            return CALLS[i].call;
    return 0;
}

static _Noreturn void refuse_rule(const char *text) {
    fail(EXIT_USAGE,
         "--check takes EXECUTABLE=CALL[,CALL...], of poll, select, epoll_wait "
         "and recv, and an executable's name of at most %d bytes, not '%s'",
         EXECUTABLE_SIZE - 2, text);
}

void parse_rule(struct options *o, const char *text) {
    char *copy = strdup(text), *calls = copy ? strchr(copy, '=') : NULL;
    struct rule *rule = &o->rule[o->rules];
    char *state = NULL;

    if (o->rules == MAX_RULES)
        fail(EXIT_USAGE, "--check may be given %d times", MAX_RULES);
    // The kernel's copy ends in NUL even where it was cut off.
    if (!calls || calls == copy || calls - copy > EXECUTABLE_SIZE - 2)
        refuse_rule(text);
    *calls++ = 0;
    *rule = (struct rule){.executable = copy};
    for (char *name = strtok_r(calls, ",", &state); name;
         name = strtok_r(NULL, ",", &state)) {
        uint32_t call = check_call(name);

        if (!call)
            refuse_rule(text);
        rule->calls |= call;
    }
    if (!rule->calls)
        refuse_rule(text);
    o->rules++;
}

void parse_function(struct options *o, const char *text) {
    char *path = strdup(text), *colon = path ? strrchr(path, ':') : NULL;
    char *end = path;
    struct function *f = &o->function[o->functions];

    if (o->functions == MAX_FUNCTIONS)
        fail(EXIT_USAGE, "--function may be given %d times", MAX_FUNCTIONS);
    errno = 0;
    if (colon)
        f->offset = strtoull(colon + 1, &end, 16);
    if (!colon || colon == path || strncmp(colon, ":0x", 3) != 0 || *end ||
        end == colon + 3 || errno)
        fail(EXIT_USAGE,
             "--function takes PATH:0xOFFSET, the place in the file of a "
             "function's first instruction, not '%s'",
             text);
    *colon = 0;
    f->path = path;
    o->functions++;
}

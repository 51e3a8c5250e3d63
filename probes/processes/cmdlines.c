// SPDX-License-Identifier: GPL-2.0-or-later
#include "processes/cmdlines.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "options/failure.h"
#include "privileges/caps.h"
#include "privileges/sandbox.h"
#include "processes/table_messages.h"
#include "readers/mapped_files.h"

// What one process may take of our time; less once that many did not answer.
#define PATIENCE_MS 1000
#define TABLE_PATIENCE_MS 3000 // for a file of some hundred megabytes
#define IMPATIENCE_MS 20
#define MOST_PATIENCE 8
// What making an unwind table may take of memory.
#define READER_MEMORY (1ull << 30)

enum wanted {
    WANTED_CMDLINE,
    WANTED_FILES, // the answer has no text, and says that its files answer
    WANTED_TABLE, // of the file that comes with the question
};

struct question {
    uint32_t serial;
    int pid;
    enum wanted wanted;
};

struct answer {
    struct question to; // one that comes late is to an earlier question
    char text[CMDLINE_SIZE];
};

static int reader = -1;   // PIDs to it, answers from it
static int replacer = -1; // a byte: start another reader
static unsigned unanswered;
static uint32_t serial; // of the last question

static bool sandboxed;

// A question, and the file that comes with it or -1.
static bool receive(int from, struct question *question, int *file) {
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr head;
    } control;
    struct iovec part = {question, sizeof(*question)};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    struct cmsghdr *head;

    *file = -1;
    if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != sizeof(*question))
        return false;
    head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_RIGHTS)
        memcpy(file, CMSG_DATA(head), sizeof(*file));
    return true;
}

static _Noreturn void answer_each(int from) {
    static struct answer answer;
    struct question *question = &answer.to;
    size_t size;
    int file;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (sandboxed)
        sandbox_reader();
    while (receive(from, question, &file)) {
        size = 0;
        if (question->wanted == WANTED_TABLE) {
            bool sent = table_send(from, file, question->serial);

            close(file);
            if (!sent)
                break;
            continue;
        }
        if (question->wanted == WANTED_FILES)
            mapped_files_try(question->pid);
        else
            size = proc_cmdline(question->pid, answer.text);
        if (send(from, &answer, offsetof(struct answer, text) + size,
                 MSG_NOSIGNAL) < 0)
            break;
    }
    _exit(0);
}

static pid_t start_reader(int from, int replacements) {
    pid_t pid = fork();

    if (pid)
        return pid;
    close(replacements);
    answer_each(from);
}

// A reader that is killed may go on waiting for a while: nobody waits for it.
static _Noreturn void replace_each(int from, int replacements) {
    pid_t pid;
    char byte;

    for (;;) {
        pid = start_reader(from, replacements);
        if (recv(replacements, &byte, 1, 0) != 1)
            _exit(0);
        if (pid > 0)
            kill(pid, SIGKILL);
    }
}

static void limit_memory(void) {
    struct rlimit limit = {READER_MEMORY, READER_MEMORY};

    setrlimit(RLIMIT_AS, &limit);
}

static _Noreturn void begin_replacer(int from, int replacements) {
    setsid(); // a terminal's signals are for the parent, which ends us
    prctl(PR_SET_NAME, "polltrace-read");
    signal(SIGCHLD, SIG_IGN);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    caps_keep(CAP_MASK(CAP_SYS_PTRACE) | CAP_MASK(CAP_DAC_READ_SEARCH));
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    limit_memory();
    if (sandboxed)
        sandbox_replacer();
    // A reader that hangs must not keep the end of our parent's output open.
    close(STDERR_FILENO);
    replace_each(from, replacements);
}

void cmdlines_start(bool in_sandbox) {
    const int kind = SOCK_SEQPACKET | SOCK_CLOEXEC;
    int ask[2], replace[2];
    pid_t child;

    sandboxed = in_sandbox;
    if (socketpair(AF_UNIX, kind, 0, ask) ||
        socketpair(AF_UNIX, kind, 0, replace) || (child = fork()) < 0)
        fail(EXIT_ATTACH, "cannot start a reader: %s", strerror(errno));
    if (!child) {
        close(ask[0]);
        close(replace[0]);
        begin_replacer(ask[1], replace[1]);
    }
    close(ask[1]);
    close(replace[1]);
    reader = ask[0];
    replacer = replace[0];
}

static bool answers_within(int ms) {
    const uint64_t until = monotonic_ns() + ms * 1000000ull;
    struct pollfd wait = {reader, POLLIN, 0};
    int ready;

    while ((ready = poll(&wait, 1, ms)) < 0 && errno == EINTR &&
           monotonic_ns() < until)
        ;
    return ready > 0;
}

// The size of the answer's text; -1 when there is none in time.
static ssize_t ask(int pid, enum wanted wanted, struct answer *answer) {
    const struct question question = {++serial, pid, wanted};
    const size_t head = offsetof(struct answer, text);
    ssize_t size;

    if (send(reader, &question, sizeof(question), MSG_NOSIGNAL) < 0)
        return -1;
    while (answers_within(unanswered < MOST_PATIENCE ? PATIENCE_MS
                                                     : IMPATIENCE_MS)) {
        size = recv(reader, answer, sizeof(*answer), 0);
        if (size < (ssize_t)head)
            return -1; // both are gone
        if (answer->to.serial == question.serial)
            return size - head;
    }
    unanswered++;
    send(replacer, "", 1, MSG_NOSIGNAL);
    return -1;
}

size_t cmdlines_read(int pid, char text[CMDLINE_SIZE]) {
    static struct answer answer;
    ssize_t size = ask(pid, WANTED_CMDLINE, &answer);

    if (size < 0)
        return 0;
    memcpy(text, answer.text, size);
    return size;
}

bool cmdlines_files_answer(int pid) {
    static struct answer answer;

    return ask(pid, WANTED_FILES, &answer) >= 0;
}

static bool send_file(const struct question *question, int fd) {
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr head;
    } control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
                          .cmsg_level = SOL_SOCKET,
                          .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {(void *)question, sizeof(*question)};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};

    memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
    return sendmsg(reader, &message, MSG_NOSIGNAL) > 0;
}

enum table_result cmdlines_table(int fd, struct unwind_table *table) {
    const struct question question = {++serial, 0, WANTED_TABLE};
    enum table_result result = TABLE_NO_RULES;

    *table = (struct unwind_table){0};
    if (!send_file(&question, fd))
        return result;
    if (!table_receive(reader, question.serial,
                       unanswered < MOST_PATIENCE ? TABLE_PATIENCE_MS
                                                  : IMPATIENCE_MS,
                       table, &result)) {
        unanswered++;
        send(replacer, "", 1, MSG_NOSIGNAL);
        result = TABLE_NO_RULES;
    }
    return result;
}

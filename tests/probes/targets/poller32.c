// SPDX-License-Identifier: GPL-2.0-or-later
// A 32-bit program without a C library that polls exactly as often as
// commanded: on any line of input it makes the polls of POLLS and answers.
// Built with -m32 -nostdlib, which takes no 32-bit libraries.
typedef unsigned int u32;
typedef unsigned long long u64;

enum {
    NR_EXIT = 1,
    NR_READ = 3,
    NR_WRITE = 4,
    NR_WAITPID = 7,
    NR_GETPID = 20,
    NR_SOCKETCALL = 102,
    NR_POLL = 168,
    NR_PPOLL_TIME32 = 309,
    NR_PPOLL_TIME64 = 414,
};
#define SOCKETPAIR 8 // of socketcall
#define POLLIN 1
#define POLLOUT 4

struct pollfd {
    int fd;
    short events, revents;
};

static int call(int nr, u32 a, u32 b, u32 c, u32 d, u32 e) {
    int result;

    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
                     : "memory");
    return result;
}

static void print(const char *word, u32 number) {
    char line[32];
    u32 size = 0, digits = 1;

    while (*word)
        line[size++] = *word++;
    line[size++] = ' ';
    for (u32 rest = number; rest > 9; rest /= 10)
        digits++;
    for (u32 i = digits; i--; number /= 10)
        line[size + i] = (char)('0' + number % 10);
    size += digits;
    line[size++] = '\n';
    call(NR_WRITE, 1, (u32)line, size, 0, 0);
}

static void poll_all(int fd) {
    struct pollfd one[2] = {{fd, POLLIN, 0}, {fd, POLLIN, 0}};
    struct pollfd writable = {fd, POLLOUT, 0};
    u32 zero32[2] = {0, 0};
    // The upper half of the nanoseconds is padding, and may hold anything.
    u64 zero64[2] = {0, 0xdeadbeef00000000ull};

    for (int i = 0; i < 20011; i++)
        call(NR_POLL, (u32)one, 1, 0, 0, 0);
    for (int i = 0; i < 1009; i++)
        call(NR_PPOLL_TIME32, (u32)one, 1, (u32)zero32, 0, 0);
    for (int i = 0; i < 1013; i++) {
        zero64[1] = 0xdeadbeef00000000ull; // the call writes what is left
        call(NR_PPOLL_TIME64, (u32)one, 1, (u32)zero64, 0, 0);
    }
    // No break polls.
    for (int i = 0; i < 3; i++)
        call(NR_POLL, (u32)one, 1, 1, 0, 0);
    for (int i = 0; i < 1019; i++)
        call(NR_POLL, (u32)one, 2, 0, 0, 0);
    for (int i = 0; i < 17; i++) {
        u32 soon[2] = {0, 1000};

        call(NR_PPOLL_TIME32, (u32)one, 1, (u32)soon, 0, 0);
    }
    for (int i = 0; i < 1021; i++) {
        u64 far[2] = {1ull << 32, 0};

        call(NR_PPOLL_TIME64, (u32)&writable, 1, (u32)far, 0, 0);
    }
    // 7 is poll's number in the 64-bit table.
    for (int i = 0; i < 1031; i++)
        call(NR_WAITPID, (u32)-1, 0, 0, 0, 0);
}

void _start(void) {
    int pair[2] = {-1, -1};
    u32 arguments[4] = {1, 1, 0, (u32)pair}; // AF_UNIX, SOCK_STREAM
    char line[64];

    call(NR_SOCKETCALL, SOCKETPAIR, (u32)arguments, 0, 0, 0);
    print("ready", (u32)call(NR_GETPID, 0, 0, 0, 0, 0));
    while (call(NR_READ, 0, (u32)line, sizeof(line), 0, 0) > 0) {
        poll_all(pair[0]);
        print("done", (u32)pair[0]);
    }
    call(NR_EXIT, 0, 0, 0, 0, 0);
}

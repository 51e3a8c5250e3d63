// SPDX-License-Identifier: GPL-2.0-or-later
// A stack of C++ functions: a template, an operator, a lambda in an anonymous
// namespace, and a name that is longer mangled than a line.
#include <cstdio>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

__attribute__((noinline)) static void print_stack() {
    void **frame = static_cast<void **>(__builtin_frame_address(0));

    while (frame && frame[1]) {
        printf("%lx ", reinterpret_cast<unsigned long>(frame[1]));
        if (frame[0] <= frame)
            break;
        frame = static_cast<void **>(frame[0]);
    }
    printf("\n");
    fflush(stdout);
    getchar();
}

namespace store {
template <typename Key> struct Table {
    using Rows = std::map<Key, std::vector<std::map<std::string, Key>>>;
    __attribute__((noinline)) long find(const Rows &rows, Key key) {
        print_stack();
        return static_cast<long>(rows.count(key)) + 1;
    }
    __attribute__((noinline)) long operator[](Key key) {
        return find(Rows(), key) + 1;
    }
};
} // namespace store

namespace {
__attribute__((noinline)) long hidden(long n) {
    auto search = [](long key) __attribute__((noinline)) {
        store::Table<long> table;
        return table[key] + 1;
    };
    return search(n) + 1;
}
} // namespace

int main() {
    return hidden(7) > 0 ? 0 : 1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Prints the unwind table of the ELF files named: the address from which each
// row holds, and the row's fields.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "readers/unwind_table.h"

int main(int argc, char **argv) {
    for (int n = 1; n < argc; n++) {
        int fd = open(argv[n], O_RDONLY);
        struct unwind_table t;
        enum table_result result = unwind_table_read(fd, &t);

        printf("result %d pages %u rows %u\n", result, t.pages, t.rows);
        for (uint32_t p = 0; p < t.pages; p++)
            for (uint32_t i = t.page[p]; i < t.page[p + 1]; i++)
                printf("%llx %u %u %lld %lld\n",
                       (unsigned long long)(t.first + p * UNWIND_PAGE +
                                            UNWIND_AT(t.row[i])),
                       UNWIND_CFA(t.row[i]), UNWIND_RBP(t.row[i]),
                       (long long)UNWIND_RBP_FACTOR(t.row[i]),
                       (long long)UNWIND_OFFSET(t.row[i]));
        unwind_table_free(&t);
        close(fd);
    }
    return 0;
}

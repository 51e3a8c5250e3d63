// SPDX-License-Identifier: GPL-2.0-or-later
// Prints what sites.c finds in the ELF files named: address, and the offsets of
// the return address and the caller's frame pointer.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "readers/sites.h"

int main(int argc, char **argv) {
    for (int n = 1; n < argc; n++) {
        int fd = open(argv[n], O_RDONLY);
        struct elf_sites elf = {0};

        if (elf_read_layout(fd, &elf.layout) == 0)
            elf_read_sites(fd, &elf, true);
        for (unsigned i = 0; i < elf.sites; i++)
            printf("%llx %d %d\n", (unsigned long long)elf.site[i].after,
                   elf.site[i].rule.caller, elf.site[i].rule.frame);
        close(fd);
    }
    return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/elf_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SECTIONS 1024
#define MAX_SECTION_SIZE (32u << 20)

bool elf_read_at(int fd, void *into, size_t size, uint64_t offset) {
    return offset < (uint64_t)1 << 62 &&
           pread(fd, into, size, (off_t)offset) == (ssize_t)size;
}

void *elf_load(int fd, uint64_t offset, uint64_t size) {
    return elf_load_up_to(fd, offset, size, MAX_SECTION_SIZE);
}

void *elf_load_up_to(int fd, uint64_t offset, uint64_t size, uint64_t most) {
    void *data;

    if (!size || size > most || !(data = malloc(size)))
        return NULL;
    if (!elf_read_at(fd, data, size, offset)) {
        free(data);
        return NULL;
    }
    return data;
}

static bool read_header(int fd, Elf64_Ehdr *header) {
    return elf_read_at(fd, header, sizeof(*header), 0) &&
           !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
           header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == ELFDATA2LSB &&
           header->e_machine == EM_X86_64;
}

static void read_build_id(int fd, const Elf64_Phdr *note,
                          struct elf_layout *elf) {
    uint64_t offset = 0, size = note->p_filesz < 4096 ? note->p_filesz : 4096;
    uint8_t *data = elf_load(fd, note->p_offset, size);

    while (data && size - offset >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr head;
        uint64_t name, description;

        memcpy(&head, data + offset, sizeof(head));
        name = offset + sizeof(head);
        description = name + (((uint64_t)head.n_namesz + 3) & ~3ull);
        if (description > size || head.n_descsz > size - description)
            break;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
            !memcmp(data + name, "GNU", 4) && head.n_descsz <= BUILD_ID_SIZE) {
            memcpy(elf->build_id, data + description, head.n_descsz);
            elf->build_id_size = head.n_descsz;
            break;
        }
        offset = description + (((uint64_t)head.n_descsz + 3) & ~3ull);
        if (offset > size)
            break;
    }
    free(data);
}

int elf_read_layout(int fd, struct elf_layout *elf) {
    Elf64_Ehdr header;

    memset(elf, 0, sizeof(*elf));
    if (!read_header(fd, &header) || header.e_phentsize != sizeof(Elf64_Phdr))
        return -1;
    for (unsigned i = 0; i < header.e_phnum && i < 256; i++) {
        Elf64_Phdr ph;

        if (!elf_read_at(fd, &ph, sizeof(ph), header.e_phoff + i * sizeof(ph)))
            return -1;
        if (ph.p_type == PT_LOAD && elf->segments < MAX_SEGMENTS)
            elf->segment[elf->segments++] = (struct segment){
                ph.p_vaddr, ph.p_offset, ph.p_filesz, ph.p_flags};
        if (ph.p_type == PT_NOTE && !elf->build_id_size)
            read_build_id(fd, &ph, elf);
        if (ph.p_type == PT_GNU_EH_FRAME) {
            elf->unwind_index = ph.p_offset;
            elf->unwind_address = ph.p_vaddr;
        }
    }
    return 0;
}

bool elf_address_of(const struct elf_layout *elf, uint64_t offset,
                    uint64_t *address) {
    for (unsigned i = 0; i < elf->segments; i++) {
        const struct segment *s = &elf->segment[i];

        if (offset >= s->offset && offset - s->offset < s->size) {
            *address = s->address + (offset - s->offset);
            return true;
        }
    }
    return false;
}

bool elf_load_sections(struct elf_file *file) {
    Elf64_Ehdr header;
    uint64_t size;

    if (!read_header(file->fd, &header) ||
        header.e_shentsize != sizeof(Elf64_Shdr) || !header.e_shnum ||
        header.e_shnum > MAX_SECTIONS || header.e_shstrndx >= header.e_shnum)
        return false;
    size = (uint64_t)header.e_shnum * sizeof(Elf64_Shdr);
    file->section = elf_load(file->fd, header.e_shoff, size);
    file->sections = header.e_shnum;
    file->names = header.e_shstrndx;
    return file->section != NULL;
}

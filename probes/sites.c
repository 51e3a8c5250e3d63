// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the syscall instructions of libc's waiting functions and where the
// return address lies at each. The file belongs to whoever runs the process:
// every number in it is checked, everything is read with pread (a mapping
// would raise SIGBUS when the file is cut short meanwhile).
#include "sites.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ehframe.h"
#include "records.h"

#define MAX_SECTIONS 1024
#define MAX_SECTION_SIZE (32u << 20)
#define MAX_FUNCTION_SIZE 4096

static const char *const WAITING[] = {
    "poll",        "ppoll", "select", "pselect",  "epoll_wait",
    "epoll_pwait", "read",  "recv",   "recvfrom", "recvmsg",
};

struct elf_file {
    int fd;
    Elf64_Shdr *section;
    unsigned sections;
    struct eh_frame eh;
};

static bool read_at(int fd, void *into, size_t size, uint64_t offset) {
    return offset < (uint64_t)1 << 62 &&
           pread(fd, into, size, (off_t)offset) == (ssize_t)size;
}

static void *load(int fd, uint64_t offset, uint64_t size) {
    void *data;

    if (!size || size > MAX_SECTION_SIZE || !(data = malloc(size)))
        return NULL;
    if (!read_at(fd, data, size, offset)) {
        free(data);
        return NULL;
    }
    return data;
}

static bool read_header(int fd, Elf64_Ehdr *header) {
    return read_at(fd, header, sizeof(*header), 0) &&
           !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
           header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == ELFDATA2LSB &&
           header->e_machine == EM_X86_64;
}

static void read_build_id(int fd, const Elf64_Phdr *note,
                          struct elf_sites *elf) {
    uint64_t at = 0, size = note->p_filesz < 4096 ? note->p_filesz : 4096;
    uint8_t *data = load(fd, note->p_offset, size);

    while (data && size - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr head;
        uint64_t name, description;

        memcpy(&head, data + at, sizeof(head));
        name = at + sizeof(head);
        description = name + (((uint64_t)head.n_namesz + 3) & ~3ull);
        if (description > size || head.n_descsz > size - description)
            break;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
            !memcmp(data + name, "GNU", 4) && head.n_descsz <= BUILD_ID_SIZE) {
            memcpy(elf->build_id, data + description, head.n_descsz);
            elf->build_id_size = head.n_descsz;
            break;
        }
        at = description + (((uint64_t)head.n_descsz + 3) & ~3ull);
        if (at > size)
            break;
    }
    free(data);
}

int elf_read_layout(int fd, struct elf_sites *elf) {
    Elf64_Ehdr header;

    memset(elf, 0, sizeof(*elf));
    if (!read_header(fd, &header) || header.e_phentsize != sizeof(Elf64_Phdr))
        return -1;
    for (unsigned i = 0; i < header.e_phnum && i < 256; i++) {
        Elf64_Phdr ph;

        if (!read_at(fd, &ph, sizeof(ph), header.e_phoff + i * sizeof(ph)))
            return -1;
        if (ph.p_type == PT_LOAD && elf->segments < MAX_SEGMENTS)
            elf->segment[elf->segments++] =
                (struct segment){ph.p_vaddr, ph.p_offset, ph.p_filesz};
        if (ph.p_type == PT_NOTE && !elf->build_id_size)
            read_build_id(fd, &ph, elf);
    }
    return 0;
}

static bool load_sections(struct elf_file *file) {
    Elf64_Ehdr header;
    uint64_t size;

    if (!read_header(file->fd, &header) ||
        header.e_shentsize != sizeof(Elf64_Shdr) || !header.e_shnum ||
        header.e_shnum > MAX_SECTIONS || header.e_shstrndx >= header.e_shnum)
        return false;
    size = (uint64_t)header.e_shnum * sizeof(Elf64_Shdr);
    file->section = load(file->fd, header.e_shoff, size);
    file->sections = header.e_shnum;
    return file->section != NULL;
}

static bool load_eh_frame(struct elf_file *file) {
    Elf64_Ehdr header;
    const Elf64_Shdr *names;
    char name[10];

    if (!read_header(file->fd, &header) || header.e_shstrndx >= file->sections)
        return false;
    names = &file->section[header.e_shstrndx];
    for (unsigned i = 0; i < file->sections; i++) {
        const Elf64_Shdr *section = &file->section[i];

        if (section->sh_type == SHT_NOBITS ||
            !read_at(file->fd, name, sizeof(name),
                     names->sh_offset + section->sh_name) ||
            memcmp(name, ".eh_frame", sizeof(name)) != 0)
            continue;
        file->eh.data = load(file->fd, section->sh_offset, section->sh_size);
        file->eh.size = section->sh_size;
        file->eh.address = section->sh_addr;
        return file->eh.data != NULL;
    }
    return false;
}

static void add_site(struct elf_sites *elf, const struct elf_file *file,
                     uint64_t pc) {
    struct site site = {.after = pc + 2};

    for (unsigned i = 0; i < elf->sites; i++)
        if (elf->site[i].after == site.after)
            return;
    switch (eh_return_address(&file->eh, pc, &site.offset)) {
    case EH_FRAME_POINTER:
        site.offset = SITE_FRAME_POINTER;
        break;
    case EH_STACK_POINTER:
        break;
    case EH_UNKNOWN:
        return;
    }
    if (elf->sites < MAX_SITES)
        elf->site[elf->sites++] = site;
}

static void scan_function(struct elf_sites *elf, const struct elf_file *file,
                          const Elf64_Sym *symbol) {
    uint8_t code[MAX_FUNCTION_SIZE];
    uint64_t size = symbol->st_size;

    if (size < 2 || size > sizeof(code))
        return;
    for (unsigned i = 0; i < elf->segments; i++) {
        const struct segment *s = &elf->segment[i];
        uint64_t into = symbol->st_value - s->address;

        if (symbol->st_value < s->address || into >= s->size ||
            !read_at(file->fd, code, size, s->offset + into))
            continue;
        // 0f 05 is syscall. Inside another instruction it is harmless: no
        // process ever stands there.
        for (uint64_t at = 0; at + 1 < size; at++)
            if (code[at] == 0x0f && code[at + 1] == 0x05)
                add_site(elf, file, symbol->st_value + at);
        return;
    }
}

static bool is_waiting(const char *name, size_t left) {
    for (size_t i = 0; i < sizeof(WAITING) / sizeof(*WAITING); i++) {
        size_t size = strlen(WAITING[i]) + 1;

        if (size <= left && !memcmp(name, WAITING[i], size))
            return true;
    }
    return false;
}

static void scan_symbols(struct elf_sites *elf, const struct elf_file *file,
                         const Elf64_Shdr *table) {
    const Elf64_Shdr *names;
    Elf64_Sym *symbol;
    char *text;

    if (table->sh_link >= file->sections ||
        table->sh_entsize != sizeof(Elf64_Sym))
        return;
    names = &file->section[table->sh_link];
    symbol = load(file->fd, table->sh_offset, table->sh_size);
    text = load(file->fd, names->sh_offset, names->sh_size);
    for (size_t i = 0; symbol && text && i < table->sh_size / sizeof(*symbol);
         i++) {
        if (ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC &&
            symbol[i].st_shndx != SHN_UNDEF &&
            symbol[i].st_name < names->sh_size &&
            is_waiting(text + symbol[i].st_name,
                       names->sh_size - symbol[i].st_name))
            scan_function(elf, file, &symbol[i]);
    }
    free(symbol);
    free(text);
}

void elf_read_sites(int fd, struct elf_sites *elf) {
    struct elf_file file = {.fd = fd};

    if (load_sections(&file) && load_eh_frame(&file)) {
        for (unsigned i = 0; i < file.sections; i++)
            if (file.section[i].sh_type == SHT_DYNSYM ||
                file.section[i].sh_type == SHT_SYMTAB)
                scan_symbols(elf, &file, &file.section[i]);
    }
    free((void *)file.eh.data);
    free(file.section);
}

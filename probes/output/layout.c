// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/layout.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "readers/procfs.h"
#include "readers/sites.h"
#include "unwind/layouts.h"

#define CACHED_FILES 256

struct mapping {
    uint64_t start, end, offset, inode;
    const char *path;
};

// Two thousand servers run the same libc: each file is read once.
struct cached {
    dev_t device;
    ino_t inode;
    struct timespec changed;
    bool has_sites;
    struct elf_sites elf;
    struct placed_table table;
};

static struct cached *cache[CACHED_FILES];
static unsigned cached_files;

static int open_mapped(int pid, const struct mapping *m) {
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    char path[4200];
    int fd;

    // The very file that is mapped, replaced or deleted though it may be.
    snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid,
             (unsigned long long)m->start, (unsigned long long)m->end);
    fd = open(path, flags);
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof(path), "/proc/%d/root%s", pid, m->path);
    return open(path, flags);
}

static struct cached *find_cached(const struct stat *st) {
    for (unsigned i = 0; i < cached_files; i++) {
        struct cached *c = cache[i];

        if (c->device == st->st_dev && c->inode == st->st_ino &&
            c->changed.tv_sec == st->st_mtim.tv_sec &&
            c->changed.tv_nsec == st->st_mtim.tv_nsec)
            return c;
    }
    return NULL;
}

static struct cached *read_file(int pid, const struct mapping *m) {
    struct cached *c = NULL;
    struct stat st;
    int fd = open_mapped(pid, m);

    if (fd < 0)
        return NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
        c = find_cached(&st);
        if (!c && cached_files < CACHED_FILES && (c = calloc(1, sizeof(*c)))) {
            c->device = st.st_dev;
            c->inode = st.st_ino;
            c->changed = st.st_mtim;
            elf_read_layout(fd, &c->elf.layout);
            cache[cached_files++] = c;
        }
        if (c)
            tables_read(&c->table, fd);
    }
    close(fd);
    return c;
}

static void read_sites(int pid, const struct mapping *m, struct cached *c,
                       bool all) {
    int fd = c->has_sites ? -1 : open_mapped(pid, m);

    if (fd < 0)
        return;
    elf_read_sites(fd, &c->elf, all);
    c->has_sites = true;
    close(fd);
}

static void publish_sites(struct probe *probe, uint32_t image,
                          const struct mapping *m,
                          const struct elf_sites *elf) {
    for (unsigned s = 0; s < elf->layout.segments; s++) {
        const struct segment *segment = &elf->layout.segment[s];

        if (m->offset < (segment->offset & ~4095ull) ||
            m->offset >= segment->offset + segment->size)
            continue;
        for (unsigned i = 0; i < elf->sites; i++) {
            uint64_t offset =
                elf->site[i].after - segment->address + segment->offset;
            struct site_key key = {.image = image};

            if (elf->site[i].after < segment->address || offset < m->offset ||
                offset - m->offset >= m->end - m->start)
                continue;
            key.ip = m->start + (offset - m->offset);
            bpf_map_update_elem(probe->sites_fd, &key, &elf->site[i].rule,
                                BPF_ANY);
        }
        return;
    }
}

static bool is_libc(const char *path) {
    const char *name = strrchr(path, '/');

    return name &&
           (!strncmp(name, "/libc.so", 8) || !strncmp(name, "/libc-2.", 8) ||
            !strncmp(name, "/libpthread", 11));
}

static void add_mapping(struct json *j, const struct mapping *m,
                        const struct elf_sites *elf) {
    json_open(j, '{');
    json_key_unsigned(j, "start", m->start);
    json_key_unsigned(j, "end", m->end);
    json_key_unsigned(j, "offset", m->offset);
    json_key_unsigned(j, "inode", m->inode);
    json_key_text(j, "path", m->path);
    if (elf && elf->layout.build_id_size) {
        json_key(j, "build_id");
        json_hex(j, elf->layout.build_id, elf->layout.build_id_size);
    }
    json_close(j, '}');
}

static bool parse_line(char *line, struct mapping *m) {
    unsigned long long start, end, offset, inode;
    char flags[5];
    int path = 0;

    if (sscanf(line, "%llx-%llx %4s %llx %*s %llu %n", &start, &end, flags,
               &offset, &inode, &path) != 5 ||
        flags[2] != 'x' || start >> 63)
        return false;
    line[strcspn(line, "\n")] = 0;
    *m = (struct mapping){start, end, offset, inode, line + path};
    return true;
}

static FILE *open_maps(int pid) {
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/maps", pid);
    return fopen(path, "re");
}

// FNV-1a, 64 bits.
static uint64_t add_to_hash(uint64_t hash, uint64_t number) {
    return (hash ^ number) * 0x100000001b3ull;
}

uint64_t layout_signature(int pid) {
    FILE *maps = open_maps(pid);
    struct mapping m;
    char *line = NULL;
    size_t room = 0;
    uint64_t hash = 0xcbf29ce484222325ull;

    while (maps && getline(&line, &room, maps) > 0)
        if (parse_line(line, &m)) {
            hash = add_to_hash(hash, m.start);
            hash = add_to_hash(hash, m.end);
            hash = add_to_hash(hash, m.inode);
        }
    free(line);
    if (maps)
        fclose(maps);
    return hash;
}

// The rules of a mapping's code; NULL: none.
static const struct placed_table *table_of(const struct mapping *m,
                                           const struct cached *file,
                                           uint64_t *address) {
    if (!strcmp(m->path, "[vdso]")) {
        const struct placed_table *vdso = tables_vdso();

        *address = vdso->table.first;
        return vdso;
    }
    for (unsigned s = 0; file && s < file->elf.layout.segments; s++) {
        const struct segment *segment = &file->elf.layout.segment[s];
        uint64_t before = segment->offset % UNWIND_PAGE; // of it, in its page

        if (m->offset + UNWIND_PAGE > segment->offset &&
            m->offset < segment->offset + segment->size) {
            *address = segment->address - before +
                       (m->offset + before - segment->offset);
            return &file->table;
        }
    }
    return NULL;
}

void layout_prepare(int pid) {
    FILE *maps = open_maps(pid);
    char *line = NULL;
    size_t room = 0;

    tables_vdso();
    while (maps && getline(&line, &room, maps) > 0) {
        struct mapping m;

        if (parse_line(line, &m) && m.inode && *m.path == '/')
            read_file(pid, &m);
    }
    free(line);
    if (maps)
        fclose(maps);
}

void layout_read(struct probe *probe, int pid, uint32_t image, struct json *j) {
    FILE *maps = open_maps(pid);
    char exe[4096] = "", *line = NULL;
    size_t room = 0;

    layouts_begin();
    proc_exe(pid, exe, sizeof(exe));
    json_open(j, '[');
    while (maps && getline(&line, &room, maps) > 0) {
        struct mapping m;
        const struct placed_table *table;
        struct cached *file = NULL;
        uint64_t address = 0;

        if (!parse_line(line, &m))
            continue;
        if (m.inode && *m.path == '/') {
            // A static executable has libc's functions in itself.
            bool calls = is_libc(m.path) || !strcmp(m.path, exe);

            file = read_file(pid, &m);
            if (file && calls && !probe->unwinding) {
                read_sites(pid, &m, file, probe->off_cpu);
                publish_sites(probe, image, &m, &file->elf);
            }
        }
        table = table_of(&m, file, &address);
        layouts_add(m.start, m.end, table, address);
        add_mapping(j, &m, file ? &file->elf : NULL);
    }
    json_close(j, ']');
    // 32-bit stacks are walked by the kernel.
    if (maps && !proc_is_32bit(pid))
        layouts_publish(probe, image);
    free(line);
    if (maps)
        fclose(maps);
}

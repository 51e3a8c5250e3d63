// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/link_definition.h"

#include <stddef.h>
#include <string.h>

#include "process/robust_lock.h"

bool link_definition_init(struct link_definitions *links) {
    return robust_lock_init(&links->lock);
}

static void enter(struct link_definitions *links) {
    robust_lock_enter(&links->lock);
}

static void leave(struct link_definitions *links) {
    robust_lock_leave(&links->lock);
}

// "" finds a free place.
static struct link_definition *named(struct link_definitions *links,
                                     const char *name) {
    for (int i = 0; i < MOST_LINKS; i++)
        if (strcmp(links->link[i].name, name) == 0)
            return &links->link[i];
    return NULL;
}

// The name is written last: who is killed before leaves a free place.
static void put(struct link_definition *to,
                const struct link_definition *from) {
    const size_t offset = offsetof(struct link_definition, user);
    memcpy((char *)to + offset, (const char *)from + offset,
           sizeof *to - offset);
    memcpy(to->name + 1, from->name + 1, sizeof to->name - 1);
    __atomic_store_n(&to->name[0], from->name[0], __ATOMIC_RELEASE);
}

enum link_result link_definition_add(struct link_definitions *links,
                                     const struct link_definition *link) {
    enum link_result result = LINK_DONE;
    enter(links);
    struct link_definition *free_place = named(links, "");
    if (named(links, link->name))
        result = LINK_EXISTS;
    else if (!free_place)
        result = LINK_NO_ROOM;
    else
        put(free_place, link);
    leave(links);
    return result;
}

enum link_result link_definition_drop(struct link_definitions *links,
                                      const char *name) {
    enter(links);
    struct link_definition *link = *name ? named(links, name) : NULL;
    if (link)
        memset(link, 0, sizeof *link);
    leave(links);
    return link ? LINK_DONE : LINK_MISSING;
}

bool link_definition_find(struct link_definitions *links, const char *name,
                          struct link_definition *to) {
    enter(links);
    const struct link_definition *link = *name ? named(links, name) : NULL;
    if (link)
        *to = *link;
    leave(links);
    return link;
}

bool link_definition_at(struct link_definitions *links, int place,
                        struct link_definition *to) {
    enter(links);
    *to = links->link[place];
    leave(links);
    return *to->name;
}

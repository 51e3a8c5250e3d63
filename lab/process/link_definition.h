// SPDX-License-Identifier: GPL-2.0-or-later
// The database links of an instance, in its shared memory.
#ifndef ORALAB_LINK_DEFINITION_H
#define ORALAB_LINK_DEFINITION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    MOST_LINKS = 64,
    LINK_NAME = 129,
    LINK_SECRET = 129,
    LINK_HOST = 2001, // of the connect string, as USER_DB_LINKS.HOST
};

struct link_definition {
    char name[LINK_NAME]; // "" where there is none
    char user[LINK_NAME];
    char password[LINK_SECRET]; // which no view and no trace shows
    char host[LINK_HOST];
    bool shared;
    int64_t created; // s since 1970
};

struct link_definitions {
    pthread_mutex_t lock; // robust: a server may be killed while it holds it
    struct link_definition link[MOST_LINKS];
};

enum link_result { LINK_DONE, LINK_EXISTS, LINK_MISSING, LINK_NO_ROOM };

// Before the first server starts. False with errno set.
bool link_definition_init(struct link_definitions *links);
enum link_result link_definition_add(struct link_definitions *links,
                                     const struct link_definition *link);
enum link_result link_definition_drop(struct link_definitions *links,
                                      const char *name);
// Copies the link of that name. False where there is none.
bool link_definition_find(struct link_definitions *links, const char *name,
                          struct link_definition *to);
// The same by its place, from 0.
bool link_definition_at(struct link_definitions *links, int place,
                        struct link_definition *to);

#endif

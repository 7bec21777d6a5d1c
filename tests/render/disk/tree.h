/* Folders with all that is in them: copied, compared, and as a power loss leaves them. */
#ifndef TESTS_RENDER_DISK_TREE_H
#define TESTS_RENDER_DISK_TREE_H

#include "tests/render/disk/folder.h"

enum { TREE_PATH_BYTES = 1200 };

static inline void tree_path(char path[TREE_PATH_BYTES], const char *folder, const char *name)
{
    if (snprintf(path, TREE_PATH_BYTES, "%s/%s", folder, name) >= TREE_PATH_BYTES)
        abort();
}

static inline int tree_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static inline void tree_file_write(const char *path, struct bytes bytes)
{
    FILE *stream = fopen(path, "wb");
    if (!stream)
        return;
    if (bytes.length)
        (void)!fwrite(bytes.at, 1, bytes.length, stream);
    fclose(stream);
}

/* Calls `each` for every name in the folder. */
static inline void tree_walk(const char *folder, void *context,
                             void (*each)(void *context, const char *name))
{
    DIR *stream = opendir(folder);
    struct names {
        char name[256];
    } *names = NULL;
    size_t count = 0;
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        struct names *grown = realloc(names, (count + 1) * sizeof *names);
        if (!grown)
            break;
        names = grown;
        snprintf(names[count++].name, sizeof names->name, "%s", entry->d_name);
    }
    if (stream)
        closedir(stream);
    for (size_t i = 0; i < count; i++)
        each(context, names[i].name);
    free(names);
}

struct tree_pair {
    const char *from, *to;
    unsigned long long *seed;
    int count, differ;
};

static inline void tree_copy(const char *from, const char *to);

static inline void tree_copy_one(void *context, const char *name)
{
    const struct tree_pair *pair = context;
    char from[TREE_PATH_BYTES], to[TREE_PATH_BYTES];
    tree_path(from, pair->from, name);
    tree_path(to, pair->to, name);
    if (tree_is_folder(from)) {
        tree_copy(from, to);
        return;
    }
    struct bytes bytes = bytes_of_file(from);
    tree_file_write(to, bytes);
    free(bytes.at);
}

static inline void tree_copy(const char *from, const char *to)
{
    tree_remove(to);
    mkdir(to, 0777);
    tree_walk(from, &(struct tree_pair){from, to, NULL, 0, 0}, tree_copy_one);
}

static inline void tree_compare_one(void *context, const char *name)
{
    struct tree_pair *pair = context;
    char from[TREE_PATH_BYTES], to[TREE_PATH_BYTES];
    tree_path(from, pair->from, name);
    tree_path(to, pair->to, name);
    if (tree_is_folder(from)) {
        struct tree_pair below = {from, to, NULL, 0, 0};
        tree_walk(from, &below, tree_compare_one);
        pair->count += below.count;
        pair->differ += below.differ;
        return;
    }
    struct bytes a = bytes_of_file(from), b = bytes_of_file(to);
    pair->count++;
    pair->differ += !bytes_equal(a, b);
    free(a.at);
    free(b.at);
}

/* Files of `from` that differ in `to`; *count: of all that are in `from`. */
static inline int tree_differ(const char *from, const char *to, int *count)
{
    struct tree_pair pair = {from, to, NULL, 0, 0};
    tree_walk(from, &pair, tree_compare_one);
    *count = pair.count;
    return pair.differ;
}

/* ---- power loss ---- */

static inline void tree_lose(const char *synced, const char *live, unsigned long long *seed);

/* What may be found of a file of which `synced` had been on the disk: where it has changed since,
 * the old bytes, the new ones or any, and as much of its new end. */
static inline void tree_lose_file(const char *path, struct bytes old, struct bytes new,
                                  unsigned long long *seed)
{
    size_t least = old.length < new.length ? old.length : new.length;
    size_t most = old.length < new.length ? new.length : old.length;
    size_t length = least + (size_t)(random_next(seed) % (most - least + 1));
    unsigned way = (unsigned)(random_next(seed) >> 32) % 3;
    struct bytes found = {.at = malloc(most + 1), .length = length};
    for (size_t i = 0; found.at && i < length; i++) {
        unsigned char was = i < old.length ? old.at[i] : (unsigned char)(i * 7);
        unsigned char is = i < new.length ? new.at[i] : was;
        found.at[i] = was == is && i < least ? is : way == 0 ? was : way == 1 ? is : 0xa5;
    }
    tree_file_write(path, found);
    free(found.at);
}

static inline void tree_lose_one(void *context, const char *name)
{
    const struct tree_pair *pair = context;
    char synced[TREE_PATH_BYTES], live[TREE_PATH_BYTES];
    tree_path(synced, pair->from, name);
    tree_path(live, pair->to, name);
    if (tree_is_folder(live)) {
        tree_lose(synced, live, pair->seed);
        return;
    }
    int was_there = access(synced, F_OK) == 0;
    struct bytes old = bytes_of_file(synced), new = bytes_of_file(live);
    if (!was_there && random_next(pair->seed) >> 62 == 0)
        unlink(live);
    else
        tree_lose_file(live, old, new, pair->seed);
    free(old.at);
    free(new.at);
}

/* What has been removed since may be back. */
static inline void tree_return_one(void *context, const char *name)
{
    const struct tree_pair *pair = context;
    char synced[TREE_PATH_BYTES], live[TREE_PATH_BYTES];
    tree_path(synced, pair->from, name);
    tree_path(live, pair->to, name);
    if (access(live, F_OK) == 0 || random_next(pair->seed) >> 63)
        return;
    if (tree_is_folder(synced))
        tree_copy(synced, live);
    else
        tree_copy_one((void *)(uintptr_t)pair, name);
}

/* `live` as a power loss may leave it, of which `synced` was on the disk. */
static inline void tree_lose(const char *synced, const char *live, unsigned long long *seed)
{
    struct tree_pair pair = {synced, live, seed, 0, 0};
    tree_walk(live, &pair, tree_lose_one);
    tree_walk(synced, &pair, tree_return_one);
}

#endif

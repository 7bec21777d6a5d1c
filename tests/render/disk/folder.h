/* A folder of its own for each test, and whole files in memory. */
#ifndef TESTS_RENDER_DISK_FOLDER_H
#define TESTS_RENDER_DISK_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/check.h"

struct folder {
    char path[256];
};

static inline int folder_setup(void **state)
{
    struct folder *folder = malloc(sizeof *folder);
    const char *base = getenv("TMPDIR");
    if (!folder)
        return -1;
    snprintf(folder->path, sizeof folder->path, "%s/deepfield-test-XXXXXX", base ? base : "/tmp");
    *state = folder;
    return mkdtemp(folder->path) ? 0 : -1;
}

/* A test in a folder of its own. */
#define IN_FOLDER(name) TEST_WITH(name, folder_setup, folder_teardown)

/* Borrowed until the fourth call after this one. */
static inline const char *in_folder(void **state, const char *name)
{
    static char path[4][600];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", ((struct folder *)*state)->path, name);
    return path[turn];
}

static inline void tree_remove(const char *path)
{
    DIR *stream = opendir(path);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char below[1400];
        snprintf(below, sizeof below, "%.1100s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            tree_remove(below);
    }
    if (stream)
        closedir(stream);
    remove(path);
}

/* Files whose names contain `part`; removes them if asked. "" counts all. */
static inline int folder_count(void **state, const char *part, int remove_them)
{
    DIR *stream = opendir(((struct folder *)*state)->path);
    int count = 0;
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
            !strstr(entry->d_name, part))
            continue;
        count++;
        if (remove_them)
            tree_remove(in_folder(state, entry->d_name));
    }
    if (stream)
        closedir(stream);
    return count;
}

static inline int folder_teardown(void **state)
{
    struct folder *folder = *state;
    folder_count(state, "", 1);
    int failed = rmdir(folder->path);
    free(folder);
    return failed;
}

struct bytes {
    unsigned char *at; /* owned; exactly `length` bytes, so that sanitizers see reads beyond */
    size_t length;
};

static inline struct bytes bytes_of_file(const char *path);

/* Names and bytes of all that is in a folder, in order. */
static inline struct bytes bytes_of_folder(const char *path)
{
    struct bytes all = {.at = calloc(1, 1)};
    struct dirent **entry = NULL;
    int count = scandir(path, &entry, NULL, alphasort);
    for (int i = 0; i < count; free(entry[i++])) {
        char below[1400];
        snprintf(below, sizeof below, "%.1100s/%s", path, entry[i]->d_name);
        if (entry[i]->d_name[0] == '.')
            continue;
        struct bytes one = bytes_of_file(below);
        size_t name = strlen(entry[i]->d_name) + 1;
        all.at = realloc(all.at, all.length + name + one.length);
        memcpy(all.at + all.length, entry[i]->d_name, name);
        memcpy(all.at + all.length + name, one.at, one.length);
        all.length += name + one.length;
        free(one.at);
    }
    free(entry);
    return all;
}

static inline struct bytes bytes_of_file(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return bytes_of_folder(path);
    struct bytes bytes = {0};
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return bytes;
    fseek(stream, 0, SEEK_END);
    bytes.length = (size_t)ftell(stream);
    rewind(stream);
    bytes.at = malloc(bytes.length ? bytes.length : 1);
    if (bytes.at && fread(bytes.at, 1, bytes.length, stream) != bytes.length)
        bytes.length = 0;
    fclose(stream);
    return bytes;
}

static inline int bytes_equal(struct bytes a, struct bytes b)
{
    return a.length == b.length && a.at && b.at && !memcmp(a.at, b.at, a.length);
}

static inline void file_fill(const char *path, const char *text)
{
    FILE *stream = fopen(path, "wb");
    if (stream) {
        fputs(text, stream);
        fclose(stream);
    }
}

/* xorshift64*: Vigna, ACM TOMS 42 (2016). The seed is printed, and taken from DEEPFIELD_SEED. */
static inline unsigned long long random_next(unsigned long long *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 2685821657736338717ull;
}

static inline unsigned long long random_seed(void)
{
    const char *given = getenv("DEEPFIELD_SEED");
    unsigned long long seed = given ? strtoull(given, NULL, 10) : (unsigned long long)time(NULL);
    printf("DEEPFIELD_SEED=%llu\n", seed);
    return seed * 2 + 1;
}

#endif

/* A folder of its own for each test, with whatever the test leaves in it. */
#ifndef TESTS_APP_SCRATCH_H
#define TESTS_APP_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

enum { SCRATCH_BYTES = 64 };

static inline void scratch_make(char path[SCRATCH_BYTES])
{
    snprintf(path, SCRATCH_BYTES, "/tmp/deepfield-test-XXXXXX");
    assert_non_null(mkdtemp(path));
}

/* With hidden files too: a process that was killed leaves unfinished ones. */
static inline void scratch_remove(const char *path)
{
    DIR *stream = opendir(path);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char *inner;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        assert_true(asprintf(&inner, "%s/%s", path, entry->d_name) > 0);
        scratch_remove(inner);
        free(inner);
    }
    if (stream)
        closedir(stream);
    remove(path);
}

#endif

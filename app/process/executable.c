#include "app/process/executable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int executable_find(const char *const names[], int count, char *path, size_t bytes)
{
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : "/usr/bin:/bin"; at;) {
        size_t length = strcspn(at, ":");
        for (int i = 0; i < count; i++) {
            snprintf(path, bytes, "%.*s/%s", length ? (int)length : 1, length ? at : ".", names[i]);
            if (access(path, X_OK) == 0)
                return i;
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return -1;
}

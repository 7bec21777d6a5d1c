/* A file in the folder of a film, by its name in the open folder (render/disk/folder.h). */
#ifndef RENDER_FILM_FILM_FILE_H
#define RENDER_FILM_FILM_FILE_H

#include "render/disk/temporary_file.h"

struct film_file {
    int folder;        /* descriptor, owned by the user of the folder; -1: no file */
    const char *where; /* path of the folder, for sentences; borrowed */
    char name[TEMPORARY_NAME_BYTES];
};

#endif

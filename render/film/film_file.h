/* A file of the folder of a film, by its name in the folder that is open (render/disk/folder.h). */
#ifndef RENDER_FILM_FILM_FILE_H
#define RENDER_FILM_FILM_FILE_H

#include "render/disk/temporary_file.h"

struct film_file {
    int folder;        /* descriptor, of who has the folder; -1: it is none */
    const char *where; /* path of the folder, for sentences; borrowed */
    char name[TEMPORARY_NAME_BYTES];
};

#endif

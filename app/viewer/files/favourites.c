#include "app/viewer/files/favourites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/files/user_data.h"
#include "library/text/text_file.h"

void favourites_destroy(struct favourites *favourites)
{
    for (int i = 0; i < FAVOURITES; i++)
        free(favourites->text[i]);
    *favourites = (struct favourites){0};
}

static enum status path_make(char path[USER_DATA_PATH_BYTES], const char *folder, int number)
{
    char name[16];
    snprintf(name, sizeof name, "%d.ini", number + 1);
    return user_data_path(path, folder, name);
}

void favourites_load(struct favourites *favourites, const char *folder)
{
    char path[USER_DATA_PATH_BYTES];
    size_t length;
    favourites_destroy(favourites);
    for (int i = 0; i < FAVOURITES; i++)
        if (path_make(path, folder, i) != STATUS_OK ||
            text_file_read(path, FAVOURITE_BYTES_MAX, &favourites->text[i], &length) != STATUS_OK)
            favourites->text[i] = NULL;
}

bool favourite_is(const struct favourites *favourites, int number)
{
    return favourites->text[number] != NULL;
}

enum status favourite_keep(struct favourites *favourites, int number, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a favourite");
    free(favourites->text[number]);
    favourites->text[number] = copy;
    return STATUS_OK;
}

enum status favourite_recall(const struct favourites *favourites, int number, struct place *place)
{
    struct place kept = {0};
    const char *text = favourites->text[number];
    char name[32];
    snprintf(name, sizeof name, "favourite %d", number + 1);
    TRY(place_copy(&kept, place));
    enum status status = place_text_read(&kept, text, strlen(text), name);
    if (status == STATUS_OK) {
        memcpy(place->palette, kept.palette, sizeof place->palette);
        place->look = kept.look;
    }
    place_destroy(&kept);
    return status;
}

#include "app/report/markup.h"

#include <string.h>

/* Returns the entity of a character; NULL: it stands for itself. */
static const char *entity_of(char c)
{
    static const struct {
        char c;
        const char *entity;
    } rows[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].c == c)
            return rows[i].entity;
    return NULL;
}

char *markup_escape(char *to, const char *text)
{
    for (; *text; text++) {
        const char *entity = entity_of(*text);
        if (entity)
            to = stpcpy(to, entity);
        else
            *to++ = *text;
    }
    *to = '\0';
    return to;
}

void markup_write(FILE *stream, const char *text)
{
    for (; *text; text++) {
        const char *entity = entity_of(*text);
        if (entity)
            fputs(entity, stream);
        else
            putc(*text, stream);
    }
}

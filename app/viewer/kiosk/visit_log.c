#include "app/viewer/kiosk/visit_log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "date,visits,seconds,places\n"

enum { LINE_BYTES = 96 };

/* Finds the line of a date; NULL: there is none. */
static const char *day_find(const char *text, const char *date)
{
    size_t length = strlen(date);
    for (const char *line = text; *line; line++) {
        if (!strncmp(line, date, length) && line[length] == ',')
            return line;
        line = strchr(line, '\n');
        if (!line)
            break;
    }
    return NULL;
}

enum status visit_log_add(const char *text, const struct visit *visit, char **added)
{
    unsigned long long visits = 0, seconds = 0, places = 0;
    if (!*text)
        text = HEADER;
    if (strncmp(text, HEADER, sizeof HEADER - 1) != 0)
        return status_fail(STATUS_BAD_DATA, "it does not begin with '%.*s'", (int)sizeof HEADER - 2,
                           HEADER);
    const char *day = day_find(text, visit->date), *rest = "";
    size_t before = day ? (size_t)(day - text) : strlen(text);
    if (day &&
        sscanf(day + strlen(visit->date), ",%llu,%llu,%llu", &visits, &seconds, &places) != 3)
        return status_fail(STATUS_BAD_DATA, "its line of %s is no line of a day", visit->date);
    if (day && strchr(day, '\n'))
        rest = strchr(day, '\n') + 1;
    size_t bytes = before + LINE_BYTES + strlen(rest) + 2;
    if (!(*added = malloc(bytes)))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the log of visits");
    snprintf(*added, bytes, "%.*s%s%s,%llu,%llu,%llu\n%s", (int)before, text,
             text[before - 1] == '\n' ? "" : "\n", visit->date, visits + 1,
             seconds + (unsigned long long)fmax(round(visit->seconds), 0),
             places + (unsigned long long)visit->places, rest);
    return STATUS_OK;
}

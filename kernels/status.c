#include "kernels/status.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

struct status_row {
    int exit_code;
    const char *summary;
};

static const struct status_row rows[] = {
#define STATUS_ROW(name, code, summary) [name] = {code, summary},
    STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

static _Thread_local char text[STATUS_TEXT_BYTES];

static const struct status_row *row_of(enum status status)
{
    int known = (int)status >= 0 && (int)status < STATUS_KINDS;
    return &rows[known ? status : STATUS_INTERNAL];
}

int status_exit_code(enum status status)
{
    return row_of(status)->exit_code;
}

const char *status_summary(enum status status)
{
    return row_of(status)->summary;
}

enum status status_fail(enum status status, const char *format, ...)
{
    assert(status != STATUS_OK);
    char sentence[STATUS_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    snprintf(text, sizeof text, "%s", sentence);
    return status;
}

const char *status_text(void)
{
    return text;
}

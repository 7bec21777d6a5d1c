#include "kernels/status.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static const int exit_code[] = {
#define STATUS_ROW(name, code) [name] = code,
    STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

static _Thread_local char text[STATUS_TEXT_BYTES];

int status_exit_code(enum status status)
{
    int listed = (int)status >= 0 && (int)status < STATUS_KINDS;
    return exit_code[listed ? status : STATUS_INTERNAL];
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

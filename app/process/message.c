#include "app/process/message.h"

#include <stdio.h>

void message_print(const char *text)
{
    fputs("deepfield: ", stderr);
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, stderr);
    fputc('\n', stderr);
}

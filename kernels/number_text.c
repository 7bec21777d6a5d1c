#include "kernels/number_text.h"

#include <ctype.h>
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return isdigit((unsigned char)c);
}

bool number_real_take(const char **text, double *number)
{
    const char *at = *text + strspn(*text, "+-"), *digit = at + (*at == '.');
    char *end;
    if (at > *text + 1 || !is_digit(*digit) || (*at == '0' && (at[1] == 'x' || at[1] == 'X')))
        return false;
    /* A constant of the C library, which is not freed. */
    *number = strtod_l(*text, &end, newlocale(LC_ALL_MASK, "C", (locale_t)0));
    *text = end;
    return true;
}

bool number_whole_take(const char **text, int64_t *number)
{
    char *end;
    if (!is_digit((*text)[**text == '+' || **text == '-']))
        return false;
    *number = strtoll(*text, &end, 10);
    *text = end;
    return true;
}

double number_real(const char *text)
{
    double number = 0;
    return number_real_take(&text, &number) ? number : 0;
}

int64_t number_whole(const char *text)
{
    int64_t number = 0;
    return number_whole_take(&text, &number) ? number : 0;
}

const char *number_shortest(double number, int digits, char text[NUMBER_TEXT_BYTES])
{
    for (; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT_BYTES, "%.*g", digits, number);
        if (number_real(text) == number)
            break;
    }
    return text;
}

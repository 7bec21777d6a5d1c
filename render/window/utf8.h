/* The characters of a UTF-8 text of unknown origin. */
#ifndef RENDER_WINDOW_UTF8_H
#define RENDER_WINDOW_UTF8_H

#include <stdint.h>

enum { UTF8_WRONG = 0xfffd }; /* replacement character */

/* Next character at *text, which moves behind it; 0 at the end, where *text stays. A byte that
 * begins no character of RFC 3629 counts as UTF8_WRONG. */
static inline int32_t utf8_next(const char **text)
{
    static const int32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)*text;
    if (!at[0])
        return 0;
    *text += 1;
    if (at[0] < 0x80)
        return at[0];
    int more = at[0] >= 0xf0 ? 3 : at[0] >= 0xe0 ? 2 : 1;
    int32_t c = at[0] & (0x3f >> more);
    if (at[0] < 0xc0 || at[0] >= 0xf8)
        return UTF8_WRONG;
    for (int i = 1; i <= more; i++) { /* stops at the text's NUL, too */
        if ((at[i] & 0xc0) != 0x80)
            return UTF8_WRONG;
        c = c << 6 | (at[i] & 0x3f);
    }
    if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return UTF8_WRONG;
    *text += more;
    return c;
}

#endif

#include "app/viewer/notice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/style.h"

static void drop(struct notices *notices, int number)
{
    struct notice *notice = notices->notice;
    memmove(&notice[number], &notice[number + 1], (size_t)(NOTICES - 1 - number) * sizeof *notice);
    notice[NOTICES - 1] = (struct notice){0};
}

static int count(const struct notices *notices)
{
    int i = 0;
    while (i < NOTICES && notices->notice[i].until_s > 0)
        i++;
    return i;
}

void notice_say(struct notices *notices, enum notice_kind kind, double now_s, const char *text)
{
    struct notice fresh = {.until_s = now_s + NOTICE_SECONDS * (kind == NOTICE_ALARM ? 2 : 1),
                           .kind = kind};
    snprintf(fresh.text, sizeof fresh.text, "%s", text);
    size_t length = strlen(fresh.text);
    while (length && length < strlen(text) && ((unsigned char)text[length] & 0xc0) == 0x80)
        fresh.text[--length] = '\0';
    for (int i = 0; i < NOTICES; i++)
        if (!strcmp(notices->notice[i].text, fresh.text))
            drop(notices, i);
    if (count(notices) == NOTICES)
        drop(notices, 0);
    notices->notice[count(notices)] = fresh;
}

bool notices_expire(struct notices *notices, double now_s)
{
    bool any = false;
    for (int i = count(notices) - 1; i >= 0; i--)
        if (notices->notice[i].until_s <= now_s) {
            drop(notices, i);
            any = true;
        }
    return any;
}

double notices_next_s(const struct notices *notices)
{
    double next_s = INFINITY;
    for (int i = 0; i < count(notices); i++)
        next_s = fmin(next_s, notices->notice[i].until_s);
    return next_s;
}

bool notice_close(struct notices *notices)
{
    int number = count(notices);
    if (number)
        drop(notices, number - 1);
    return number > 0;
}

/* At the lower edge, in the middle, the newest lowest. */
void notices_draw(const struct notices *notices, struct paint *paint)
{
    double width = paint_units(paint, paint->width);
    double y = paint_units(paint, paint->height) - STYLE_GAP;
    for (int i = count(notices) - 1; i >= 0; i--) {
        char text[NOTICE_BYTES];
        snprintf(text, sizeof text, "%s", notices->notice[i].text);
        text[paint_text_fit(paint, STYLE_LETTER, text, width - 6 * STYLE_GAP)] = '\0';
        double wide = paint_text_width(paint, STYLE_LETTER, text) + 2 * STYLE_GAP;
        y -= STYLE_LINE + STYLE_GAP;
        paint_rectangle(paint, (struct paint_area){(width - wide) / 2, y, wide, STYLE_LINE + 6},
                        STYLE_PANEL);
        paint_text(paint, (width - wide) / 2 + STYLE_GAP, y + 4, STYLE_LETTER,
                   notices->notice[i].kind == NOTICE_ALARM ? STYLE_ALARM : STYLE_TEXT, text);
    }
}

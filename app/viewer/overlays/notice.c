#include "app/viewer/overlays/notice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/overlays/style.h"

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

void notice_say(struct notices *notices, enum notice_kind kind, double now_s, const void *topic,
                const char *text)
{
    struct notice fresh = {.until_s = now_s + NOTICE_SECONDS * (kind == NOTICE_ALARM ? 2 : 1),
                           .kind = kind,
                           .topic = topic};
    snprintf(fresh.text, sizeof fresh.text, "%s", text);
    size_t length = strlen(fresh.text);
    while (length && length < strlen(text) && ((unsigned char)text[length] & 0xc0) == 0x80)
        fresh.text[--length] = '\0';
    for (int i = 0; i < NOTICES; i++)
        while (notices->notice[i].until_s > 0 && (!strcmp(notices->notice[i].text, fresh.text) ||
                                                  (topic && notices->notice[i].topic == topic)))
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

bool notices_any(const struct notices *notices)
{
    return count(notices) > 0;
}

bool notice_close(struct notices *notices)
{
    int number = count(notices);
    if (number)
        drop(notices, number - 1);
    return number > 0;
}

/* Notices stand in the middle, the newest lowest. */
void notices_draw(const struct notices *notices, struct paint *paint, double width,
                  int most_of_them)
{
    double most = width - 6 * STYLE_GAP;
    double y = paint_units(paint, paint->height) - STYLE_GAP;
    for (int i = count(notices) - 1; i >= 0 && most_of_them-- > 0; i--) {
        const struct notice *notice = &notices->notice[i];
        int lines = paint_paragraph(paint, 0, 0, STYLE_LETTER, STYLE_LINE, most, 0, notice->text);
        double wide = fmin(paint_text_width(paint, STYLE_LETTER, notice->text), most);
        struct paint_area area = {(width - wide) / 2 - STYLE_GAP, 0, wide + 2 * STYLE_GAP,
                                  lines * STYLE_LINE + 6};
        area.y = y -= area.height + 4;
        if (y < STYLE_GAP && i < count(notices) - 1)
            return;
        paint_rectangle(paint, area, STYLE_PAGE);
        paint_paragraph(paint, area.x + STYLE_GAP, y + 4, STYLE_LETTER, STYLE_LINE, most,
                        notice->kind == NOTICE_ALARM ? STYLE_ALARM : STYLE_TEXT, notice->text);
    }
}

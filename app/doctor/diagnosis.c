#include "app/doctor/diagnosis.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void diagnosis_add(struct diagnoses *diagnoses, enum verdict verdict, const char *subject,
                   const char *remedy, const char *format, ...)
{
    if (diagnoses->count == DIAGNOSES_MOST)
        return;
    struct diagnosis *row = &diagnoses->row[diagnoses->count++];
    va_list values;
    va_start(values, format);
    *row = (struct diagnosis){.verdict = verdict};
    snprintf(row->subject, sizeof row->subject, "%s", subject);
    vsnprintf(row->text, sizeof row->text, format, values);
    snprintf(row->remedy, sizeof row->remedy, "%s", remedy ? remedy : "");
    va_end(values);
}

bool diagnosis_same(const struct diagnosis *a, const struct diagnosis *b)
{
    return a->verdict == b->verdict && !strcmp(a->subject, b->subject) &&
           !strcmp(a->text, b->text) && !strcmp(a->remedy, b->remedy);
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {
        [VERDICT_FINE] = "fine", [VERDICT_NOTE] = "note", [VERDICT_WRONG] = "wrong"};
    return names[verdict];
}

void ranges_text(const bool *set, int count, char *text, int bytes)
{
    int length = 0;
    text[0] = '\0';
    for (int begin = 0; begin < count; begin++) {
        int end = begin;
        while (end < count && set[end])
            end++;
        if (end == begin)
            continue;
        const char *comma = length ? ", " : "";
        if (end - begin > 1)
            length +=
                snprintf(text + length, (size_t)(bytes - length), "%s%d-%d", comma, begin, end - 1);
        else
            length += snprintf(text + length, (size_t)(bytes - length), "%s%d", comma, begin);
        if (length >= bytes)
            return;
        begin = end;
    }
}

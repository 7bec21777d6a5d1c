#include "app/serve/page_message.h"

#include <math.h>
#include <string.h>

#include "kernels/number_text.h"

static const char *const words[PAGE_WORDS] = {
    [PAGE_MOVE] = "move",       [PAGE_REST] = "rest",
    [PAGE_SHOWN] = "shown",     [PAGE_SIZE] = "size",
    [PAGE_HOME] = "home",       [PAGE_BACK] = "back",
    [PAGE_FORWARD] = "forward", [PAGE_GO] = "go",
    [PAGE_SET] = "set",         [PAGE_JULIA] = "julia",
    [PAGE_PLACE] = "place",     [PAGE_LEAD] = "lead",
    [PAGE_RANK] = "rank",       [PAGE_BOOKMARK] = "bookmark",
    [PAGE_TOUCH] = "touch",     [PAGE_PRESS] = "press",
    [PAGE_RESET] = "reset",     [PAGE_END] = "end",
    [PAGE_SCREEN] = "screen",   [PAGE_READY] = "ready",
    [PAGE_STEP] = "step"};

static bool blank_take(const char **text)
{
    bool is = **text == ' ';
    *text += is;
    return is;
}

static bool whole_take(const char **text, int64_t least, int64_t most, int64_t *number)
{
    return blank_take(text) && number_whole_take(text, number) && *number >= least &&
           *number <= most;
}

static bool real_take(const char **text, double most, double *number)
{
    return blank_take(text) && number_real_take(text, number) && isfinite(*number) &&
           fabs(*number) <= most;
}

static bool motion_take(const char **text, struct page_message *message)
{
    struct view_motion *motion = &message->motion;
    int64_t number = 0, held = 0;
    if (!whole_take(text, 0, UINT32_MAX, &number) || !real_take(text, 1e6, &motion->from_x) ||
        !real_take(text, 1e6, &motion->from_y) || !real_take(text, 1e6, &motion->to_x) ||
        !real_take(text, 1e6, &motion->to_y) || !real_take(text, 1e6, &motion->factor) ||
        !real_take(text, 360, &motion->turn_deg) || !whole_take(text, 0, 1, &held))
        return false;
    message->number = (uint32_t)number;
    message->held = held;
    return motion->factor >= 1e-6;
}

static bool size_take(const char **text, struct page_message *message)
{
    int64_t width, height;
    if (!whole_take(text, PAGE_SIDE_LEAST, PAGE_SIDE_MOST, &width) ||
        !whole_take(text, PAGE_SIDE_LEAST, PAGE_SIDE_MOST, &height))
        return false;
    message->width = (int32_t)width;
    message->height = (int32_t)height;
    return true;
}

/* The rest of the message, which is not empty. */
static bool text_take(const char **text, struct page_message *message)
{
    if (!blank_take(text) || !**text)
        return false;
    message->text = *text;
    *text += strlen(*text);
    return true;
}

static bool key_take(const char **text, const char *letters, struct page_message *message)
{
    if (!blank_take(text))
        return false;
    size_t length = strspn(*text, letters);
    if (!length || length >= sizeof message->key)
        return false;
    memcpy(message->key, *text, length);
    message->key[length] = '\0';
    *text += length;
    return true;
}

static bool rest_take(const char **text, struct page_message *message)
{
    int64_t number = 0, in = 0;
    switch (message->word) {
    case PAGE_MOVE:
        return motion_take(text, message);
    case PAGE_JULIA:
        return real_take(text, 1e6, &message->motion.from_x) &&
               real_take(text, 1e6, &message->motion.from_y);
    case PAGE_SHOWN:
    case PAGE_READY:
        if (!whole_take(text, 0, UINT32_MAX, &number))
            return false;
        message->number = (uint32_t)number;
        return true;
    case PAGE_RANK:
        if (!whole_take(text, 0, PAGE_RANKS_MOST - 1, &number) || !whole_take(text, 0, 1, &in))
            return false;
        message->number = (uint32_t)number;
        message->in = in;
        return true;
    case PAGE_SCREEN:
        if (!whole_take(text, -1, PAGE_SCREENS_MOST - 1, &number) ||
            !whole_take(text, -1, PAGE_SCREENS_MOST - 1, &in))
            return false;
        message->column = (int)number;
        message->row = (int)in;
        return true;
    case PAGE_PRESS:
        if (!whole_take(text, 0, PAGE_BUTTONS_MOST - 1, &number))
            return false;
        message->number = (uint32_t)number;
        return true;
    case PAGE_SIZE:
        return size_take(text, message);
    case PAGE_SET:
        return key_take(text, "abcdefghijklmnopqrstuvwxyz_.", message) && text_take(text, message);
    case PAGE_STEP:
        return key_take(text, "abcdefghijklmnopqrstuvwxyz-", message);
    case PAGE_GO:
    case PAGE_BOOKMARK:
        return text_take(text, message);
    default:
        return true;
    }
}

enum status page_message_read(struct page_message *message, const char *bytes, size_t length)
{
    *message = (struct page_message){.word = PAGE_WORDS};
    size_t word = strcspn(bytes, " ");
    for (int i = 0; i < PAGE_WORDS; i++)
        if (strlen(words[i]) == word && !strncmp(words[i], bytes, word))
            message->word = (enum page_word)i;
    const char *text = bytes + word;
    size_t most = message->word == PAGE_GO         ? PAGE_MESSAGE_MOST
                  : message->word == PAGE_BOOKMARK ? PAGE_MESSAGE_BOOKMARK
                                                   : PAGE_MESSAGE_SHORT;
    if (message->word == PAGE_WORDS || strlen(bytes) != length || length > most ||
        !rest_take(&text, message) || *text)
        return status_fail(STATUS_BAD_DATA, "a message that no page of this program sends");
    return STATUS_OK;
}

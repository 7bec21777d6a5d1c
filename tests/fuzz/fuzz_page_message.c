/* Any bytes as messages of a page, each ended by a NUL: refused with a sentence, or obeyed by a
 * place, which then still is one, and whose text names no file. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/serve/exploration.h"
#include "app/serve/page_message.h"
#include "app/serve/session_bookmarks.h"
#include "app/serve/session_json.h"
#include "library/config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MESSAGES_MOST = 12 }; /* a place takes milliseconds */

static void must(int holds)
{
    if (!holds)
        __builtin_trap();
}

/* Settings of a place. */
static void config_begin(struct config *config)
{
    must(config_create(config) == STATUS_OK);
    must(config_set(config, OPTION_VIEW_RE, "-0.5", "fuzz", STATUS_CONFIG) == STATUS_OK);
    must(config_set(config, OPTION_VIEW_IM, "0", "fuzz", STATUS_CONFIG) == STATUS_OK);
    must(config_set(config, OPTION_VIEW_ZOOM, "1", "fuzz", STATUS_CONFIG) == STATUS_OK);
}

static struct exploration *exploration_once(void)
{
    static struct exploration exploration;
    struct config config;
    config_begin(&config);
    must(exploration_create(&exploration, NULL, &config, DATA_FOLDER) == STATUS_OK);
    config_destroy(&config);
    return &exploration;
}

static void bookmark_take(const char *text)
{
    struct bookmark_request request;
    char words[PAGE_MESSAGE_BOOKMARK + 1];
    must(strlen(text) < sizeof words);
    memcpy(words, text, strlen(text) + 1);
    if (bookmark_request_read(&request, words) != STATUS_OK)
        return;
    must(request.verb < BOOKMARK_VERBS);
    must(!request.title || strlen(request.title) < BOOKMARK_TITLE_BYTES);
}

static enum status message_obey(struct exploration *exploration, const struct page_message *message)
{
    bool moved;
    switch (message->word) {
    case PAGE_MOVE:
        must(isfinite(message->motion.factor) && message->motion.factor > 0);
        return exploration_move(exploration, &message->motion);
    case PAGE_SIZE:
        return exploration_size(exploration, message->width, message->height);
    case PAGE_HOME:
        return exploration_home(exploration);
    case PAGE_BACK:
    case PAGE_FORWARD:
        return exploration_step(exploration, message->word == PAGE_BACK ? -1 : 1, &moved);
    case PAGE_JULIA:
        return exploration_julia(exploration, message->motion.from_x, message->motion.from_y);
    case PAGE_GO:
        return exploration_go(exploration, message->text);
    case PAGE_SET:
        return exploration_set(exploration, message->key, message->text);
    case PAGE_RANK:
        must(message->number < PAGE_RANKS_MOST);
        return STATUS_OK;
    case PAGE_BOOKMARK:
        bookmark_take(message->text);
        return STATUS_OK;
    default:
        return exploration_rested(exploration);
    }
}

/* Its text can be written, and its palette is no file. */
static void place_check_text(const struct exploration *exploration)
{
    const deepfield_live_state state = {.limit = 100};
    const char *palette = config_text(&exploration->config, OPTION_LOOK_PALETTE);
    char *text;
    must(session_place_text(exploration, &state, &text) == STATUS_OK && *text);
    must(!palette || !strchr(palette, '/'));
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct exploration *exploration = exploration_once();
    struct page_message message;
    char note[512];
    for (int i = 0; i < MESSAGES_MOST && size; i++) {
        size_t length = strnlen((const char *)data, size);
        char *text = malloc(length + 1); /* exact, so that sanitizers see reads beyond it */
        must(text != NULL);
        memcpy(text, data, length);
        text[length] = '\0';
        enum status status = page_message_read(&message, text, length);
        if (status == STATUS_OK)
            status = message_obey(exploration, &message);
        must(status == STATUS_OK || *status_text());
        session_note(note, status_text(), DATA_FOLDER);
        must(!strchr(note, '/'));
        free(text);
        data += length;
        size -= length;
        if (size) { /* the NUL */
            data++;
            size--;
        }
    }
    place_check_text(exploration);
    exploration_destroy(exploration);
    return 0;
}

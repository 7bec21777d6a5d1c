#include "app/serve/remote_source.h"

#include <stdlib.h>
#include <string.h>

void remote_source_close(struct remote_source *source)
{
    remote_facts_free(&source->facts);
}

enum status remote_source_take(struct remote_source *source, struct cell_cache *cells,
                               struct frame_facts *frame, bool *is_new)
{
    int32_t width, height;
    uint64_t version = remote_version(source->remote);
    *is_new = version != source->version;
    if (!*is_new)
        return STATUS_OK;
    while (
        !remote_take(source->remote, &source->facts, cell_cache_pixels(cells), &width, &height)) {
        if (width < PAGE_SIDE_LEAST || height < PAGE_SIDE_LEAST || width > PAGE_SIDE_MOST ||
            height > PAGE_SIDE_MOST) {
            frame->picture = 0; /* none that a page can show */
            source->version = version;
            return STATUS_OK;
        }
        TRY(cell_cache_resize(cells, width, height));
    }
    cell_cache_changed(cells);
    source->version = version;
    source->followed = false;
    frame->picture = cell_cache_pixels(cells)->picture;
    frame->motion = source->facts.motion;
    frame->width = width;
    frame->height = height;
    frame->final = source->facts.final;
    frame->number += frame->final; /* the viewer may have moved it since the facts before */
    frame->slow = source->facts.slow;
    return STATUS_OK;
}

enum status remote_source_follow(struct remote_source *source, struct exploration *exploration)
{
    char *text;
    if (source->followed || !source->facts.place.view.re)
        return STATUS_OK;
    TRY(place_text_write(&source->facts.place, &text));
    enum status status = exploration_follow(exploration, text);
    free(text);
    source->followed = status == STATUS_OK;
    return status;
}

enum status remote_source_text(const struct remote_source *source, char **text)
{
    *text = source->facts.text ? strdup(source->facts.text) : NULL;
    if (*text)
        return STATUS_OK;
    if (!source->facts.place.view.re)
        return status_fail(STATUS_NO_INPUT, "there is no place yet");
    return place_text_write(&source->facts.place, text);
}

enum status remote_source_send(struct remote_source *source, const struct exploration *exploration,
                               const struct page_message *message)
{
    struct remote_command command = {
        .number = message->number, .motion = message->motion, .held = message->held};
    switch (message->word) {
    case PAGE_MOVE:
        command.word = REMOTE_MOVE;
        break;
    case PAGE_REST:
        command.word = REMOTE_REST;
        break;
    case PAGE_HOME:
        command.word = REMOTE_HOME;
        break;
    case PAGE_BACK:
        command.word = REMOTE_BACK;
        break;
    case PAGE_FORWARD:
        command.word = REMOTE_FORWARD;
        break;
    case PAGE_STEP:
        command.word = REMOTE_LOOK;
        command.number = action_named(message->key);
        break;
    case PAGE_RANK:
        command.word = REMOTE_RANK;
        command.held = message->in;
        break;
    case PAGE_SIZE:
        command.word = REMOTE_SIZE;
        command.width = message->width;
        command.height = message->height;
        break;
    case PAGE_TOUCH:
        command.word = REMOTE_TOUCH;
        break;
    case PAGE_PRESS:
        command.word = REMOTE_PRESS;
        break;
    case PAGE_RESET:
        command.word = REMOTE_RESET;
        break;
    case PAGE_END:
        command.word = REMOTE_END;
        break;
    default:
        command.word = REMOTE_SHOW;
        TRY(exploration_text(exploration, &command.text));
    }
    remote_command_give(source->remote, &command);
    return STATUS_OK;
}

/* The picture of a window as the source of pages (app/viewer/core/remote.h), in place of an engine
 * of their own. Thread: one, that of the server. */
#ifndef APP_SERVE_REMOTE_SOURCE_H
#define APP_SERVE_REMOTE_SOURCE_H

#include "app/serve/cell_cache.h"
#include "app/serve/exploration.h"
#include "app/serve/page_frame.h"
#include "app/serve/page_message.h"
#include "app/viewer/core/remote.h"

struct remote_source {
    struct remote *remote; /* borrowed; NULL: there is no window */
    uint64_t version;      /* newest version that was taken */
    struct remote_facts facts;
    bool followed; /* the exploration has this place */
};

void remote_source_close(struct remote_source *source);

/* Takes what the window shows, if there is something new: *is_new. */
enum status remote_source_take(struct remote_source *source, struct cell_cache *cells,
                               struct frame_facts *frame, bool *is_new);

/* Makes the exploration that of the window's place. */
enum status remote_source_follow(struct remote_source *source, struct exploration *exploration);

/* Hands over a message of the page that leads. `exploration`: the place that it shows, for words
 * that change it. */
enum status remote_source_send(struct remote_source *source, const struct exploration *exploration,
                               const struct page_message *message);

/* The text of the place, as `deepfield render` makes the picture; freed by the caller. */
enum status remote_source_text(const struct remote_source *source, char **text);

#endif

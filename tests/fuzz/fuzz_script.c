/* Any bytes as a script of the viewer: refused with its line, or played, in virtual time, with
 * events that are finite and in order. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "app/viewer/play/play.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ACTS_MAX = 2000 };

static void must(int holds)
{
    if (!holds)
        __builtin_trap();
}

static void play_some(const struct script *script)
{
    struct play play = play_begin(script, 1);
    struct play_act act;
    double now_s = 1;
    for (int i = 0; i < ACTS_MAX; i++) {
        struct play_sight sight = {i % 3 == 0, i % 7 == 0, i % 5 == 0, 640, 360};
        switch (play_next(&play, now_s, &sight, &act)) {
        case PLAY_EVENT:
            must(isfinite(act.event.time_s) && act.event.time_s <= now_s);
            must(isfinite(act.event.x) && isfinite(act.event.y) && isfinite(act.event.value));
            must(act.event.kind < INPUT_KINDS);
            break;
        case PLAY_WAIT:
            must(isfinite(act.wake_s) && act.wake_s > now_s);
            now_s = act.wake_s;
            break;
        case PLAY_END:
            return;
        default:
            must(act.step != NULL);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct script script;
    if (script_parse(&script, (const char *)data, size, "fuzz") != STATUS_OK) {
        must(*status_text());
        return 0;
    }
    if (play_check(&script) == STATUS_OK)
        play_some(&script);
    script_destroy(&script);
    return 0;
}

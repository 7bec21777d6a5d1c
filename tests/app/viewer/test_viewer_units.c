/* Modules of the viewer that need no window: when the engine is asked, what is typed, what is said,
 * what the I/O thread does, and which pixels are seen. */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/input/throttle.h"
#include "app/viewer/files/io_thread.h"
#include "app/viewer/overlays/entry.h"
#include "app/viewer/screen/compositor.h"
#include "app/viewer/overlays/notice.h"
#include "library/settings/place_text.h"
#include "tests/support/check.h"

/* ---- throttle ---- */

TEST(test_throttle)
{
    struct throttle throttle = {0};
    double until_s;
    assert_int_equal(throttle_decide(&throttle, 100, &until_s), THROTTLE_WAIT);
    assert_true(isinf(until_s));
    /* The first view is asked for at once; the next waits for the first to be covered. */
    throttle_view_changed(&throttle, 100);
    assert_int_equal(throttle_decide(&throttle, 100, &until_s), THROTTLE_ASK_MOVING);
    throttle_asked(&throttle, THROTTLE_ASK_MOVING, 100);
    assert_false(throttle_at_rest(&throttle));
    throttle_view_changed(&throttle, 100.004);
    assert_int_equal(throttle_decide(&throttle, 100.005, &until_s), THROTTLE_WAIT);
    assert_true(fabs(until_s - 100.1) < 1e-9);
    throttle_covered(&throttle, true, false);
    assert_int_equal(throttle_decide(&throttle, 100.006, &until_s), THROTTLE_WAIT);
    assert_true(fabs(until_s - 100.01) < 1e-9);
    assert_int_equal(throttle_decide(&throttle, 100.01, &until_s), THROTTLE_ASK_MOVING);
    throttle.covered = false;
    /* A picture that takes long does not hold up the hand for ever. */
    assert_int_equal(throttle_decide(&throttle, 100.11, &until_s), THROTTLE_ASK_MOVING);
    throttle_asked(&throttle, THROTTLE_ASK_MOVING, 100.11);
    /* At rest: all of the same picture. */
    assert_int_equal(throttle_decide(&throttle, 100.12, &until_s), THROTTLE_WAIT);
    assert_true(fabs(until_s - 100.254) < 1e-9);
    assert_int_equal(throttle_decide(&throttle, 100.27, &until_s), THROTTLE_ASK_SETTLED);
    throttle_asked(&throttle, THROTTLE_ASK_SETTLED, 100.27);
    assert_true(throttle_at_rest(&throttle));
    assert_int_equal(throttle_decide(&throttle, 200, &until_s), THROTTLE_WAIT);
    assert_true(isinf(until_s));
}

TEST(test_throttle_of_colours)
{
    struct throttle throttle = {0};
    double until_s;
    throttle_view_changed(&throttle, 1);
    throttle_asked(&throttle, THROTTLE_ASK_SETTLED, 2);
    throttle.look_is_new = true;
    assert_int_equal(throttle_decide(&throttle, 2.01, &until_s), THROTTLE_WAIT);
    assert_true(until_s > 2.03 && until_s < 2.04);
    /* Other colours do not make a settled picture a preview. */
    assert_int_equal(throttle_decide(&throttle, 2.04, &until_s), THROTTLE_ASK_SETTLED);
}

/* A request for every event would starve the screen: at 1000 views a second there are at most ten
 * requests, while no picture is ever covered. */
TEST(test_throttle_flood)
{
    struct throttle throttle = {0};
    int requests = 0;
    for (int i = 0; i <= 1000; i++) {
        double now_s = 10 + i / 1000.0, until_s;
        throttle_view_changed(&throttle, now_s);
        enum throttle_kind kind = throttle_decide(&throttle, now_s, &until_s);
        if (kind != THROTTLE_WAIT) {
            throttle_asked(&throttle, kind, now_s);
            requests++;
        }
    }
    assert_in_range(requests, 9, 11);
}

/* ---- entry ---- */

static struct input_event key(int32_t code)
{
    return (struct input_event){.kind = INPUT_KEY_DOWN, .key = code};
}

static void type_key(struct entry *entry, int32_t code, enum entry_answer wanted)
{
    struct input_event event = key(code);
    assert_int_equal(entry_take(entry, &event), wanted);
}

TEST(test_entry)
{
    struct entry entry = {0};
    entry_open(&entry, "");
    struct input_event text = {.kind = INPUT_TEXT, .text = "-1\xc3\xa4\x01"};
    assert_int_equal(entry_take(&entry, &text), ENTRY_CHANGED);
    assert_string_equal(entry.text, "-1\xc3\xa4"); /* control characters are left out */
    type_key(&entry, INPUT_KEY_BACKSPACE, ENTRY_CHANGED);
    assert_string_equal(entry.text, "-1"); /* a character, not a byte */
    type_key(&entry, INPUT_KEY_HOME, ENTRY_MOVED);
    assert_true(entry_type(&entry, "0\t5\r\n"));
    assert_string_equal(entry.text, "0 5\n-1");
    type_key(&entry, INPUT_KEY_ARROW_LEFT, ENTRY_MOVED);
    type_key(&entry, INPUT_KEY_DELETE, ENTRY_CHANGED);
    assert_string_equal(entry.text, "0 5-1");
    type_key(&entry, INPUT_KEY_END, ENTRY_MOVED);
    type_key(&entry, INPUT_KEY_DELETE, ENTRY_CHANGED);
    assert_string_equal(entry.text, "0 5-1");
    type_key(&entry, INPUT_KEY_F1, ENTRY_OPEN);
    type_key(&entry, INPUT_KEY_ENTER, ENTRY_ACCEPTED);
    struct input_event word = key(INPUT_KEY_BACKSPACE);
    word.modifiers = INPUT_CTRL;
    entry_take(&entry, &word);
    assert_string_equal(entry.text, "0 5-");
    entry_take(&entry, &word);
    entry_take(&entry, &word);
    assert_string_equal(entry.text, "");
    for (int i = 0; i < 3; i++)
        type_key(&entry, INPUT_KEY_BACKSPACE, ENTRY_CHANGED);
    entry_close(&entry);
    entry_close(&entry);
}

static void type_with(struct entry *entry, int32_t code, unsigned modifiers)
{
    struct input_event event = key(code);
    event.modifiers = modifiers;
    entry_take(entry, &event);
}

static void selected_is(const struct entry *entry, const char *wanted)
{
    char *text = entry_selected(entry);
    assert_string_equal(text, wanted);
    free(text);
}

TEST(text_is_selected_and_undone)
{
    struct entry entry = {0};
    entry_open(&entry, "re = -0.75\nim = 0.1");
    type_with(&entry, INPUT_KEY_ARROW_LEFT, INPUT_CTRL | INPUT_SHIFT);
    selected_is(&entry, "0.1");
    struct input_event digit = {.kind = INPUT_TEXT, .text = "2"};
    entry_take(&entry, &digit);
    entry_take(&entry, &digit);
    assert_string_equal(entry.text, "re = -0.75\nim = 22");
    type_with(&entry, 'z', INPUT_CTRL); /* both characters are one step, the selection another */
    assert_string_equal(entry.text, "re = -0.75\nim = 2");
    type_with(&entry, 'z', INPUT_CTRL);
    assert_string_equal(entry.text, "re = -0.75\nim = 0.1");
    type_with(&entry, INPUT_KEY_END, 0);
    type_with(&entry, INPUT_KEY_HOME, INPUT_SHIFT);
    selected_is(&entry, "im = 0.1");
    type_with(&entry, INPUT_KEY_ARROW_LEFT, 0); /* to the left end of what was selected */
    assert_int_equal(entry.cursor, 11);
    type_with(&entry, 'a', INPUT_CTRL);
    selected_is(&entry, "re = -0.75\nim = 0.1");
    entry_erase(&entry);
    assert_string_equal(entry.text, "");
    type_with(&entry, 'z', INPUT_CTRL);
    assert_int_equal(entry.length, 19);
    for (int i = 0; i < 3 * ENTRY_STEPS; i++) { /* older steps are dropped */
        type_with(&entry, INPUT_KEY_BACKSPACE, 0);
        entry_take(&entry, &digit);
    }
    for (int i = 0; i < 3 * ENTRY_STEPS; i++)
        type_with(&entry, 'z', INPUT_CTRL);
    assert_int_equal(entry.length, 19);
    entry_close(&entry);
}

TEST(test_entry_is_bounded)
{
    struct entry entry = {0};
    char *much = malloc(ENTRY_BYTES_MAX / 2 + 1);
    memset(much, '7', ENTRY_BYTES_MAX / 2);
    much[ENTRY_BYTES_MAX / 2] = '\0';
    entry_open(&entry, much);
    assert_int_equal(entry.length, ENTRY_BYTES_MAX / 2);
    assert_false(entry_type(&entry, much));
    assert_int_equal(entry.length, ENTRY_BYTES_MAX / 2);
    entry_close(&entry);
    free(much);
}

/* ---- notices ---- */

TEST(test_notices)
{
    struct notices notices = {0};
    assert_true(isinf(notices_next_s(&notices)));
    assert_false(notice_close(&notices));
    notice_say(&notices, NOTICE_INFO, 10, NULL, "one");
    notice_say(&notices, NOTICE_ALARM, 10, NULL, "two");
    notice_say(&notices, NOTICE_INFO, 11, NULL, "one"); /* again: only later */
    assert_string_equal(notices.notice[0].text, "two");
    assert_string_equal(notices.notice[1].text, "one");
    assert_string_equal(notices.notice[2].text, "");
    assert_true(notices_next_s(&notices) == 15);
    assert_false(notices_expire(&notices, 14.9));
    assert_true(notices_expire(&notices, 15));
    assert_string_equal(notices.notice[0].text, "two");
    for (int i = 0; i < 9; i++)
        notice_say(&notices, NOTICE_INFO, 20, NULL, (char[]){(char)('a' + i), '\0'});
    assert_string_equal(notices.notice[NOTICES - 1].text, "i");
    assert_true(notice_close(&notices));
    assert_string_equal(notices.notice[NOTICES - 2].text, "h");
    /* Of several sizes of text only the last is of interest. */
    notices = (struct notices){0};
    notice_say(&notices, NOTICE_INFO, 20, &notices, "1.25 times");
    notice_say(&notices, NOTICE_INFO, 20, NULL, "other");
    notice_say(&notices, NOTICE_INFO, 20, &notices, "1.5 times");
    assert_string_equal(notices.notice[0].text, "other");
    assert_string_equal(notices.notice[1].text, "1.5 times");
    assert_string_equal(notices.notice[2].text, "");
    char longest[2 * NOTICE_BYTES] = "";
    while (strlen(longest) < NOTICE_BYTES + 8)
        strncat(longest, "\xc3\xa4", 3);
    notice_say(&notices, NOTICE_INFO, 21, NULL, longest);
    size_t length = strlen(notices.notice[2].text);
    assert_int_equal(length % 2, 0); /* not cut within a character */
    assert_in_range(length, NOTICE_BYTES - 3, NOTICE_BYTES - 1);
}

/* ---- io_thread ---- */

struct task {
    pthread_mutex_t *gate;
    atomic_bool *begun;
    int number, *order, *done, *destroyed;
};

static enum status task_work(void *context, char *text)
{
    struct task *task = context;
    atomic_store(task->begun, true);
    pthread_mutex_lock(task->gate);
    task->order[(*task->done)++] = task->number;
    pthread_mutex_unlock(task->gate);
    if (task->number == 3)
        return status_fail(STATUS_IO, "the disk is full");
    if (task->number == 5)
        snprintf(text, IO_THREAD_TEXT_BYTES, "five is done");
    return STATUS_OK;
}

static void task_destroy(void *context)
{
    ++*((struct task *)context)->destroyed;
}

TEST(test_io_thread)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    atomic_bool begun = false;
    int order[IO_THREAD_JOBS_MAX + 2], done = 0, destroyed = 0, refused = 0;
    struct task task[IO_THREAD_JOBS_MAX + 2];
    struct io_thread *io_thread;
    struct io_thread_report report;
    assert_int_equal(io_thread_open(&io_thread, NULL, NULL), STATUS_OK);
    pthread_mutex_lock(&gate); /* the first job waits at work, so that the others queue up */
    for (int i = 0; i < IO_THREAD_JOBS_MAX + 2; i++) {
        task[i] = (struct task){&gate, &begun, i, order, &done, &destroyed};
        struct io_thread_job job = {task_work, task_destroy, &task[i]};
        refused += io_thread_give(io_thread, &job) != STATUS_OK;
        while (!atomic_load(&begun))
            sched_yield();
    }
    assert_int_equal(refused, 1); /* one is at work, and the queue is full */
    assert_false(io_thread_idle(io_thread));
    pthread_mutex_unlock(&gate);
    while (!io_thread_idle(io_thread))
        ;
    assert_true(io_thread_report(io_thread, &report));
    assert_int_equal(report.status, STATUS_IO);
    assert_string_equal(report.text, "the disk is full");
    assert_true(io_thread_report(io_thread, &report));
    assert_string_equal(report.text, "five is done");
    assert_false(io_thread_report(io_thread, &report));
    io_thread_close(io_thread);
    assert_int_equal(done + refused, IO_THREAD_JOBS_MAX + 2);
    assert_int_equal(destroyed, IO_THREAD_JOBS_MAX + 2);
    for (int i = 0; i < done; i++)
        assert_int_equal(order[i], i);
    io_thread_close(NULL);
}

/* ---- compositor ---- */

enum { W = 16, H = 8 };

static struct place place_at(const char *re)
{
    struct place place = {.limit = 0};
    assert_int_equal(view_set(&place.view, re, "0", "1", 0, W, H), STATUS_OK);
    return place;
}

/* Do the output's pixels stand for this very view, all of them from the newest picture? */
static bool is_exact(const struct compositor *compositor)
{
    return compositor->output_holds_base && compositor->covered;
}

/* As if the engine had filled the base. */
static void base_is(struct compositor *compositor, const struct place *place, uint64_t picture,
                    bool covered)
{
    compositor->base.picture = picture;
    compositor->covered = covered;
    compositor->done = covered ? 1 : 0.5;
    const struct view *view = &place->view;
    assert_int_equal(
        view_set(&compositor->base_sight.view, view->re, view->im, view->zoom, 0, W, H), STATUS_OK);
    for (int i = 0; i < W * H; i++)
        compositor->base.pixels[i] = covered || i % W < 8 ? 0xff000000u + (uint32_t)i : 0;
}

TEST(test_glass)
{
    struct compositor compositor = {0};
    const struct formula formula = {0};
    struct place here = place_at("0"), beside = place_at("1");
    assert_int_equal(compositor_resize(&compositor, W, H), STATUS_OK);
    assert_int_equal(
        compositor_compose(&compositor, &here.view, &formula, COMPOSITOR_FINE, &compositor.output),
        STATUS_OK);
    assert_int_equal(compositor.output.pixels[0], WARP_NEUTRAL); /* nothing is known yet */
    base_is(&compositor, &here, 1, false);
    assert_int_equal(
        compositor_compose(&compositor, &here.view, &formula, COMPOSITOR_FINE, &compositor.output),
        STATUS_OK);
    assert_int_equal(compositor.output.pixels[7], 0xff000007u);
    assert_int_equal(compositor.output.pixels[8], WARP_NEUTRAL);
    assert_false(is_exact(&compositor));
    base_is(&compositor, &here, 1, true);
    assert_int_equal(
        compositor_compose(&compositor, &here.view, &formula, COMPOSITOR_FINE, &compositor.output),
        STATUS_OK);
    assert_true(is_exact(&compositor));
    assert_memory_equal(compositor.output.pixels, compositor.base.pixels, W * H * sizeof(uint32_t));
    /* 4 is H pixels, so a step to the right by 1 is 2 pixels: what is seen moves left, exactly. */
    assert_int_equal(compositor_compose(&compositor, &beside.view, &formula, COMPOSITOR_FINE,
                                        &compositor.output),
                     STATUS_OK);
    assert_false(is_exact(&compositor));
    assert_int_equal(compositor.output.pixels[0], 0xff000002u);
    assert_int_equal(compositor.output.pixels[W - 1], WARP_NEUTRAL);
    /* Another formula has nothing to do with it. */
    struct formula julia = {.plane = DYNAMIC_PLANE, .c_re = -0.8};
    assert_int_equal(
        compositor_compose(&compositor, &here.view, &julia, COMPOSITOR_FINE, &compositor.output),
        STATUS_OK);
    assert_int_equal(compositor.output.pixels[0], WARP_NEUTRAL);
    /* Another size: what was seen is carried along, in the middle. */
    assert_int_equal(compositor_resize(&compositor, W + 2, H), STATUS_OK);
    here.view.width = W + 2;
    assert_int_equal(
        compositor_compose(&compositor, &here.view, &formula, COMPOSITOR_FINE, &compositor.output),
        STATUS_OK);
    assert_int_equal(compositor.output.pixels[1], 0xff000000u);
    assert_int_equal(compositor.output.pixels[0], WARP_NEUTRAL);
    view_destroy(&here.view);
    view_destroy(&beside.view);
    compositor_destroy(&compositor);
    compositor_destroy(&compositor);
}

/* Where only the newest picture is seen, only its changed pixels are copied into the frame. */
TEST(test_compositor_update_copies_what_is_new)
{
    struct compositor compositor = {0};
    const struct formula formula = {0};
    struct place here = place_at("0"), beside = place_at("1");
    uint32_t pixels[W * H];
    struct warp_image frame = {pixels, W, H, W}, image;
    struct changed_box box[COMPOSITOR_BOXES];
    assert_int_equal(compositor_resize(&compositor, W, H), STATUS_OK);
    assert_false(compositor_image(&compositor, &image)); /* nothing is composed yet */
    assert_int_equal(compositor_update(&compositor, &here.view, &formula, &frame, box), -1);
    base_is(&compositor, &here, 1, true);
    assert_int_equal(compositor_compose(&compositor, &here.view, &formula, COMPOSITOR_FINE, &frame),
                     STATUS_OK);
    assert_memory_equal(pixels, compositor.base.pixels, sizeof pixels);
    assert_true(compositor_image(&compositor, &image));
    assert_ptr_equal(image.pixels, compositor.base.pixels);
    assert_int_equal(compositor_update(&compositor, &here.view, &formula, &frame, box), 0);
    compositor.base.pixels[5] = 0xff123456;
    changed_blocks_mark(compositor.base.changed, (struct changed_box){5, 0, 6, 1});
    assert_int_equal(compositor_update(&compositor, &here.view, &formula, &frame, box), 1);
    assert_memory_equal(pixels, compositor.base.pixels, sizeof pixels);
    assert_int_equal(compositor_update(&compositor, &beside.view, &formula, &frame, box), -1);
    assert_int_equal(
        compositor_compose(&compositor, &beside.view, &formula, COMPOSITOR_FINE, &frame),
        STATUS_OK);
    assert_int_equal(pixels[0], 0xff000002u);
    assert_false(compositor_image(&compositor, &image)); /* only the frame has it */
    assert_int_equal(compositor_update(&compositor, &here.view, &formula, &frame, box), -1);
    view_destroy(&here.view);
    view_destroy(&beside.view);
    compositor_destroy(&compositor);
}

/* What comes of a picture goes on top of what is seen, which is what all of it anew would be. */
TEST(test_glass_grows)
{
    struct compositor compositor = {0};
    const struct formula formula = {0};
    struct place here = place_at("0"), near = place_at("0.1");
    uint32_t grown[W * H];
    assert_int_equal(compositor_resize(&compositor, W, H), STATUS_OK);
    compositor.old = (struct warp_image){calloc(W * H, sizeof(uint32_t)), W, H, W};
    for (int i = 0; i < W * H; i++)
        compositor.old.pixels[i] = 0xff000000u | 0x010203u * (uint32_t)i;
    assert_int_equal(view_copy(&compositor.old_sight.view, &near.view), STATUS_OK);
    for (uint64_t picture = 1; picture <= 2; picture++) { /* the second has fewer pixels again */
        base_is(&compositor, &here, picture, false);
        for (int known = picture == 1 ? 6 : 2; known < 8; known++) {
            for (int i = 0; i < W * H; i++)
                compositor.base.pixels[i] = i % W < known ? 0xffabcdefu : 0;
            assert_int_equal(compositor_compose(&compositor, &here.view, &formula, COMPOSITOR_FINE,
                                                &compositor.output),
                             STATUS_OK);
            assert_true(compositor.carried);
            memcpy(grown, compositor.output.pixels, sizeof grown);
            compositor.carried = false;
            assert_int_equal(compositor_compose(&compositor, &here.view, &formula, COMPOSITOR_FINE,
                                                &compositor.output),
                             STATUS_OK);
            assert_memory_equal(grown, compositor.output.pixels, sizeof grown);
        }
    }
    /* Another picture before, another view: nothing of it stays. */
    assert_int_equal(
        compositor_compose(&compositor, &near.view, &formula, COMPOSITOR_FINE, &compositor.output),
        STATUS_OK);
    assert_memory_equal(compositor.output.pixels, compositor.old.pixels, sizeof grown);
    view_destroy(&here.view);
    view_destroy(&near.view);
    compositor_destroy(&compositor);
}

/* While it turns, squares of two pixels; each within what lies about it in the fine picture. */
TEST(test_glass_turned)
{
    struct compositor compositor = {0};
    const struct formula formula = {0};
    struct place here = place_at("0"), turned = place_at("0");
    uint32_t fine[W * H];
    turned.view.rotation_deg = 90;
    assert_int_equal(compositor_resize(&compositor, W, H), STATUS_OK);
    base_is(&compositor, &here, 1, true);
    for (int i = 0; i < W * H; i++) /* grey, lighter from left to right */
        compositor.base.pixels[i] = 0xff000000u | 0x010101u * (uint32_t)(i % W * 8);
    assert_int_equal(compositor_compose(&compositor, &turned.view, &formula, COMPOSITOR_FINE,
                                        &compositor.output),
                     STATUS_OK);
    assert_false(compositor.rough);
    memcpy(fine, compositor.output.pixels, sizeof fine);
    assert_int_equal(compositor_compose(&compositor, &turned.view, &formula, COMPOSITOR_FAST,
                                        &compositor.output),
                     STATUS_OK);
    assert_true(compositor.rough);
    for (int y = 0; y < H; y++)
        for (int x = 4; x < 12; x++) {
            int rough = (int)(compositor.output.pixels[y * W + x] & 255);
            int exact = (int)(fine[y * W + x] & 255);
            assert_int_equal(compositor.output.pixels[y * W + x],
                             compositor.output.pixels[y / 2 * 2 * W + x / 2 * 2]);
            assert_in_range(rough - exact + 100, 100 - 5, 100 + 5); /* half a pixel is 4 */
        }
    assert_int_equal(
        compositor_compose(&compositor, &here.view, &formula, COMPOSITOR_FAST, &compositor.output),
        STATUS_OK);
    assert_true(is_exact(&compositor) && !compositor.rough);
    view_destroy(&here.view);
    view_destroy(&turned.view);
    compositor_destroy(&compositor);
}

/* The parts of the served page that need neither browser nor network: tokens, hosts, messages, the
 * pace of frames. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/http/access.h"
#include "app/serve/exploration.h"
#include "app/serve/pace.h"
#include "app/serve/page_message.h"
#include "app/serve/session_bookmarks.h"
#include "app/serve/session_json.h"
#include "tests/support/check.h"

/* ---- access ---- */

TEST(tokens_are_random_and_only_the_whole_one_counts)
{
    struct access one, other;
    char token[ACCESS_TOKEN_BYTES + 8];
    assert_int_equal(access_create(&one, 80, true, NULL, NULL), STATUS_OK);
    assert_int_equal(access_create(&other, 80, true, NULL, NULL), STATUS_OK);
    assert_int_equal(strlen(one.lead), 32);
    assert_string_not_equal(one.lead, other.lead);
    assert_string_not_equal(one.lead, one.watch);
    assert_string_not_equal(one.folder, other.folder);
    assert_int_equal(access_of_token(&one, one.lead), ACCESS_LEAD);
    assert_int_equal(access_of_token(&one, one.watch), ACCESS_WATCH);
    assert_int_equal(access_of_token(&one, other.lead), ACCESS_NONE);
    assert_int_equal(access_of_token(&one, ""), ACCESS_NONE);
    snprintf(token, sizeof token, "%sx", one.lead);
    assert_int_equal(access_of_token(&one, token), ACCESS_NONE);
    for (int i = 0; i < 32; i++) {
        snprintf(token, sizeof token, "%s", one.lead);
        token[i] ^= 1;
        assert_int_equal(access_of_token(&one, token), ACCESS_NONE);
    }
}

TEST(without_watchers_no_token_watches)
{
    struct access access;
    char zeros[ACCESS_TOKEN_BYTES] = {0};
    assert_int_equal(access_create(&access, 80, false, NULL, NULL), STATUS_OK);
    assert_int_equal(access_of_token(&access, zeros), ACCESS_NONE);
    memset(zeros, '0', sizeof zeros - 1);
    assert_int_equal(access_of_token(&access, zeros), ACCESS_NONE);
}

TEST(staff_has_a_token_of_its_own_where_there_is_a_stand)
{
    struct access access;
    char zeros[ACCESS_TOKEN_BYTES] = {0}, cookies[256];
    assert_int_equal(access_create(&access, 80, true, NULL, NULL), STATUS_OK);
    assert_int_equal(access_of_token(&access, zeros), ACCESS_NONE);
    assert_int_equal(access_staff_create(&access), STATUS_OK);
    assert_int_equal(access_of_token(&access, access.staff), ACCESS_STAFF);
    assert_int_equal(access_of_token(&access, access.lead), ACCESS_LEAD);
    assert_int_equal(access_of_token(&access, access.watch), ACCESS_WATCH);
    assert_int_equal(access_screen_create(&access), STATUS_OK);
    for (int right = ACCESS_WATCH; right <= ACCESS_STAFF; right++)
        assert_int_equal(access_of_token(&access, access_token(&access, (enum access_right)right)),
                         right);
    snprintf(cookies, sizeof cookies, "deepfield=%s; deepfield=%s", access.staff, access.watch);
    assert_true(access_in_cookies(&access, ACCESS_STAFF, cookies));
    assert_true(access_in_cookies(&access, ACCESS_WATCH, cookies));
    assert_false(access_in_cookies(&access, ACCESS_LEAD, cookies));
    assert_false(access_in_cookies(&access, ACCESS_SCREEN, cookies));
}

TEST(cookies_are_found_among_others)
{
    struct access access;
    char cookies[256];
    assert_int_equal(access_create(&access, 80, true, NULL, NULL), STATUS_OK);
    snprintf(cookies, sizeof cookies, "a=b; deepfield=x; deepfield=%s; c=d", access.watch);
    assert_true(access_in_cookies(&access, ACCESS_WATCH, cookies));
    snprintf(cookies, sizeof cookies, "notdeepfield=%s", access.lead);
    assert_false(access_in_cookies(&access, ACCESS_LEAD, cookies));
    assert_false(access_in_cookies(&access, ACCESS_LEAD, ""));
    assert_false(access_in_cookies(&access, ACCESS_LEAD, ";;; ; ="));
}

TEST(hosts_are_this_machine_or_named)
{
    struct access access = {.port = 80, .proxies = "", .hosts = "10.0.0.7, node3.cluster,"};
    assert_true(access_host_known(&access, "localhost"));
    assert_true(access_host_known(&access, "LocalHost:8042"));
    assert_true(access_host_known(&access, "127.0.0.1:1"));
    assert_true(access_host_known(&access, "[::1]:8042"));
    assert_true(access_host_known(&access, "10.0.0.7:8042"));
    assert_true(access_host_known(&access, "node3.cluster"));
    assert_false(access_host_known(&access, ""));
    assert_false(access_host_known(&access, "evil.example"));
    assert_false(access_host_known(&access, "localhost.evil.example"));
    assert_false(access_host_known(&access, "node3"));
    assert_false(access_host_known(&access, "localhost:80x"));
    assert_false(access_host_known(&access, "localhost:"));
    assert_false(access_host_known(&access, "[::1"));
    assert_false(access_host_known(&access, "[::1]x"));
}

TEST(origins_are_the_page_itself_or_a_proxy)
{
    struct access access = {.hosts = "", .proxies = "proxy.example"};
    assert_true(access_origin_same(&access, "https://proxy.example", "node3:8042"));
    assert_false(access_origin_same(&access, "https://proxy.example.evil", "node3:8042"));
    assert_false(access_origin_same(&access, "https://", "node3:8042"));
    assert_true(access_origin_same(&access, "http://localhost:8042", "localhost:8042"));
    assert_true(access_origin_same(&access, "https://a.example", "a.example"));
    assert_false(access_origin_same(&access, "http://localhost:8043", "localhost:8042"));
    assert_false(access_origin_same(&access, "http://evil.example", "localhost:8042"));
    assert_false(access_origin_same(&access, "null", "localhost:8042"));
    assert_false(access_origin_same(&access, "", ""));
    assert_false(access_origin_same(&access, "file://localhost:8042", "localhost:8042"));
}

TEST(paths_are_inside_of_the_folder)
{
    struct access access = {.folder = "0123456789abcdef"};
    enum access_right right;
    assert_string_equal(access_path_inside(&access, "/0123456789abcdef/page.js", &right),
                        "page.js");
    assert_string_equal(access_path_inside(&access, "/0123456789abcdef/", &right), "");
    assert_null(access_path_inside(&access, "/0123456789abcdef", &right));
    assert_int_equal(right, ACCESS_LEAD);
    assert_string_equal(access_path_inside(&access, "/0123456789abcdef-watch/a", &right), "a");
    assert_int_equal(right, ACCESS_WATCH);
    assert_string_equal(access_path_inside(&access, "/0123456789abcdef-staff/", &right), "");
    assert_int_equal(right, ACCESS_STAFF);
    assert_string_equal(access_path_inside(&access, "/0123456789abcdef-screen/", &right), "");
    assert_int_equal(right, ACCESS_SCREEN);
    assert_null(access_path_inside(&access, "/0123456789abcdef-lead/", &right));
    assert_null(access_path_inside(&access, "/0123456789abcdef-watch", &right));
    assert_null(access_path_inside(&access, "/", &right));
    assert_null(access_path_inside(&access, "/0123456789abcdeg/page.js", &right));
}

/* ---- messages ---- */

static enum status message_of(struct page_message *message, const char *text)
{
    return page_message_read(message, text, strlen(text));
}

TEST(a_place_tells_no_folder_of_a_palette)
{
    static const char *const rows[][2] = {{"\"/home/me/a.map\"", "\\\"a.map\\\""},
                                          {"a/b.map+/c/d.ggr", "b.map+d.ggr"},
                                          {"\"#102040#ffffff\"", "#102040#ffffff"},
                                          {"fire", "fire"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char ini[200], *json;
        snprintf(ini, sizeof ini, "[view]\ntitle = x/y\n[look]\npalette = %s\nruns = 1\n",
                 rows[i][0]);
        assert_int_equal(session_ini_text(ini, &json), STATUS_OK);
        assert_non_null(strstr(json, rows[i][1]));
        assert_non_null(strstr(json, "runs = 1"));
        assert_null(strstr(json, "home"));
        assert_null(strstr(json, "c\\/"));
        free(json);
    }
}

/* Reads the words behind "bookmark". */
static enum status bookmark_of(struct bookmark_request *request, const char *text)
{
    static char words[PAGE_MESSAGE_BOOKMARK + 1];
    snprintf(words, sizeof words, "%s", text);
    return bookmark_request_read(request, words);
}

TEST(requests_for_bookmarks_are_read)
{
    static const char *const wrong[] = {
        "",         "lists",   "list all", "go",       "go ",       "rename a", "rename",
        "rename /", "picture", "remove ",  "add \x01", "add \"a\"", "add \x7f", "add \xc3\xa9"};
    struct bookmark_request request;
    struct page_message message;
    assert_int_equal(message_of(&message, "bookmark add A place"), STATUS_OK);
    assert_int_equal(bookmark_of(&request, message.text), STATUS_OK);
    assert_int_equal(request.verb, BOOKMARK_ADD);
    assert_string_equal(request.title, "A place");
    assert_int_equal(bookmark_of(&request, "add"), STATUS_OK);
    assert_string_equal(request.title, "");
    assert_int_equal(bookmark_of(&request, "rename two words.png/a/b c"), STATUS_OK);
    assert_string_equal(request.name, "two words.png");
    assert_string_equal(request.title, "a/b c");
    assert_int_equal(bookmark_of(&request, "rename x.png/"), STATUS_OK);
    assert_string_equal(request.title, "");
    assert_int_equal(bookmark_of(&request, "go two words.png"), STATUS_OK);
    assert_string_equal(request.name, "two words.png");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(bookmark_of(&request, wrong[i]), STATUS_BAD_DATA);
}

TEST(messages_of_a_page_are_read)
{
    struct page_message message;
    assert_int_equal(message_of(&message, "move 7 -1.5 2 3e1 0 1.25 0 1"), STATUS_OK);
    assert_int_equal(message.word, PAGE_MOVE);
    assert_int_equal(message.number, 7);
    assert_true(message.motion.from_x == -1.5 && message.motion.to_x == 30);
    assert_true(message.motion.factor == 1.25 && message.held);
    assert_int_equal(message_of(&message, "size 360 640"), STATUS_OK);
    assert_true(message.width == 360 && message.height == 640);
    assert_int_equal(message_of(&message, "step density-more"), STATUS_OK);
    assert_int_equal(message.word, PAGE_STEP);
    assert_string_equal(message.key, "density-more");
    assert_int_equal(message_of(&message, "set look.palette a b"), STATUS_OK);
    assert_string_equal(message.key, "look.palette");
    assert_string_equal(message.text, "a b");
    assert_int_equal(message_of(&message, "go re = 1\nim = 0"), STATUS_OK);
    assert_string_equal(message.text, "re = 1\nim = 0");
    assert_int_equal(message_of(&message, "shown 4294967295"), STATUS_OK);
    assert_int_equal(message.number, UINT32_MAX);
    assert_int_equal(message_of(&message, "julia -3.5 4"), STATUS_OK);
    assert_true(message.motion.from_x == -3.5 && message.motion.from_y == 4);
    assert_int_equal(message_of(&message, "home"), STATUS_OK);
    assert_int_equal(message_of(&message, "rank 255 1"), STATUS_OK);
    assert_true(message.word == PAGE_RANK && message.number == 255 && message.in);
}

TEST(other_messages_are_refused)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "hello",
                                        "homes",
                                        "home ",
                                        "home 1",
                                        "move",
                                        "move 1 0 0 0 0 0 0 0",
                                        "move 1 0 0 0 0 -1 0 0",
                                        "move 1 0 0 0 0 1 0 2",
                                        "move 1 0 0 0 0 1 0",
                                        "move 1 0 0 0 0 1 0 0 0",
                                        "move -1 0 0 0 0 1 0 0",
                                        "move 1 1e300 0 0 0 1 0 0",
                                        "move 1 1e999 0 0 0 1 0 0",
                                        "move 1 nan 0 0 0 1 0 0",
                                        "move  1 0 0 0 0 1 0 0",
                                        "shown 4294967296",
                                        "shown x",
                                        "size 8193 100",
                                        "size 0 0",
                                        "size 100",
                                        "rank",
                                        "rank 1",
                                        "rank 256 1",
                                        "rank -1 1",
                                        "rank 1 2",
                                        "rank 1 1 1",
                                        "set",
                                        "step",
                                        "step a b",
                                        "step ../x",
                                        "set look.palette",
                                        "set look.palette ",
                                        "set LOOK x",
                                        "set aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa x",
                                        "go",
                                        "go "};
    struct page_message message;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (message_of(&message, texts[i]) != STATUS_BAD_DATA)
            fail_msg("'%s' is taken", texts[i]);
    assert_int_equal(page_message_read(&message, "go a\0b", 6), STATUS_BAD_DATA);
}

TEST(any_bytes_are_read_without_harm)
{
    static const char letters[] = "movegosethmsiz 0123456789.-+e\n";
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        size_t length = check_random(&seed) % (sizeof text - 1);
        for (size_t at = 0; at < length; at++)
            text[at] = letters[check_random(&seed) % (sizeof letters - 1)];
        text[length] = '\0';
        struct page_message message;
        (void)page_message_read(&message, text, length);
    }
}

/* ---- pace ---- */

/* A link that carries `rate` bytes a second and takes `way_s` there and back, for some seconds; the
 * frames have `bytes` at level 0, and less at each further one. */
struct link {
    double rate, way_s, bytes;
    double frames, sent;
    int level;
};

static void link_run(struct link *link, double seconds)
{
    struct pace pace = {.level = 0};
    struct {
        uint32_t sequence;
        double at_s;
    } due[PACE_FLIGHT_MOST];
    int count = 0;
    double free_s = 0;
    for (double now_s = 1; now_s < 1 + seconds; now_s += 0.001) {
        while (count && due[0].at_s <= now_s) {
            assert_true(pace_shown(&pace, due[0].sequence, now_s));
            memmove(due, due + 1, (size_t)--count * sizeof *due);
            link->frames += now_s > 1 + seconds / 2;
        }
        if (!pace_may_send(&pace, now_s))
            continue;
        double bytes = link->bytes * pow(0.6, pace.level);
        free_s = fmax(free_s, now_s) + bytes / link->rate;
        assert_true(count < PACE_FLIGHT_MOST);
        due[count].at_s = free_s + link->way_s;
        due[count++].sequence = pace_sent(&pace, (size_t)bytes, now_s);
        link->sent += now_s > 1 + seconds / 2 ? bytes : 0;
    }
    link->frames /= seconds / 2;
    link->level = pace.level;
}

TEST(a_fast_link_gets_the_best_frames)
{
    struct link link = {.rate = 1e9, .way_s = 0.001, .bytes = 200e3};
    link_run(&link, 10);
    assert_int_equal(link.level, 0);
    assert_true(link.frames > 40);
}

TEST(a_slow_link_gets_smaller_frames)
{
    struct link link = {.rate = 20e6 / 8, .way_s = 0.03, .bytes = 250e3};
    link_run(&link, 20);
    assert_true(link.level > 0);
    assert_true(link.frames >= 20);
}

TEST(a_very_slow_link_gets_fewer_frames)
{
    struct link link = {.rate = 1e6 / 8, .way_s = 0.1, .bytes = 250e3};
    link_run(&link, 40);
    assert_int_equal(link.level, PACE_LEVELS - 1);
    assert_true(link.frames > 1 && link.frames < 20);
}

TEST(a_page_that_confirms_nothing_gets_one_frame_and_dies)
{
    struct pace pace = {.level = 0};
    assert_true(pace_may_send(&pace, 1));
    (void)pace_sent(&pace, 100000, 1);
    assert_false(pace_may_send(&pace, 20));
    assert_false(pace_is_dead(&pace, 20));
    assert_true(pace_is_dead(&pace, 1 + PACE_DEAD_S + 1));
    assert_false(pace_shown(&pace, 99, 2));
}

/* ---- places ---- */

static struct exploration *exploration_open(void)
{
    static struct config config;
    static struct exploration exploration;
    assert_int_equal(config_create(&config), STATUS_OK);
    assert_int_equal(config_set(&config, OPTION_VIEW_RE, "-0.5", "a", STATUS_CONFIG), STATUS_OK);
    assert_int_equal(config_set(&config, OPTION_VIEW_IM, "0", "a", STATUS_CONFIG), STATUS_OK);
    assert_int_equal(config_set(&config, OPTION_VIEW_ZOOM, "1", "a", STATUS_CONFIG), STATUS_OK);
    assert_int_equal(config_set(&config, OPTION_VIEW_LIMIT, "777", "a:4", STATUS_CONFIG),
                     STATUS_OK);
    assert_int_equal(exploration_create(&exploration, NULL, &config, DATA_FOLDER), STATUS_OK);
    config_destroy(&config);
    return &exploration;
}

TEST(a_motion_moves_the_view_and_forgets_the_limit_of_the_place)
{
    struct exploration *at = exploration_open();
    assert_int_equal(exploration_size(at, 200, 100), STATUS_OK);
    struct view_motion motion = motion_zoom(2, 0, 0); /* at the middle */
    assert_int_equal(exploration_move(at, &motion), STATUS_OK);
    assert_string_equal(config_text(&at->config, OPTION_VIEW_ZOOM), "2");
    assert_string_equal(config_text(&at->config, OPTION_VIEW_SIZE), "200x100");
    assert_false(config_was_set(&at->config, OPTION_VIEW_LIMIT));
    exploration_destroy(at);
}

TEST(places_are_stepped_through)
{
    struct exploration *at = exploration_open();
    struct view_motion motion = motion_zoom(2, 0, 0);
    bool moved;
    for (int i = 0; i < EXPLORATION_STEPS + 10; i++) {
        assert_int_equal(exploration_rested(at), STATUS_OK);
        assert_int_equal(exploration_move(at, &motion), STATUS_OK);
    }
    assert_int_equal(at->steps, EXPLORATION_STEPS);
    assert_int_equal(exploration_step(at, 1, &moved), STATUS_OK);
    assert_false(moved);
    for (int i = 0; i < EXPLORATION_STEPS - 1; i++) {
        assert_int_equal(exploration_step(at, -1, &moved), STATUS_OK);
        assert_true(moved);
    }
    assert_int_equal(exploration_step(at, -1, &moved), STATUS_OK);
    assert_false(moved);
    exploration_destroy(at);
}

TEST(steps_change_the_look_as_in_the_window)
{
    const struct look_seen flat = {.runs = 3}, shaded = {.runs = 3, .shaded = true};
    struct exploration *at = exploration_open();
    struct look_options look;
    bool moved;
    assert_int_equal(exploration_rested(at), STATUS_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(exploration_look_step(at, ACTION_DENSITY_MORE, &flat), STATUS_OK);
    assert_float_equal(config_real(&at->config, OPTION_LOOK_RUNS), 6, 1e-9); /* twice as many */
    assert_int_equal(exploration_look_step(at, ACTION_OFFSET_LESS, &flat), STATUS_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(exploration_look_step(at, ACTION_CONTRAST_MORE, &flat), STATUS_OK);
    assert_float_equal(config_real(&at->config, OPTION_LOOK_CONTRAST), 1, 0);
    assert_int_equal(exploration_look_step(at, ACTION_RELIEF_MORE, &flat), STATUS_OK);
    assert_float_equal(config_real(&at->config, OPTION_LOOK_RELIEF), 0.1, 1e-12);
    assert_int_equal(exploration_set(at, "look.relief", "auto"), STATUS_OK);
    assert_int_equal(exploration_look_step(at, ACTION_RELIEF_MORE, &shaded), STATUS_OK);
    assert_float_equal(config_real(&at->config, OPTION_LOOK_RELIEF), 0.6, 1e-12);
    assert_int_equal(exploration_set(at, "look.interior", "#102040"), STATUS_OK);
    for (int i = 0; i < INTERIOR_KINDS; i++)
        assert_int_equal(exploration_look_step(at, ACTION_INTERIOR, &flat), STATUS_OK);
    assert_string_equal(config_text(&at->config, OPTION_LOOK_INTERIOR), "#102040");
    assert_int_equal(exploration_look(at, &look), STATUS_OK);
    assert_false(look.offset_auto);
    assert_int_not_equal(exploration_look_step(at, ACTION_QUIT, &flat), STATUS_OK);
    assert_int_equal(exploration_step(at, -1, &moved), STATUS_OK); /* colours are undone, too */
    assert_true(moved);
    assert_true(config_is_auto(&at->config, OPTION_LOOK_OFFSET));
    exploration_destroy(at);
}

TEST(other_places_come_from_texts_and_names_alone)
{
    static const char *const bad[] = {"/etc/passwd", "../x",          "seahorse.ini",
                                      "-",           "no-such-place", "configs/views/seahorse"};
    struct exploration *at = exploration_open();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_not_equal(exploration_go(at, bad[i]), STATUS_OK);
    assert_string_equal(config_text(&at->config, OPTION_VIEW_RE), "-0.5");
    assert_int_equal(exploration_go(at, "seahorse"), STATUS_OK);
    assert_string_equal(config_text(&at->config, OPTION_VIEW_ZOOM), "4e5");
    assert_int_equal(exploration_go(at, "[view]\nre = 0.1\nim = 0.2\nzoom = 3\n"), STATUS_OK);
    assert_string_equal(config_text(&at->config, OPTION_VIEW_IM), "0.2");
    assert_int_equal(exploration_set(at, "view.formula", "burning_ship"), STATUS_OK);
    assert_string_not_equal(config_text(&at->config, OPTION_VIEW_IM), "0.2");
    assert_int_equal(exploration_go(at, "whole-set"), STATUS_OK);
    assert_int_equal(exploration_julia(at, 0, 0), STATUS_OK);
    assert_string_equal(config_text(&at->config, OPTION_VIEW_JULIA), "-0.7,0");
    assert_int_equal(exploration_julia(at, 30, 0), STATUS_OK); /* back, to all of the set */
    assert_null(config_text(&at->config, OPTION_VIEW_JULIA));
    assert_int_equal(exploration_go(at, "seahorse"), STATUS_OK);
    assert_int_equal(exploration_rested(at), STATUS_OK);
    assert_int_equal(exploration_julia(at, 0, 0), STATUS_OK);
    assert_int_equal(exploration_rested(at), STATUS_OK);
    assert_int_equal(exploration_julia(at, 30, 0), STATUS_OK); /* back, to where it came from */
    assert_null(config_text(&at->config, OPTION_VIEW_JULIA));
    assert_string_equal(config_text(&at->config, OPTION_VIEW_ZOOM), "4e5");
    assert_int_not_equal(exploration_set(at, "output.log_json", "x"), STATUS_OK);
    assert_int_not_equal(exploration_set(at, "look.palette", "/etc/passwd"), STATUS_OK);
    assert_int_equal(exploration_set(at, "look.palette", "#000000#ffffff"), STATUS_OK);
    exploration_destroy(at);
}

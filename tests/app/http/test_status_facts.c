/* Facts of the status feed as texts, from the state of an engine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/http/status_facts.h"
#include "render/disk/json.h"
#include "tests/support/check.h"

static uint32_t colour(int rank)
{
    return 0xff000000 | (uint32_t)rank;
}

static const deepfield_live_worker workers[] = {
    {.rank = 0, .threads = 2, .alive = 1, .busy = 0.25, .tiles = 5, .bytes = 100, .host = "a"},
    {.rank = 1, .threads = 4, .alive = 0, .busy = 1, .tiles = 6, .bytes = 200, .host = "b\"<x>"}};

static const deepfield_live_load loads[] = {{.computes = 1, .compute_s = 2.5, .transfer_s = 0.25},
                                            {.computes = 0}};
/* The ring has gone round: number 65 is the newest, and that of rank 1 was before. */
static const deepfield_live_arrival arrivals[DEEPFIELD_LIVE_ARRIVALS] = {
    {.worker = 0, .x = 8, .y = 16, .width = 32, .height = 24},
    {.worker = 0, .x = 1, .y = 2, .width = 3, .height = 4},
    [40] = {.worker = 7, .width = 5}};

static deepfield_live_state state_of(int stage)
{
    return (deepfield_live_state){.size = sizeof(deepfield_live_state),
                                  .width = 64,
                                  .height = 32,
                                  .stage = stage,
                                  .done = 0.5,
                                  .threads_lost = 4,
                                  .workers = 2,
                                  .worker = workers,
                                  .load = loads,
                                  .work_s = 3,
                                  .arrivals = 65,
                                  .arrival = arrivals};
}

static struct status_facts facts_of(int stage)
{
    struct status_facts facts = {.stage = "visitor",
                                 .up_s = 61,
                                 .visitor_s = 3.5,
                                 .visitors = 7,
                                 .frames = 1234,
                                 .frame_p99_ms = NAN,
                                 .errors = 2,
                                 .error = "a \"device\" <b>fell</b>\\ off\n"};
    const deepfield_live_state state = state_of(stage);
    status_facts_engine(&facts, &state, colour);
    memset(facts.map, STATUS_MAP_NOBODY, sizeof facts.map);
    return facts;
}

static struct json_object *read_back(const struct status_facts *facts)
{
    size_t length;
    char *text = status_facts_json(facts, &length);
    assert_non_null(text);
    assert_int_equal(length, strlen(text));
    struct json_object *json = json_read(text);
    assert_non_null(json);
    free(text);
    return json;
}

TEST(test_json)
{
    struct status_facts facts = facts_of(DEEPFIELD_LIVE_COARSE);
    struct json_object *json = read_back(&facts);
    assert_string_equal(json_text_of(json, "health"), "reduced");
    assert_int_equal(json_integer_of(json, "frames"), 1234);
    assert_true(isnan(json_real_of(json, "frame_p99_ms")));
    assert_string_equal(json_text_of(json, "last_error"), "a device bfell/b off");
    const struct json_object *ranks = json_member(json, "ranks");
    assert_int_equal(json_length(ranks), 2);
    const struct json_object *first = json_element(ranks, 0), *second = json_element(ranks, 1);
    assert_true(json_real_of(first, "busy") == 0.25 && json_real_of(first, "wait") == 0.75);
    assert_int_equal(json_integer_of(first, "bytes"), 100);
    assert_string_equal(json_text_of(first, "colour"), "#000000");
    assert_true(json_real_of(second, "busy") == 0 && json_real_of(second, "wait") == 0);
    assert_string_equal(json_text_of(second, "host"), "bx");
    assert_true(json_real_of(first, "compute_s") == 2.5 && json_real_of(json, "work_s") == 3);
    assert_true(json_boolean_of(first, "computes") && !json_boolean_of(second, "computes"));
    assert_int_equal(json_element_integer(json_member(first, "tile"), 0), 8);
    assert_int_equal(json_element_integer(json_member(first, "tile"), 3), 24);
    assert_null(json_member(second, "tile"));
    json_free(json);
}

/* The last measurement is from before the end: who has nothing to do is not busy. */
TEST(test_at_rest)
{
    struct status_facts facts = facts_of(DEEPFIELD_LIVE_DONE);
    assert_true(facts.rank[0].busy == 0);
}

TEST(test_map)
{
    struct status_facts facts = facts_of(DEEPFIELD_LIVE_COARSE);
    uint8_t cells[4][8]; /* squares of 8 pixels: the right half is of rank 1, a corner of nobody */
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++)
            cells[y][x] = (uint8_t)(x >= 4);
    cells[3][7] = 255;
    const deepfield_array owners = {.data = cells, .width = 8, .height = 4, .row_bytes = 8};
    status_facts_map(&facts, &owners, 8);
    assert_int_equal(facts.map[0][0], 0);
    assert_int_equal(facts.map[7][3], 0);
    assert_int_equal(facts.map[0][7], 1);
    assert_int_equal(facts.map[7][7], STATUS_MAP_NOBODY);
    struct json_object *json = read_back(&facts);
    const struct json_object *map = json_member(json, "map");
    assert_int_equal(json_length(map), 8);
    assert_int_equal(json_element_integer(json_element(map, 0), 7), 1);
    json_free(json);
    const deepfield_array none = {.data = cells, .width = 0, .height = 0, .row_bytes = 8};
    status_facts_map(&facts, &none, 8); /* before the first picture */
    assert_int_equal(facts.map[0][0], STATUS_MAP_NOBODY);
}

TEST(test_page)
{
    struct status_facts facts = facts_of(DEEPFIELD_LIVE_COARSE);
    size_t length;
    char *text = status_facts_html(&facts, &length);
    assert_non_null(text);
    assert_non_null(strstr(text, "1 of 2"));
    assert_non_null(strstr(text, "last visitor<td>4 s ago"));
    assert_null(strstr(text, "<b>"));
    free(text);
    facts.visitor_s = -1;
    text = status_facts_html(&facts, &length);
    assert_non_null(strstr(text, "last visitor<td>none yet"));
    free(text);
}

/* As many ranks as there can be, with the largest numbers. */
TEST(test_most_ranks)
{
    struct status_facts facts = facts_of(DEEPFIELD_LIVE_COARSE);
    facts.ranks = STATUS_RANKS_MOST;
    for (int i = 0; i < STATUS_RANKS_MOST; i++) {
        facts.rank[i] = (struct status_rank){.rank = i,
                                             .alive = true,
                                             .tiles = UINT64_MAX,
                                             .late = UINT64_MAX,
                                             .iterations = UINT64_MAX,
                                             .bytes = UINT64_MAX};
        memset(facts.rank[i].host, 'h', sizeof facts.rank[i].host - 1);
    }
    struct json_object *json = read_back(&facts);
    assert_int_equal(json_length(json_member(json, "ranks")), STATUS_RANKS_MOST);
    json_free(json);
}

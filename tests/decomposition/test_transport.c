/* Conformance of every row of the list of transports, as far as one process can see; mpi_job.c
 * walks the same list with several ranks. */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/message/message.h"
#include "decomposition/schedule/tile.h"
#include "decomposition/transport/transport.h"
#include "decomposition/world/world_comm.h"

TEST(rows_are_complete_and_found_by_name)
{
    for (int i = 0; i < transport_kinds_count; i++) {
        const struct transport_kind *kind = transport_kinds[i];
        assert_ptr_equal(transport_named(kind->name), kind);
        assert_true(strlen(kind->summary) > 10 && strlen(kind->summary) < 90);
        assert_non_null(kind->open);
        assert_non_null(kind->close);
        assert_non_null(kind->reserve);
        assert_non_null(kind->send);
        assert_true(kind->progress || kind->in_place);
        assert_true((kind->share != NULL) == kind->at_end);
        assert_true(kind->at_end == (kind->announces == MESSAGE_KEPT));
        assert_true(kind->in_place == (kind->announces == MESSAGE_IN_PLACE));
        kind->close(NULL);
    }
    assert_null(transport_named("auto"));
    assert_null(transport_named("Local"));
}

TEST(the_cheapest_transport_that_works_is_taken)
{
    static const struct {
        struct transport_question question;
        const struct transport_kind *transport; /* NULL: refused */
        const char *says;
    } rows[] = {
        {{"auto", 1, 0, false, false, false, false, false}, &transport_local, "one rank"},
        {{"auto", 4, 0, true, true, true, false, false}, &transport_local, "rank 0"},
        {{"auto", 4, 1, true, true, true, false, false}, &transport_device, "device"},
        {{"auto", 4, 1, true, false, true, false, false}, &transport_shared, "shared memory"},
        {{"auto", 2, 1, false, false, false, false, false}, &transport_staged, "each tile travels"},
        {{"auto", 1000, 999, false, false, true, false, false},
         &transport_staged,
         "while the next"},
        {{"staged", 4, 1, true, true, true, false, false}, &transport_staged, "asked for"},
        {{"gatherv", 4, 1, true, true, true, false, false}, &transport_gatherv, "asked for"},
        {{"shared", 4, 1, true, false, true, false, false}, &transport_shared, "asked for"},
        {{"shared", 4, 2, false, false, true, false, false}, &transport_staged, "does not reach"},
        {{"shared", 4, 2, false, true, false, false, false}, NULL, "no rank shares memory"},
        {{"device", 4, 1, true, true, true, false, false}, &transport_device, "asked for"},
        {{"device", 4, 3, true, false, true, false, false}, &transport_staged, "does not reach"},
        {{"device", 4, 3, true, false, false, false, false}, NULL, "no rank's devices"},
        {{"device", 4, 0, false, false, false, false, false}, &transport_local, "rank 0"},
        {{"auto", 4, 1, false, false, true, true, false}, &transport_staged, "while the next"},
        {{"auto", 4, 1, false, false, true, true, true}, &transport_sent, "faster"},
        {{"auto", 4, 1, false, false, true, false, true}, &transport_staged, "while the next"},
        {{"auto", 4, 1, true, false, true, true, true}, &transport_shared, "shared memory"},
        {{"staged", 4, 1, false, false, true, true, true}, &transport_staged, "asked for"},
        {{"device", 4, 1, true, true, true, true, false}, &transport_device, "asked for"},
        {{"device", 4, 3, true, false, true, true, false}, &transport_sent, "does not reach"},
        {{"device", 4, 3, true, false, false, true, false}, &transport_sent, "device memory"},
        {{"sent", 4, 1, true, true, true, true, false}, &transport_sent, "asked for"},
        {{"sent", 4, 1, true, true, false, false, false}, &transport_staged, "not proven"},
        {{"sent", 4, 0, true, true, true, true, false}, &transport_local, "rank 0"},
        {{"sent", 1, 0, false, false, false, false, false}, &transport_local, "one rank"},
        {{"local", 1, 0, false, false, false, false, false}, &transport_local, "one rank"},
        {{"local", 2, 0, false, false, false, false, false}, NULL, "2 ranks"},
        {{"pigeon", 2, 1, false, false, false, false, false}, NULL, "unknown transport 'pigeon'"},
        {{"pigeon", 1, 0, false, false, false, false, false}, NULL, "known: auto, local, shared"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct transport_kind *transport;
        const char *reason;
        enum status status = transport_choose(&rows[i].question, &transport, &reason);
        assert_int_equal(status, rows[i].transport ? STATUS_OK : STATUS_CONFIG);
        assert_ptr_equal(transport, rows[i].transport);
        assert_non_null(strstr(status == STATUS_OK ? reason : status_text(), rows[i].says));
    }
}

/* The sending ends live on ranks > 0; opening one needs no message. */
TEST(fields_to_compute_into_are_apart)
{
    static struct tile tiles[100];
    for (int i = 0; i < 100; i++)
        tiles[i] = (struct tile){.x = i % 10 * 7, .y = i / 10 * 5, .width = 7, .height = 5};
    struct field frame;
    assert_int_equal(field_create(&frame, 70, 50, 3, 4), STATUS_OK);
    for (int i = 0; i < transport_kinds_count; i++) {
        const struct transport_kind *kind = transport_kinds[i];
        struct world world = {.rank = kind == &transport_local ? 0 : 1, .size = 4};
        struct transport_site site = {.world = &world,
                                      .frame = &frame,
                                      .tiles = tiles,
                                      .tile_count = 100,
                                      .planes = 3,
                                      .count_bytes = 4,
                                      .tile_bytes_max = 280,
                                      .all_bytes = 100 * 320,
                                      .fields = 3};
        void *end = NULL;
        struct field field[100];
        assert_int_equal(kind->open(&end, &site), STATUS_OK);
        int reserved = 0;
        for (; reserved < 100 && kind->reserve(end, &tiles[reserved], 280, &field[reserved]);
             reserved++) {
            const struct field *out = &field[reserved];
            assert_true(out->width == 7 && out->height == 5 && out->planes == 3);
            assert_true(kind->in_place == (out->base == NULL));
            if (kind->in_place)
                assert_ptr_equal(out->plane[1], (float *)frame.plane[1] + tiles[reserved].y * 70 +
                                                    tiles[reserved].x);
            else
                assert_int_equal((uintptr_t)out->base % 64, 0);
            for (int at = 0; at < 35; at++)
                ((uint32_t *)out->plane[0])[at / 7 * out->stride + at % 7] = (uint32_t)reserved;
        }
        for (int p = 0; p < reserved; p++)
            for (int at = 0; at < 35; at++)
                assert_true(field_count_at(&field[p], (size_t)(at / 7 * field[p].stride +
                                                               at % 7)) == (uint64_t)p);
        assert_true(reserved >= site.fields); /* the queue can be full, ... */
        if (kind == &transport_staged || kind == &transport_sent)
            assert_int_equal(reserved, 2 * site.fields); /* ... and memory is bounded */
        if (kind->forget)
            kind->forget(end, &field[0]);
        assert_true(kind->reserve(end, &tiles[99], 280, &field[0]));
        while (kind->at_end && kind->reserve(end, &tiles[0], 280, &field[0]))
            reserved++;
        if (kind->at_end) { /* it has room for tiles that come again, and says when that is full */
            uint64_t left;
            assert_true(reserved >= 200);
            assert_int_equal(kind->progress(end, &left), STATUS_OUT_OF_MEMORY);
            assert_int_equal(kind->progress(end, &left), STATUS_OK);
        }
        kind->close(end);
    }
    field_destroy(&frame);
}

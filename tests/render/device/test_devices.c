/* Which rank drives which devices. */
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/device/devices.h"
#include "render/device/idle.h"

/* What each of `workers` gets, as "0,1 2 3". */
static void check_spread(const char *label, struct devices_question question, const char *want)
{
    char got[512] = "";
    for (int w = 0; w < question.workers; w++) {
        int device[DEVICES_MAX], count;
        question.worker = w;
        if (devices_assign(&question, device, &count) != STATUS_OK)
            fail_msg("%s: %s", label, status_text());
        for (int i = 0; i < count; i++) {
            size_t used = strlen(got);
            snprintf(got + used, sizeof got - used, "%s%d", i ? "," : w ? " " : "", device[i]);
        }
    }
    if (strcmp(got, want) != 0)
        fail_msg("%s: '%s', expected '%s'", label, got, want);
}

TEST(what_is_idle_is_found)
{
    /* host, computes, GPUs driven, cores bound to, cores of the launcher, GPUs given */
    struct idle_rank coordinates = {"n1", false, 0, 1, 64, 0}, one = {"n1", true, 0, 1, 64, 0},
                     half = {"n2", true, 0, 16, 32, 3}, most = {"n2", true, 0, 17, 32, 0},
                     gpu = {"n3", true, 2, 1, 64, 2}, unknown = {"n4", true, 0, 1, 0, 0};
    struct idle idle;
    idle_find(&idle, (struct idle_rank[]){coordinates, one, one, half}, 4);
    assert_string_equal(idle.core_host, "n1");
    assert_int_equal(idle.ranks, 2);
    assert_int_equal(idle.bound, 2);
    assert_int_equal(idle.cores, 64);
    assert_int_equal(idle.gpus, 3);
    assert_string_equal(idle.gpu_host, "n2");
    idle_find(&idle, (struct idle_rank[]){coordinates, half}, 2);
    assert_string_equal(idle.core_host, "n2");
    idle_find(&idle, (struct idle_rank[]){coordinates, most, unknown}, 3);
    assert_int_equal(idle.ranks, 0);
    idle_find(&idle, (struct idle_rank[]){half, gpu}, 2);
    assert_int_equal(idle.gpus, 0); /* somebody computes with them */
    idle_find(&idle, &gpu, 1);
    assert_int_equal(idle.ranks, 0);
}

TEST(devices_are_spread_in_order)
{
    static const struct {
        struct devices_question question;
        const char *want;
    } rows[] = {
        {{.visible = 1, .workers = 1}, "0"},
        {{.visible = 4, .workers = 1}, "0,1,2,3"},
        {{.visible = 4, .workers = 2}, "0,1 2,3"},
        {{.visible = 4, .workers = 3}, "0,1 2 3"},
        {{.visible = 8, .workers = 3}, "0,1,2 3,4,5 6,7"},
        {{.visible = 4, .workers = 4}, "0 1 2 3"},
        {{.visible = 4, .workers = 6}, "0 1 2 3 0 1"},
        {{.visible = 1, .workers = 3}, "0 0 0"},
        {{.visible = 4, .workers = 1, .wanted.chosen = 0x5}, "0,2"},
        {{.visible = 4, .workers = 2, .wanted.chosen = 0xd}, "0,2 3"},
        {{.visible = 4, .workers = 3, .wanted.chosen = 0xa}, "1 3 1"},
        {{.visible = 4, .workers = 2, .wanted.per_rank = 1}, "0 1"},
        {{.visible = 4, .workers = 2, .wanted.per_rank = 2}, "0,1 2,3"},
        {{.visible = 4, .workers = 2, .wanted.per_rank = 1, .wanted.chosen = 0xc}, "2 3"},
        {{.visible = 64, .workers = 1, .wanted.chosen = UINT64_C(1) << 63}, "63"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char label[32];
        snprintf(label, sizeof label, "row %zu", i);
        check_spread(label, rows[i].question, rows[i].want);
    }
}

TEST(a_machine_without_devices_gives_none)
{
    int device[DEVICES_MAX], count = 7;
    struct devices_question question = {.visible = 0, .workers = 3, .worker = 1};
    assert_int_equal(devices_assign(&question, device, &count), STATUS_OK);
    assert_int_equal(count, 0);
}

TEST(too_few_devices_are_refused_with_numbers)
{
    static const struct {
        struct devices_question question;
        const char *says;
    } rows[] = {
        {{.visible = 4, .workers = 1, .wanted.chosen = 0x21}, "no device 5 here; found: 0 ... 3"},
        {{.visible = 1, .workers = 1, .wanted.chosen = 0x2}, "no device 1 here; found: 0"},
        {{.visible = 0, .workers = 1, .wanted.chosen = 0x1}, "no device 0 here; found: none"},
        {{.visible = 4, .workers = 3, .wanted.per_rank = 2},
         "2 devices for each of 3 ranks of this machine are 6, but there are 4"},
        {{.visible = 4, .workers = 1, .wanted.per_rank = 3, .wanted.chosen = 0x3},
         "are 3, but there are 2 in the list given"},
        {{.visible = 0, .workers = 1, .wanted.per_rank = 1}, "are 1, but there are 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int device[DEVICES_MAX], count;
        assert_int_equal(devices_assign(&rows[i].question, device, &count), STATUS_NO_DEVICE);
        if (!strstr(status_text(), rows[i].says))
            fail_msg("'%s' does not say '%s'", status_text(), rows[i].says);
    }
}

TEST(lists_are_read_strictly)
{
    struct devices_wanted wanted = {.chosen = 1, .per_rank = 3};
    assert_int_equal(devices_parse("all", &wanted), STATUS_OK);
    assert_int_equal(wanted.chosen, 0);
    assert_int_equal(devices_parse("0,2", &wanted), STATUS_OK);
    assert_int_equal(wanted.chosen, 5);
    assert_int_equal(devices_parse("63,7,10", &wanted), STATUS_OK);
    assert_true(wanted.chosen == (UINT64_C(1) << 63 | 1 << 7 | 1 << 10));
    const char *bad[] = {"",     ",",  "0,",  ",0",   "0,,1", "-1", "+1",  "a",   "0 1",   " 0",
                         "0, 1", "64", "100", "0,99", "00",   "01", "1.0", "All", "all,0", "0-3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (devices_parse(bad[i], &wanted) != STATUS_CONFIG)
            fail_msg("'%s' was accepted", bad[i]);
    assert_int_equal(devices_parse("1,0,1", &wanted), STATUS_CONFIG);
    assert_non_null(strstr(status_text(), "device 1 was given twice"));
    assert_int_equal(wanted.per_rank, 3);
}

TEST(numbers_need_something_to_number)
{
    assert_int_equal(devices_wanted_check(&(struct devices_wanted){.chosen = 0}, 0), STATUS_OK);
    assert_int_equal(devices_wanted_check(&(struct devices_wanted){.chosen = 1}, 2), STATUS_OK);
    assert_int_equal(devices_wanted_check(&(struct devices_wanted){.chosen = 1}, 0),
                     STATUS_NO_DEVICE);
    assert_int_equal(devices_wanted_check(&(struct devices_wanted){.per_rank = 1}, 0),
                     STATUS_NO_DEVICE);
}

static struct device_row row_of(const char *host, int rank, const char *bus)
{
    struct device_row row = {.rank = rank};
    snprintf(row.host, sizeof row.host, "%s", host);
    snprintf(row.facts.bus, sizeof row.facts.bus, "%s", bus);
    return row;
}

/* Numbers say nothing: each rank may have its own CUDA_VISIBLE_DEVICES. */
TEST(one_gpu_of_two_ranks_is_seen_by_its_pci_id)
{
    struct device_row rows[] = {
        row_of("a", 1, "0000:1b:00.0"),
        row_of("a", 1, "0000:2b:00.0"),
        row_of("a", 2, "0000:1b:00.0"),
        row_of("b", 3, "0000:1b:00.0"),
        row_of("a", 4, "0000:1b:00.0"),
        row_of("a", 5, ""),
        row_of("a", 6, ""),
    };
    const int want[] = {2, 0, 2, 0, 2, 0, 0};
    devices_mark_shared(rows, 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(rows[i].shared_with, want[i]);
}

/* MIG: all parts of a GPU have its PCI id. */
TEST(parts_of_one_gpu_are_not_the_same)
{
    struct device_row rows[4];
    const char *const uuids[] = {"11111111-0", "22222222-0", "11111111-0", ""};
    const int want[] = {2, 1, 2, 3};
    for (int i = 0; i < 4; i++) {
        rows[i] = row_of("a", i + 1, "0000:1b:00.0");
        snprintf(rows[i].facts.uuid, sizeof rows[i].facts.uuid, "%s", uuids[i]);
    }
    devices_mark_shared(rows, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(rows[i].shared_with, want[i]);
}

TEST(a_world_of_one_gathers_its_own)
{
    struct world *world;
    struct device_row mine[2], *rows;
    const struct backend_kind *kind;
    int count, worker, workers;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    devices_worker(world, &worker, &workers);
    assert_int_equal(worker, 0);
    assert_int_equal(workers, 1);
    assert_int_equal(backend_kind_find(&kind, "scalar"), STATUS_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(device_row_make(&mine[i], world, kind, 0), STATUS_OK);
    assert_int_equal(devices_gather(world, mine, 2, &rows, &count), STATUS_OK);
    assert_int_equal(count, 2);
    assert_string_equal(rows[1].backend, "scalar");
    assert_true(*rows[1].host && rows[1].facts.units > 0);
    free(rows);
    assert_int_equal(devices_gather(world, NULL, 0, &rows, &count), STATUS_OK);
    assert_int_equal(count, 0);
    free(rows);
    world_close(world);
}

TEST(devices_are_opened_for_a_second_of_work_each)
{
    assert_int_equal(devices_worth(4, 8.3e6 * 1e4, 4e12), 1); /* 4K, 0.02 s */
    assert_int_equal(devices_worth(4, 4.1e12, 4e12), 2);
    assert_int_equal(devices_worth(4, 1e15, 4e12), 4);
    assert_int_equal(devices_worth(1, 1e15, 4e12), 1);
    assert_int_equal(devices_worth(3, 5, 0), 3); /* a GPU that does not say how fast it is */
}

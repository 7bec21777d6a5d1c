/* A folder that keeps orbits changes no number, whatever lies in it. */
#include "render/orbit_cache.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/render/folder.h"
#include "tests/support/check.h"

enum { LIMIT = 400, PROCESSES = 4, ROUNDS = 30 };

static const char *const centre[2] = {"-1", "1e-170"}; /* comes near zero, and closes a cycle */
static const char *const other_centre[2] = {"-0.75", "0"};

static void create(struct orbit *orbit, const char *const c[2])
{
    struct orbit_options options = {.bits = 1200, .radius = 1e5, .log2_disc = -INFINITY};
    assert_int_equal(orbit_create(orbit, &options, c[0], c[1]), STATUS_OK);
}

enum store { STORE_NOT, STORE }; /* a file is synced, which takes milliseconds */

/* With the help of the folder; says what came of it, and what it warned of. */
static enum orbit_cache_use made(void **state, struct orbit *orbit, const char *const c[2],
                                 int64_t limit, enum store store, char *warning)
{
    struct orbit_cache cache;
    enum orbit_cache_use use = ORBIT_CACHE_NONE;
    create(orbit, c);
    if (orbit_cache_open(&cache, ((struct folder *)*state)->path, orbit, NULL) == STATUS_OK) {
        if (!orbit_cache_load(&cache, orbit, limit, 0)) {
            orbit_destroy(orbit);
            create(orbit, c);
        }
        assert_int_equal(orbit_extend(orbit, limit), STATUS_OK);
        use = store ? orbit_cache_store(&cache, orbit) : ORBIT_CACHE_NONE;
    }
    strcpy(warning, cache.warning);
    orbit_cache_close(&cache);
    return use;
}

static void assert_as_computed(const struct orbit *orbit, const char *const c[2], int64_t limit,
                               const char *where)
{
    struct orbit fresh;
    create(&fresh, c);
    assert_int_equal(orbit_extend(&fresh, limit), STATUS_OK);
    if (orbit->length != fresh.length || orbit->end != fresh.end || orbit->period != fresh.period ||
        orbit->tiny_count != fresh.tiny_count ||
        memcmp(orbit->z, fresh.z, (size_t)fresh.length * sizeof *fresh.z) != 0)
        fail_msg("%s: %lld points, end %d, instead of %lld, %d", where, (long long)orbit->length,
                 orbit->end, (long long)fresh.length, fresh.end);
    orbit_destroy(&fresh);
}

static void expect(void **state, const char *const c[2], int64_t limit, enum orbit_cache_use use)
{
    struct orbit orbit;
    char warning[STATUS_TEXT_BYTES];
    assert_int_equal(made(state, &orbit, c, limit, STORE, warning), use);
    assert_string_equal(warning, "");
    assert_as_computed(&orbit, c, limit, "of the folder");
    orbit_destroy(&orbit);
}

/* Something is wrong with the file or the folder: told, and the orbit is as it should be. */
static void expect_warning(void **state, const char *const c[2], enum store store, const char *told,
                           const char *where)
{
    struct orbit orbit;
    char warning[STATUS_TEXT_BYTES];
    made(state, &orbit, c, LIMIT, store, warning);
    if (!strstr(warning, told))
        fail_msg("%s: the warning is '%s'", where, warning);
    if (orbit.length > 1)
        assert_as_computed(&orbit, c, LIMIT, where);
    orbit_destroy(&orbit);
}

/* The only file of the folder. */
static const char *the_file(void **state)
{
    static char name[300];
    DIR *stream = opendir(((struct folder *)*state)->path);
    *name = '\0';
    for (struct dirent *entry; stream && (entry = readdir(stream));)
        if (*entry->d_name != '.')
            snprintf(name, sizeof name, "%s", entry->d_name);
    closedir(stream);
    return in_folder(state, name);
}

static void file_write(const char *path, struct bytes bytes, size_t length)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes.at, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

static void test_kept_and_found(void **state)
{
    expect(state, other_centre, LIMIT, ORBIT_CACHE_NEW);
    expect(state, other_centre, LIMIT, ORBIT_CACHE_FOUND);
    expect(state, other_centre, 7, ORBIT_CACHE_FOUND);
    expect(state, other_centre, 3 * LIMIT, ORBIT_CACHE_LONGER);
    expect(state, other_centre, 3 * LIMIT, ORBIT_CACHE_FOUND);
    assert_int_equal(folder_count(state, "", 0), 1);
    expect(state, centre, LIMIT, ORBIT_CACHE_NEW);
    expect(state, centre, LIMIT, ORBIT_CACHE_FOUND);
    assert_int_equal(folder_count(state, ".orbit", 0), 2);
    assert_int_equal(folder_count(state, "", 0), 2);
}

static void test_every_damaged_byte_is_noticed(void **state)
{
    char where[64];
    expect(state, centre, LIMIT, ORBIT_CACHE_NEW);
    struct bytes bytes = bytes_of_file(the_file(state));
    assert_true(bytes.length > 200);
    for (size_t i = 0; i < bytes.length; i++) {
        bytes.at[i] ^= 1u << i % 8;
        file_write(the_file(state), bytes, bytes.length);
        bytes.at[i] ^= 1u << i % 8;
        snprintf(where, sizeof where, "byte %zu of %zu", i, bytes.length);
        expect_warning(state, centre, STORE_NOT, ".orbit ", where);
    }
    expect_warning(state, centre, STORE, ".orbit ", "the last byte");
    expect(state, centre, LIMIT, ORBIT_CACHE_FOUND); /* it was replaced */
    free(bytes.at);
}

static void test_every_other_length_is_noticed(void **state)
{
    char where[64];
    expect(state, centre, LIMIT, ORBIT_CACHE_NEW);
    struct bytes bytes = bytes_of_file(the_file(state));
    for (size_t length = 0; length < bytes.length; length++) {
        file_write(the_file(state), bytes, length);
        snprintf(where, sizeof where, "%zu of %zu bytes", length, bytes.length);
        expect_warning(state, centre, STORE_NOT,
                       length < 80 ? "is no reference orbit" : "bytes instead of", where);
    }
    bytes.at = realloc(bytes.at, bytes.length + 1);
    file_write(the_file(state), bytes, bytes.length + 1);
    expect_warning(state, centre, STORE, "bytes instead of", "one byte more");
    free(bytes.at);
}

/* The file of one orbit under the name of another. */
static void test_another_orbit_is_noticed(void **state)
{
    char name[700];
    expect(state, other_centre, LIMIT, ORBIT_CACHE_NEW);
    struct bytes bytes = bytes_of_file(the_file(state));
    folder_count(state, "", 1);
    expect(state, centre, LIMIT, ORBIT_CACHE_NEW);
    strcpy(name, the_file(state));
    file_write(name, bytes, bytes.length);
    expect_warning(state, centre, STORE, "is another orbit", "another orbit's file");
    free(bytes.at);
}

static void test_no_files(void **state)
{
    char name[700];
    expect(state, centre, LIMIT, ORBIT_CACHE_NEW);
    strcpy(name, the_file(state));
    assert_int_equal(unlink(name), 0);
    assert_int_equal(mkdir(name, 0777), 0);
    expect_warning(state, centre, STORE, "is no file", "a folder");
    assert_int_equal(rmdir(name), 0);
    assert_int_equal(mkfifo(name, 0666), 0);
    expect_warning(state, centre, STORE, "is no file", "a pipe");
    assert_int_equal(unlink(name), 0);
    assert_int_equal(symlink("nowhere", name), 0);
    expect_warning(state, centre, STORE, "nowhere", "a link that leads nowhere");
    assert_int_equal(unlink(name), 0);
}

static void test_no_folder(void **state)
{
    struct orbit_cache cache;
    struct orbit orbit;
    create(&orbit, centre);
    file_fill(in_folder(state, "file"), "x");
    const char *const folders[] = {in_folder(state, "file"), in_folder(state, "file/below"),
                                   "/proc/deepfield", "/nowhere/at/all"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        assert_int_not_equal(orbit_cache_open(&cache, folders[i], &orbit, NULL), STATUS_OK);
        if (!strstr(cache.warning, folders[i]))
            fail_msg("%s: the warning is '%s'", folders[i], cache.warning);
        orbit_cache_close(&cache);
    }
    orbit_destroy(&orbit);
}

/* The disk is full: a file may not grow beyond 1000 bytes. */
static void test_no_room(void **state)
{
    struct rlimit whole, little;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &whole), 0);
    little = whole;
    little.rlim_cur = 1000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    expect_warning(state, other_centre, STORE, "cannot write", "no room");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &whole), 0);
    assert_int_equal(folder_count(state, "", 0), 0);
}

static void test_memory_and_stop(void **state)
{
    struct orbit_cache cache;
    struct orbit orbit;
    int stop = 1;
    expect(state, other_centre, LIMIT, ORBIT_CACHE_NEW);
    create(&orbit, other_centre);
    assert_int_equal(orbit_cache_open(&cache, ((struct folder *)*state)->path, &orbit, NULL), 0);
    assert_true(orbit_cache_load(&cache, &orbit, LIMIT, 16 * LIMIT));
    assert_non_null(strstr(cache.warning, "6416 bytes of points; 6400 may be used"));
    assert_int_equal(orbit.length, 1);
    *cache.warning = '\0';
    cache.stop = &stop;
    assert_true(orbit_cache_load(&cache, &orbit, LIMIT, 0));
    assert_int_equal(orbit.length, 1);
    assert_int_equal(orbit_extend(&orbit, 2 * LIMIT), STATUS_OK);
    struct bytes before = bytes_of_file(the_file(state));
    orbit_cache_store(&cache, &orbit);
    struct bytes after = bytes_of_file(the_file(state));
    assert_true(bytes_equal(before, after)); /* stopped: what was there stays */
    assert_string_equal(cache.warning, "");
    free(before.at);
    free(after.at);
    orbit_cache_close(&cache);
    orbit_destroy(&orbit);
}

/* All write the same files, with orbits of many lengths, and read what others wrote. */
static int rounds_of_process(void **state, int process)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct orbit orbit;
        char warning[STATUS_TEXT_BYTES], im[32];
        int64_t limit = 1 + (process * 977 + round * 131) % 1500;
        snprintf(im, sizeof im, "%de-40", round / 3);
        const char *const c[2] = {"-0.75", im};
        made(state, &orbit, c, limit, STORE, warning);
        if (*warning) {
            fprintf(stderr, "process %d: %s\n", process, warning);
            return 1;
        }
        assert_as_computed(&orbit, c, limit, "of many processes");
        orbit_destroy(&orbit);
    }
    return 0;
}

static void test_many_processes(void **state)
{
    pid_t child[PROCESSES];
    for (int i = 0; i < PROCESSES; i++)
        if ((child[i] = fork()) == 0)
            _exit(rounds_of_process(state, i));
    for (int i = 0; i < PROCESSES; i++) {
        int code;
        assert_int_equal(waitpid(child[i], &code, 0), child[i]);
        assert_int_equal(code, 0);
    }
    assert_int_equal(folder_count(state, ".part", 0), 0);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_kept_and_found),
        CASE(test_every_damaged_byte_is_noticed),
        CASE(test_every_other_length_is_noticed),
        CASE(test_another_orbit_is_noticed),
        CASE(test_no_files),
        CASE(test_no_folder),
        CASE(test_no_room),
        CASE(test_memory_and_stop),
        CASE(test_many_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

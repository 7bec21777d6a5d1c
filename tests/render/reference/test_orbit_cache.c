/* A folder that keeps orbits changes no number, whatever lies in it. */
#include "render/reference/orbit_cache.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kernels/formula_text.h"
#include "tests/render/disk/folder.h"
#include "tests/support/check.h"
#include "tests/support/same_orbit.h"

enum { HEAD_LENGTH_AT = 32, HEAD_BYTES = 32 + sizeof(struct orbit_saved) };
enum { LIMIT = 400, PROCESSES = 4, ROUNDS = 30 };

static const char *const centre[2] = {"-1", "1e-170"}; /* comes near zero, and closes a cycle */
static const char *const other_centre[2] = {"-0.75", "0"};

static struct formula formula; /* of all orbits; zeroed but where a test sets it */

static void create(struct orbit *orbit, const char *const c[2])
{
    struct orbit_options options = {.bits = 1200,
                                    .radius = 1e5,
                                    .log2_disc = -INFINITY,
                                    .log2_step = -1000,
                                    .formula = formula};
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
    if (!same_orbits(orbit, &fresh))
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

/* The only file of the folder whose name has that. */
static const char *the_file_of(void **state, const char *part)
{
    static char name[300];
    DIR *stream = opendir(((struct folder *)*state)->path);
    *name = '\0';
    for (struct dirent *entry; stream && (entry = readdir(stream));)
        if (*entry->d_name != '.' && strstr(entry->d_name, part))
            snprintf(name, sizeof name, "%s", entry->d_name);
    closedir(stream);
    return in_folder(state, name);
}

static const char *the_file(void **state)
{
    return the_file_of(state, "");
}

static void file_write(const char *path, struct bytes bytes, size_t length)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes.at, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

IN_FOLDER(test_kept_and_found)
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

IN_FOLDER(test_every_damaged_byte_is_noticed)
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

IN_FOLDER(test_every_other_length_is_noticed)
{
    char where[64];
    expect(state, centre, LIMIT, ORBIT_CACHE_NEW);
    struct bytes bytes = bytes_of_file(the_file(state));
    for (size_t length = 0; length < bytes.length; length++) {
        file_write(the_file(state), bytes, length);
        snprintf(where, sizeof where, "%zu of %zu bytes", length, bytes.length);
        expect_warning(state, centre, STORE_NOT,
                       length < HEAD_BYTES ? "is no reference orbit" : "bytes instead of", where);
    }
    bytes.at = realloc(bytes.at, bytes.length + 1);
    file_write(the_file(state), bytes, bytes.length + 1);
    expect_warning(state, centre, STORE, "bytes instead of", "one byte more");
    free(bytes.at);
}

/* The file of one orbit under the name of another. */
IN_FOLDER(test_another_orbit_is_noticed)
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

IN_FOLDER(test_no_files)
{
    char name[700];
    expect(state, centre, LIMIT, ORBIT_CACHE_NEW);
    strcpy(name, the_file(state));
    assert_int_equal(unlink(name), 0);
    assert_int_equal(mkdir(name, 0777), 0);
    expect_warning(state, centre, STORE_NOT, "is no regular file", "a folder");
    expect_warning(state, centre, STORE, "Is a directory", "a folder");
    assert_int_equal(rmdir(name), 0);
    assert_int_equal(mkfifo(name, 0666), 0);
    expect_warning(state, centre, STORE, "is no regular file", "a pipe");
    expect(state, centre, LIMIT, ORBIT_CACHE_FOUND); /* it was replaced */
}

/* Nothing is read or written through a link; the link itself is replaced. */
IN_FOLDER(test_links)
{
    char name[700], precious[700];
    expect(state, centre, LIMIT, ORBIT_CACHE_NEW);
    strcpy(name, the_file(state));
    strcpy(precious, in_folder(state, "precious"));
    struct bytes bytes = bytes_of_file(name);
    for (int kind = 0; kind < 3; kind++) { /* to a text, to an orbit, nowhere */
        if (kind == 1)
            file_write(precious, bytes, bytes.length);
        else
            file_fill(precious, "precious");
        assert_int_equal(unlink(name), 0);
        assert_int_equal(symlink(kind == 2 ? "nowhere" : "precious", name), 0);
        expect_warning(state, centre, STORE, "is a link", "a link");
        struct stat about;
        assert_int_equal(lstat(name, &about), 0);
        assert_true(S_ISREG(about.st_mode));
        struct bytes after = bytes_of_file(precious);
        assert_true(kind == 1 ? bytes_equal(bytes, after)
                              : after.length == 8 && !memcmp(after.at, "precious", 8));
        free(after.at);
        expect(state, centre, LIMIT, ORBIT_CACHE_FOUND);
    }
    free(bytes.at);
}

/* What others own or may write is not believed. */
IN_FOLDER(test_others)
{
    const char *folder = ((struct folder *)*state)->path;
    struct orbit_cache cache;
    struct orbit orbit;
    struct stat about;
    expect(state, centre, LIMIT, ORBIT_CACHE_NEW);
    create(&orbit, centre);
    assert_int_equal(orbit_cache_open(&cache, in_folder(state, "made"), &orbit, NULL), STATUS_OK);
    orbit_cache_close(&cache);
    assert_int_equal(stat(in_folder(state, "made"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    assert_int_equal(rmdir(in_folder(state, "made")), 0);
    for (int mode = 0720; mode < 0723; mode += 2) {
        assert_int_equal(chmod(folder, (mode_t)mode), 0);
        expect_warning(state, centre, STORE, "chmod go-w", "a folder for others");
    }
    assert_int_equal(chmod(folder, 0700), 0);
    if (getuid() == 0) {
        assert_int_equal(chown(the_file(state), 12345, 12345), 0);
        expect_warning(state, centre, STORE, "belongs to another user", "another's file");
        expect(state, centre, LIMIT, ORBIT_CACHE_FOUND);
        assert_int_equal(chown(folder, 12345, 12345), 0);
        expect_warning(state, centre, STORE, "belongs to another user", "another's folder");
        assert_int_equal(chown(folder, 0, 0), 0);
    }
    orbit_destroy(&orbit);
}

/* ---- hostile files, their checksums right ---- */

static void sum_mend(struct bytes bytes)
{
    XXH64_hash_t sum = XXH3_64bits(bytes.at, bytes.length - sizeof sum);
    memcpy(bytes.at + bytes.length - sizeof sum, &sum, sizeof sum);
}

/* A head that promises a gigabyte of points, which takes no room on the disk. */
IN_FOLDER(test_a_head_takes_no_memory)
{
    char name[700];
    struct rusage before, after;
    struct orbit orbit;
    struct orbit_cache cache;
    int64_t length = (int64_t)1 << 26;
    expect(state, other_centre, LIMIT, ORBIT_CACHE_NEW);
    strcpy(name, the_file(state));
    struct bytes bytes = bytes_of_file(name);
    struct orbit_saved saved;
    memcpy(&saved, bytes.at + HEAD_LENGTH_AT, sizeof saved);
    off_t whole = (off_t)bytes.length + (off_t)(length + 1 - saved.length) * 16;
    saved.length = length + 1;
    saved.steps = length;
    saved.seen = length;
    saved.next = 2 * length;
    memcpy(bytes.at + HEAD_LENGTH_AT, &saved, sizeof saved);
    file_write(name, bytes, bytes.length);
    assert_int_equal(truncate(name, whole), 0);
    create(&orbit, other_centre);
    assert_int_equal(orbit_cache_open(&cache, ((struct folder *)*state)->path, &orbit, NULL), 0);
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    assert_true(orbit_cache_load(&cache, &orbit, INT64_MAX, 0));
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_non_null(strstr(cache.warning, "is not consistent"));
    assert_true(after.ru_maxrss - before.ru_maxrss < 100000); /* kB */
    orbit_cache_close(&cache);
    orbit_destroy(&orbit);
    free(bytes.at);
}

/* A bit, or eight bytes with what is seldom thought of. */
static void bytes_spoil(struct bytes bytes, unsigned long long *seed)
{
    static const uint64_t words[] = {0,
                                     1,
                                     2,
                                     UINT64_MAX,
                                     INT64_MAX,
                                     (uint64_t)INT64_MIN,
                                     (uint64_t)-1022,
                                     (uint64_t)-500,
                                     (uint64_t)-100000,
                                     0x7ff0000000000000u,
                                     0x7ff8000000000001u,
                                     0x8000000000000000u,
                                     0x3ff0000000000000u};
    unsigned long long any = random_next(seed);
    size_t at = (any >> 8) % (any & 1 ? bytes.length : 700);
    if (any & 6)
        bytes.at[at] ^= 1u << (any >> 3) % 8;
    else {
        at = at / 8 * 8;
        memcpy(bytes.at + at, &words[(any >> 40) % (sizeof words / sizeof *words)],
               at + 8 <= bytes.length ? 8 : 0);
    }
}

/* The orbit is then the one that is computed, whichever it was, also when it goes on. */
static void hostile_files(void **state, const char *const c[2], int64_t limit, int64_t then,
                          int rounds, unsigned long long *seed)
{
    folder_count(state, "", 1);
    expect(state, c, limit, ORBIT_CACHE_NEW);
    struct bytes good = bytes_of_file(the_file(state));
    struct bytes bytes = {malloc(good.length), good.length};
    for (int round = 0; round < rounds; round++) {
        char where[96], warning[STATUS_TEXT_BYTES];
        struct orbit orbit;
        memcpy(bytes.at, good.at, good.length);
        bytes_spoil(bytes, seed);
        if (round % 4 == 0)
            bytes_spoil(bytes, seed);
        sum_mend(bytes);
        file_write(the_file(state), bytes, bytes.length);
        made(state, &orbit, c, then, STORE_NOT, warning);
        snprintf(where, sizeof where, "file %d of %s, %s", round, c[0], formula_name(&formula));
        assert_as_computed(&orbit, c, then, where);
        orbit_destroy(&orbit);
    }
    free(bytes.at);
    free(good.at);
}

IN_FOLDER(test_hostile_files)
{
    static const struct {
        const char *c[2];
        int64_t limit, then;
        int rounds;
    } cases[] = {{{"-1", "1e-170"}, LIMIT, LIMIT, 300},
                 {{"-1", "1e-170"}, 9, 3 * LIMIT, 300},
                 {{"-0.75", "0"}, LIMIT, 2 * LIMIT, 300},
                 {{"-0.75", "0"}, LIMIT, 100, 100},
                 {{"-1.7686104930146770", "0.0012666135038687"}, LIMIT, LIMIT, 200},
                 {{"-0.75", "1e-60"}, 60000, 60001, 10}};
    unsigned long long seed = random_seed();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        hostile_files(state, cases[i].c, cases[i].limit, cases[i].then, cases[i].rounds, &seed);
}

/* ---- orbits of formulas ---- */

struct formula_case {
    const char *formula, *c[2];
    enum formula_plane plane;
    double c_re, c_im;
};
static const struct formula_case formula_cases[] = {
    {"celtic", {"-1.2", "1e-200"}, PARAMETER_PLANE, 0, 0},
    {"burning_ship", {"-1", "1e-170"}, PARAMETER_PLANE, 0, 0},
    {"julia", {"0.1", "1e-160"}, DYNAMIC_PLANE, -1, 0},
    {"absx, sqr, add c; swap, sqr, add c", {"-1.2", "0"}, DYNAMIC_PLANE, -0.5, 0.25},
    {"phoenix", {"-0.45", "0.1"}, PARAMETER_PLANE, 0, 0},
    {"newton_3", {"1e-160", "0"}, DYNAMIC_PLANE, 0, 0},
    {"nova_4", {"-0.35", "0.1"}, PARAMETER_PLANE, 0, 0},
    {"magnet_1", {"1", "1e-170"}, DYNAMIC_PLANE, 1.5, 0.5}};
enum { FORMULA_CASES = sizeof formula_cases / sizeof *formula_cases };

static void formula_set(const struct formula_case *of)
{
    assert_int_equal(formula_of_text(&formula, of->formula, strlen(of->formula)), STATUS_OK);
    formula.plane = of->plane;
    formula.c_re = of->c_re;
    formula.c_im = of->c_im;
}

static int formula_unset(void **state)
{
    formula = (struct formula){.plane = PARAMETER_PLANE};
    return folder_teardown(state);
}

#define IN_FOLDER_OF_FORMULAS(name) TEST_WITH(name, folder_setup, formula_unset)

IN_FOLDER_OF_FORMULAS(test_formulas_are_kept_and_found)
{
    for (int i = 0; i < FORMULA_CASES; i++) {
        const char *const *c = formula_cases[i].c;
        struct orbit orbit;
        formula_set(&formula_cases[i]);
        create(&orbit, c);
        assert_int_equal(orbit_extend(&orbit, 20), STATUS_OK);
        bool goes_on = false;
        for (const struct orbit *o = &orbit; o; o = o->critical)
            goes_on |= o->end == ORBIT_LIMIT;
        orbit_destroy(&orbit);
        expect(state, c, 20, ORBIT_CACHE_NEW);
        expect(state, c, 20, ORBIT_CACHE_FOUND);
        expect(state, c, 7, ORBIT_CACHE_FOUND);
        expect(state, c, LIMIT, goes_on ? ORBIT_CACHE_LONGER : ORBIT_CACHE_FOUND);
        expect(state, c, LIMIT, ORBIT_CACHE_FOUND);
        assert_int_equal(folder_count(state, "", 0), i + 1);
    }
}

/* Not the file of another formula, c or plane under its name. */
IN_FOLDER_OF_FORMULAS(test_another_formula_is_noticed)
{
    const struct formula_case *of = &formula_cases[3];
    char name[700];
    formula_set(of);
    expect(state, of->c, LIMIT, ORBIT_CACHE_NEW);
    strcpy(name, the_file(state));
    for (int i = 0; i < 3; i++) {
        struct formula own = formula;
        formula.c_re += i == 0 ? 0x1p-50 : 0;
        formula.own.operation[0] = i == 1 ? OPERATION_ABS_Y : formula.own.operation[0];
        if (i == 2)
            formula_set(&formula_cases[2]);
        assert_int_equal(rename(name, in_folder(state, "other")), 0);
        expect(state, of->c, LIMIT, ORBIT_CACHE_NEW);
        assert_int_equal(folder_count(state, ".orbit", 0), 1);
        assert_int_equal(rename(the_file_of(state, ".orbit"), name), 0);
        formula = own;
        expect_warning(state, of->c, STORE,
                       i == 2 ? "another number of orbits" : "is another orbit",
                       "another formula's file");
        expect(state, of->c, LIMIT, ORBIT_CACHE_FOUND);
        assert_int_equal(unlink(in_folder(state, "other")), 0);
    }
}

IN_FOLDER_OF_FORMULAS(test_damaged_orbits_of_formulas_are_noticed)
{
    char where[64];
    for (int i = 0; i < FORMULA_CASES; i++) {
        const char *const *c = formula_cases[i].c;
        folder_count(state, "", 1);
        formula_set(&formula_cases[i]);
        expect(state, c, 20, ORBIT_CACHE_NEW);
        struct bytes bytes = bytes_of_file(the_file(state));
        for (size_t at = 0; at < bytes.length; at += check_long() ? 7 : 401) {
            bytes.at[at] ^= 1u << at % 8;
            file_write(the_file(state), bytes, bytes.length);
            bytes.at[at] ^= 1u << at % 8;
            snprintf(where, sizeof where, "byte %zu of %zu", at, bytes.length);
            expect_warning(state, c, STORE_NOT, ".orbit ", where);
            file_write(the_file(state), bytes, at);
            snprintf(where, sizeof where, "%zu of %zu bytes", at, bytes.length);
            expect_warning(state, c, STORE_NOT, ".orbit ", where);
        }
        free(bytes.at);
    }
}

IN_FOLDER_OF_FORMULAS(test_hostile_files_of_formulas)
{
    int rounds = check_long() ? 400 : 12;
    unsigned long long seed = random_seed();
    for (int i = 0; i < FORMULA_CASES; i++) {
        formula_set(&formula_cases[i]);
        hostile_files(state, formula_cases[i].c, 40, 40, rounds, &seed);
        hostile_files(state, formula_cases[i].c, 20, 60, rounds, &seed);
        hostile_files(state, formula_cases[i].c, 40, 10, rounds, &seed);
    }
}

IN_FOLDER(test_no_folder)
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
IN_FOLDER(test_no_room)
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

IN_FOLDER(test_memory_and_stop)
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

IN_FOLDER(test_many_processes)
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

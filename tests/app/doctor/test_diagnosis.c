/* Lines of `deepfield doctor`: lists of ranks, and diagnoses that are too many or too long. */
#include <string.h>

#include "app/doctor/diagnosis.h"
#include "app/doctor/job_gpus.h"
#include "tests/support/check.h"

static void assert_ranges(const char *marks, const char *wanted)
{
    bool set[64] = {false};
    char text[64];
    int count = (int)strlen(marks);
    for (int i = 0; i < count; i++)
        set[i] = marks[i] == 'x';
    ranges_text(set, count, text, sizeof text);
    assert_string_equal(text, wanted);
}

TEST(ranks_are_ranges)
{
    assert_ranges("", "");
    assert_ranges("...", "");
    assert_ranges("x", "0");
    assert_ranges("xx.", "0-1");
    assert_ranges(".x.xxx.x", "1, 3-5, 7");
}

TEST(a_long_list_is_cut)
{
    bool set[] = {true, false, true, false, true};
    char text[6];
    ranges_text(set, 5, text, sizeof text);
    assert_string_equal(text, "0, 2,");
}

TEST(diagnoses_beyond_the_most_are_dropped)
{
    static struct diagnoses diagnoses;
    char word[1000];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    for (int i = 0; i < DIAGNOSES_MOST + 3; i++)
        diagnosis_add(&diagnoses, VERDICT_NOTE, word, word, "%s", word);
    assert_int_equal(diagnoses.count, DIAGNOSES_MOST);
    assert_true(diagnosis_same(&diagnoses.row[0], &diagnoses.row[DIAGNOSES_MOST - 1]));
    assert_int_equal(strlen(diagnoses.row[0].text), sizeof diagnoses.row[0].text - 1);
    diagnosis_add(&diagnoses, VERDICT_WRONG, "b", NULL, "%s", "");
    assert_int_equal(diagnoses.count, DIAGNOSES_MOST);
}

int main(void)
{
    return check_run(NULL, NULL);
}

TEST(copies_are_in_gigabytes)
{
    char text[GPU_COPIES_BYTES];
    gpu_copies_text(3, 54.94e9, 7e9, text);
    assert_string_equal(text, "device 3 54.9 to it, 7.0 from it");
}

TEST(peers_are_pairs)
{
    char text[GPU_PEERS_BYTES];
    gpu_peers_text(6, 6, text);
    assert_string_equal(text, "all reach each other's memory");
    gpu_peers_text(28, 12, text);
    assert_non_null(strstr(text, "12 of 28 pairs"));
}

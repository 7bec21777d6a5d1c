/* The depth in words: right to the factor 3 at every depth, and whole in every language. */
#include <math.h>
#include <string.h>

#include "app/viewer/overlays/depth_words.h"
#include "tests/support/check.h"

#define STEP 0.01 /* log10 of the magnification from one to the next */
#define DEEP 60.0

TEST(every_comparison_is_right_to_the_factor_3)
{
    const struct depth_thing *as_large = NULL;
    int counts[3] = {0, 0, 0};
    for (double log10_m = DEPTH_LEAST; log10_m < DEEP; log10_m += STEP) {
        struct depth_words words;
        assert_true(depth_compare(log10_m, &words));
        double size_m = words.whole->size_m / pow(10, log10_m), of_m = words.picture->size_m;
        counts[words.size]++;
        if (words.size == DEPTH_AS_LARGE) {
            assert_true(size_m <= 3.001 * of_m && of_m <= 3.001 * size_m);
            as_large = words.picture;
        } else if (words.size == DEPTH_SMALLER) {
            assert_true(size_m < of_m);
            assert_true(!as_large || as_large->size_m > size_m); /* the next one has not come yet */
        } else {
            double factor = of_m / size_m;
            assert_true(fabs(log10(factor) - words.zeros) <= 0.5001 && words.zeros >= 2);
        }
    }
    assert_true(counts[DEPTH_AS_LARGE] > counts[DEPTH_SMALLER] && counts[DEPTH_ZEROS] > 0);
}

/* Pictures get smaller with the depth, as long as the whole stays the same. */
TEST(deeper_pictures_are_never_larger)
{
    struct depth_words before, words;
    assert_true(depth_compare(DEPTH_LEAST, &before));
    for (double log10_m = DEPTH_LEAST; log10_m < DEEP; log10_m += STEP, before = words) {
        assert_true(depth_compare(log10_m, &words));
        assert_true(words.whole->size_m >= before.whole->size_m);
        if (words.whole == before.whole)
            assert_true(words.picture->size_m <= before.picture->size_m);
    }
}

TEST(sentences_are_whole_in_every_language)
{
    static const double depths[] = {2, 14, 21, 41.5, 300, 1e5};
    char text[DEPTH_BYTES], before[DEPTH_BYTES] = "";
    for (int language = 0; language < LANGUAGES; language++) {
        language_use((enum language)language);
        for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
            depth_sentence(depths[i], text);
            assert_true(strlen(text) > 40 && strlen(text) < DEPTH_BYTES - 8);
            assert_null(strchr(text, '%'));
            assert_string_not_equal(text, before);
            memcpy(before, text, sizeof before);
        }
    }
    language_use(LANGUAGE_EN);
    assert_string_equal(depth_sentence(21.9, text),
                        "If the whole set were as large as the Milky Way, this picture would be "
                        "about the size of a plate");
    assert_string_equal(
        depth_sentence(300, text),
        "Even if the whole set were as large as the universe that can be seen, this "
        "picture would be smaller than a proton, by a factor with 258 zeros");
}

TEST(shallow_views_and_unknown_depths_have_no_sentence)
{
    char text[DEPTH_BYTES];
    assert_string_equal(depth_sentence(0.5, text), "");
    assert_string_equal(depth_sentence(NAN, text), "");
}

int main(void)
{
    return check_run(NULL, NULL);
}

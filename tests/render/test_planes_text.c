/* The view beside .npy planes is found, and only it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/check.h"

#include "render/planes_text.h"

static void expect(const char *json, const char *wanted)
{
    char *text;
    assert_int_equal(planes_text_find(json, strlen(json), "x.json", &text), STATUS_OK);
    assert_true(!text == !wanted);
    if (wanted)
        assert_string_equal(text, wanted);
    free(text);
}

static void the_view_is_found(void **state)
{
    (void)state;
    expect("{\"view\":\"re = 0\"}", "re = 0");
    expect(" { \"a\" : [ { \"view\" : \"no\" } , \"view\" ] , \"view\" : \"\" } ", "");
    expect("{\"view\":\"\\u000a\\\"\\\\\\/\\t\\u00e9\\u20ac\\ud83d\\ude00\xc3\xa9\"}",
           "\n\"\\/\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9");
    expect("{\"view\":null}", NULL);
    expect("{\"x\":\"view\",\"viewer\":1,\"y\":{\"view\":2}}", NULL);
    expect("{}", NULL);
}

static void damage_is_named(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "[1]",
                                      "{",
                                      "{\"view\":",
                                      "{\"view\":7}",
                                      "{\"view\":\"a",
                                      "{\"view\":\"\\",
                                      "{\"view\":\"\\x\"}",
                                      "{\"view\":\"\\u00\"}",
                                      "{\"view\":\"\\u0000\"}",
                                      "{\"view\":\"\\udc00\"}",
                                      "{\"view\":\"\\ud800\\u0041\"}",
                                      "{\"view\":\"\n\"}",
                                      "{\"a\":\"\\ud8"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text;
        assert_int_equal(planes_text_find(bad[i], strlen(bad[i]), "x.json", &text),
                         STATUS_BAD_DATA);
        assert_null(text);
        assert_non_null(strstr(status_text(), "x.json: damaged JSON: "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_view_is_found),
        cmocka_unit_test(damage_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

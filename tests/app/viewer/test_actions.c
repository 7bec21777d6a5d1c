/* The one table of actions, and everything that is made from it.
 * test_actions --write rewrites its table in configs/KEYS.md. */
#include <stdlib.h>
#include <string.h>

#include "app/viewer/input/actions.h"
#include "app/viewer/overlays/action_words.h"
#include "library/config/config.h"
#include "render/window/event.h"
#include "tests/app/arguments/keys_document.h"

#define MARK_BEGIN "<!-- actions: begin -->\n"
#define MARK_END "<!-- actions: end -->\n"

TEST(test_rows_are_whole)
{
    int groups = 0, group = -1;
    for (int i = ACTION_NONE + 1; i < ACTIONS; i++) {
        const struct action_row *row = &action_rows[i];
        if (!row->name || !row->keys || !row->help)
            fail_msg("row %d is not whole", i);
        assert_int_equal(action_named(row->name), i);
        assert_int_equal(action_check(row->name, row->keys), STATUS_OK);
        groups += group != row->group;
        group = row->group;
        /* Whatever is on a key stands in one line of help. */
        assert_true(strlen(row->help) <= 60);
    }
    assert_int_equal(groups, 6); /* each stands together */
    assert_int_equal(action_named("none"), ACTION_NONE);
}

TEST(test_defaults_agree)
{
    struct actions actions;
    if (actions_create(&actions, NULL) != STATUS_OK)
        fail_msg("%s", status_text());
}

TEST(test_bindings_come_back)
{
    struct actions actions;
    assert_int_equal(actions_create(&actions, NULL), STATUS_OK);
    for (int a = ACTION_NONE + 1; a < ACTIONS; a++)
        for (int i = 0; i < BINDINGS_EACH && actions.binding[a][i].kind; i++) {
            char text[BINDING_BYTES];
            struct binding back;
            binding_text(&actions.binding[a][i], text);
            assert_int_equal(binding_parse(&back, text), STATUS_OK);
            assert_int_equal(back.kind, actions.binding[a][i].kind);
            assert_int_equal(back.modifiers, actions.binding[a][i].modifiers);
            assert_int_equal(back.code, actions.binding[a][i].code);
            assert_int_equal(actions_find(&actions, &back), a);
        }
}

/* Whatever can be bound has words for people: none has the hyphens of settings. */
TEST(test_bindings_have_words)
{
    static const char *const names[] = {
        "left-click",    "middle-click",   "right-click", "back-click",     "wheel-left",
        "wheel-right",   "middle-drag",    "right-drag",  "long-press",     "right-double-click",
        "forward-click", "two-finger-tap", "pad-guide",   "pad-stick-left", "pad-stick-right",
        "pad-up",        "pad-down",       "pad-left",    "pad-right",      "middle-double-click"};
    struct actions actions;
    struct binding binding;
    char words[BINDING_BYTES];
    assert_int_equal(actions_create(&actions, NULL), STATUS_OK);
    for (int a = ACTION_NONE + 1; a < ACTIONS; a++)
        for (int i = 0; i < BINDINGS_EACH && actions.binding[a][i].kind; i++) {
            binding_words(&actions.binding[a][i], words);
            assert_true(*words && (!strchr(words, '-') || !strcmp(strchr(words, '-'), "-")));
        }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(binding_parse(&binding, names[i]), STATUS_OK);
        binding_words(&binding, words);
        assert_true(*words && !strchr(words, '-'));
    }
    assert_int_equal(binding_parse(&binding, "ctrl+shift+page-up"), STATUS_OK);
    binding_words(&binding, words);
    assert_string_equal(words, "Ctrl+Shift+Page Up");
    assert_int_equal(binding_parse(&binding, "meta+f5"), STATUS_OK);
    binding_words(&binding, words);
    assert_string_equal(words, "Meta+F5");
}

static enum action on_key(const struct actions *actions, unsigned modifiers, int32_t key)
{
    return actions_find(actions, &(struct binding){BINDING_KEY, modifiers, key});
}

static enum status create_from(struct actions *actions, const char *text)
{
    struct ini ini;
    assert_int_equal(ini_parse(&ini, text, strlen(text), "keys", STATUS_CONFIG), STATUS_OK);
    enum status status = actions_create(actions, &ini);
    ini_destroy(&ini);
    return status;
}

TEST(test_keys_are_remapped)
{
    struct actions actions;
    assert_int_equal(create_from(&actions, "[keys]\nzoom-in = plus Shift+Ctrl+PAGE-UP\n"
                                           "zoom-in-far = none\nundo = u pad-east\n"),
                     STATUS_OK);
    assert_int_equal(on_key(&actions, 0, '+'), ACTION_ZOOM_IN);
    assert_int_equal(on_key(&actions, INPUT_SHIFT | INPUT_CTRL, INPUT_KEY_PAGE_UP), ACTION_ZOOM_IN);
    assert_int_equal(on_key(&actions, 0, '='), ACTION_NONE);
    assert_int_equal(on_key(&actions, 0, INPUT_KEY_PAGE_UP), ACTION_NONE);
    assert_int_equal(on_key(&actions, 0, 'u'), ACTION_UNDO);
    assert_int_equal(on_key(&actions, INPUT_CTRL, 'z'), ACTION_NONE);
    assert_int_equal(on_key(&actions, 0, '-'), ACTION_ZOOM_OUT);
}

/* Modifiers are held exactly: Ctrl+Shift+Z is not Ctrl+Z. */
TEST(test_modifiers_count)
{
    struct actions actions;
    assert_int_equal(actions_create(&actions, NULL), STATUS_OK);
    assert_int_equal(on_key(&actions, INPUT_CTRL, 'z'), ACTION_UNDO);
    assert_int_equal(on_key(&actions, INPUT_CTRL | INPUT_SHIFT, 'z'), ACTION_REDO);
    assert_int_equal(on_key(&actions, INPUT_CTRL | INPUT_ALT, 'z'), ACTION_NONE);
    assert_int_equal(on_key(&actions, 0, 'z'), ACTION_RANKS_LESS);
}

TEST(test_conflicts_are_told)
{
    struct actions actions;
    assert_int_equal(create_from(&actions, "[keys]\nminimap = h\n"), STATUS_CONFIG);
    assert_non_null(strstr(status_text(), "'h' is bound to both minimap and hud"));
    assert_int_equal(create_from(&actions, "[keys]\nminimap = h\nhud = none\n"), STATUS_OK);
    assert_int_equal(create_from(&actions, "[keys]\nminimap = h\nhud = m\n"), STATUS_OK);
}

TEST(test_wrong_bindings_are_told)
{
    static const char *const cases[][3] = {
        {"minimap", "pagedown", "did you mean 'page-down'"},
        {"minmap", "m", "did you mean 'minimap'"},
        {"pan", "m", "it takes a drag"},
        {"minimap", "left-drag", "it takes a key"},
        {"pinch", "double-tap", "it takes two-fingers"},
        {"pad-pan", "pad-south", "pad-left-stick"},
        {"minimap", "ctrl+double-tap", "without ctrl"},
        {"minimap", "ctrl+", "ctrl+"},
        {"minimap", "m l k o u y x", "more than 6"},
        {"minimap", "\x01", "no key"},
        {"minimap", "\"", "double-quote"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(action_check(cases[i][0], cases[i][1]), STATUS_CONFIG);
        if (!strstr(status_text(), cases[i][2]))
            fail_msg("'%s' does not say '%s'", status_text(), cases[i][2]);
    }
}

TEST(test_keys_of_a_configuration)
{
    struct config config;
    struct actions actions;
    assert_int_equal(config_create(&config), STATUS_OK);
    assert_int_equal(config_set_named(&config, "keys", "zoom-in", "u", "--set", STATUS_USAGE),
                     STATUS_USAGE);
    assert_string_equal(status_text(), "--set: unknown section 'keys'");
    config.keys_check = action_check;
    assert_int_equal(config_set_named(&config, "keys", "zoom-in", "u", "--set", STATUS_USAGE),
                     STATUS_OK);
    assert_int_equal(config_set_named(&config, "keys", "zoom-in", "y", "--set", STATUS_USAGE),
                     STATUS_OK);
    assert_int_equal(config_set_named(&config, "keys", "zoomin", "y", "--set", STATUS_USAGE),
                     STATUS_USAGE);
    assert_non_null(strstr(status_text(), "--set: there is no action 'zoomin'; did you mean"));
    assert_int_equal(actions_create(&actions, &config.keys), STATUS_OK);
    assert_int_equal(on_key(&actions, 0, 'y'), ACTION_ZOOM_IN);
    assert_int_equal(on_key(&actions, 0, 'u'), ACTION_NONE);
    struct ini view;
    static const char text[] = "[keys]\nzoom-in = k\n";
    assert_int_equal(ini_parse(&view, text, sizeof text - 1, "view", STATUS_BAD_DATA), STATUS_OK);
    assert_int_equal(config_apply(&config, &view, "view", STATUS_BAD_DATA), STATUS_BAD_DATA);
    ini_destroy(&view);
    config_destroy(&config);
}

/* What --print-config writes is the same configuration. */
TEST(test_keys_are_written)
{
    struct config config, back;
    struct ini ini;
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(config_create(&config), STATUS_OK);
    assert_int_equal(config_create(&back), STATUS_OK);
    config.keys_check = back.keys_check = action_check;
    static const char *const set[][2] = {
        {"home", "k"}, {"cycle", "; #"}, {"home", "none"}, {"undo", "\xc3\xb6 ctrl+'"}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_int_equal(
            config_set_named(&config, "keys", set[i][0], set[i][1], "--set", STATUS_USAGE),
            STATUS_OK);
    FILE *stream = open_memstream(&text, &length);
    config_write(&config, CONFIG_ALL, stream);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(ini_parse(&ini, text, length, "written", STATUS_CONFIG), STATUS_OK);
    assert_int_equal(config_apply(&back, &ini, "written", STATUS_CONFIG), STATUS_OK);
    assert_int_equal(back.keys.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(back.keys.entry[i].value, config.keys.entry[i].value);
    assert_string_equal(back.keys.entry[0].value, "none");
    ini_destroy(&ini);
    free(text);
    config_destroy(&config);
    config_destroy(&back);
}

/* ---- the document ---- */

static char *table_made(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    actions_table(stream);
    assert_int_equal(fclose(stream), 0);
    return text;
}

TEST(test_document_has_the_same_table)
{
    keys_document_check(KEYS_FILE, MARK_BEGIN, MARK_END, table_made(), "test_actions");
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--write"))
        return keys_document_write(KEYS_FILE, MARK_BEGIN, MARK_END, table_made());
    return check_run(NULL, NULL);
}

#include "app/config/language.h"

#include <stdlib.h>
#include <string.h>

const char *const language_codes[LANGUAGES] = {"en", "de", "fr", "es", "pl"};
const char *const language_names[LANGUAGES] = {"English", "Deutsch", "Français", "Español",
                                               "Polski"};

enum language language_of_locale(const char *locale)
{
    for (int i = 0; locale && i < LANGUAGES; i++)
        if (!strncmp(locale, language_codes[i], 2) && (!locale[2] || strchr("_.@-", locale[2])))
            return (enum language)i;
    return LANGUAGE_EN;
}

enum language language_of_environment(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return language_of_locale(value);
    }
    return LANGUAGE_EN;
}

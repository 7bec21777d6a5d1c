#include "library/config/language.h"

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

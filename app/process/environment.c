#include "app/process/environment.h"

#include <stdlib.h>

struct data_source environment_data(void)
{
    return (struct data_source){getenv("DEEPFIELD_DATA"), "DEEPFIELD_DATA"};
}

enum status environment_data_folder(char *path, size_t bytes)
{
    const struct data_source data = environment_data();
    return data_folder(&data, path, bytes);
}

enum language environment_language(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return language_of_locale(value);
    }
    return LANGUAGE_EN;
}

/* The languages of texts: on the viewer's screen, of tours and of subtitles. */
#ifndef LIBRARY_CONFIG_LANGUAGE_H
#define LIBRARY_CONFIG_LANGUAGE_H

enum language { LANGUAGE_EN, LANGUAGE_DE, LANGUAGE_FR, LANGUAGE_ES, LANGUAGE_PL, LANGUAGES };

/* "en", ...; and as its speakers call it: "English", "Deutsch", ... */
extern const char *const language_codes[LANGUAGES];
extern const char *const language_names[LANGUAGES];

/* Language of a locale's name, "de_AT.UTF-8"; English for an unknown one, and for NULL. */
enum language language_of_locale(const char *locale);

#endif

/* Which files do the cases of bad_input.tsv read? Made in the current folder. */
#ifndef TESTS_APP_PLACE_BAD_INPUT_FILES_H
#define TESTS_APP_PLACE_BAD_INPUT_FILES_H

void bad_input_files_make(void);
/* Damaged copies of made.png, which deepfield has written. */
void bad_input_pictures_make(void);
void bad_input_files_remove(const char *folder);

#endif

/* Removal of what killed runs have left in a folder: interrupted swaps are finished or undone
 * (file_swap.h), temporaries removed. Only files of dead processes of this user and host are
 * touched. */
#ifndef RENDER_DISK_FOLDER_CLEAR_H
#define RENDER_DISK_FOLDER_CLEAR_H

#include <stdbool.h>

/* Clears the folder. Does nothing while another run has folder_lock. What cannot be removed
 * stays. */
void folder_clear(int folder);

/* For a process that writes many files into few folders: folder_clear passes over the folder that
 * it has cleared last, for a second. Reading all names for each of 1000 files took a tenth of the
 * time. */
void folder_clear_seldom(void);
bool folder_clear_is_seldom(void);

/* Clears the folder for a caller that has folder_lock. */
void folder_clear_locked(int folder);

/* Sets the function that is called with a sentence when files of the user were moved, or wait for a
 * run on another host; NULL: none. Of the whole process, on any thread that writes files. */
void folder_clear_listen(void (*tell)(const char *text));

#endif

/* Removal of what killed runs have left in a folder: interrupted swaps are finished or undone
 * (file_swap.h), temporaries removed. Only files of dead processes of this user and host are
 * touched. */
#ifndef RENDER_DISK_FOLDER_CLEAR_H
#define RENDER_DISK_FOLDER_CLEAR_H

/* Clears the folder. Does nothing while another run has folder_lock. What cannot be removed
 * stays. */
void folder_clear(int folder);

/* Clears the folder for a caller that has folder_lock. */
void folder_clear_locked(int folder);

/* Sets the function that is called with a sentence when files of the user were moved, or wait for a
 * run on another host. */
void folder_clear_listen(void (*tell)(const char *text));

#endif

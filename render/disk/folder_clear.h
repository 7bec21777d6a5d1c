/* What killed runs have left in a folder: half-named sets are finished or undone (file_swap.h),
 * temporaries removed. Only what belongs to dead processes of this user and host. */
#ifndef RENDER_DISK_FOLDER_CLEAR_H
#define RENDER_DISK_FOLDER_CLEAR_H

/* Does nothing while another run gives names in the folder. What cannot be removed stays. */
void folder_clear(int folder);

/* The same for who has folder_lock. */
void folder_clear_locked(int folder);

/* From now on `tell` is called with a sentence when files of the user were moved, or wait for a run
 * on another host. */
void folder_clear_listen(void (*tell)(const char *text));

#endif

/* How does a device of this process fail? As a GPU does, or played. */
#ifndef TESTS_PROGRAM_LOSING_H
#define TESTS_PROGRAM_LOSING_H

/* From now on: the device (-1: every one) works `after` times more, and then never again. */
void losing_begin(int device, int after);

#endif

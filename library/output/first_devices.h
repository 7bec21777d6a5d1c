/* Devices of a process that makes one picture: GPUs, or the cores where these make it sooner than a
 * GPU opens. */
#ifndef LIBRARY_OUTPUT_FIRST_DEVICES_H
#define LIBRARY_OUTPUT_FIRST_DEVICES_H

#include "library/config/config.h"
#include "render/device/renderer.h"
#include "render/picture/cores_choice.h"

/* Decides by the settings of the picture, after a trial of at most 0.06 s where that is due, and
 * sets options->backend. few: called where a GPU will open for so little that queues of its driver
 * are better few; may be NULL. Settings that are wrong are refused later. STATUS_STOPPED. */
enum status first_devices_choose(struct cores_choice *choice, struct renderer_options *options,
                                 struct world *world, const struct config *config,
                                 void (*few)(void), const volatile int *stop);

#endif

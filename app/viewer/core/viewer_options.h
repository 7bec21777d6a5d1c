/* Options of the viewer. All borrowed, to the end of viewer_run. */
#ifndef APP_VIEWER_CORE_VIEWER_OPTIONS_H
#define APP_VIEWER_CORE_VIEWER_OPTIONS_H

#include <stdbool.h>

#include "app/http/tls.h"
#include "library/settings/place_text.h"
#include "library/settings/tour.h"
#include "app/viewer/core/remote.h"
#include "include/deepfield/deepfield.h"
#include "library/config/config.h"
#include "library/config/language.h"
#include "library/handle/program_live.h"
#include "render/window/window.h"

/* A stand for the public (kiosk.h), and the page of its operator. */
struct viewer_stand {
    bool kiosk;
    double idle_s, countdown_s;
    const char *pin; /* NULL: none */
    const char *log; /* path of the log of visits; "": none */
    int status_port; /* 0: no status feed */
    const char *status_address;
    const char *status_hosts; /* further names of this machine; may be NULL */
    struct tls_files tls;     /* certificate of the status feed */
    double share_minutes;     /* time that pictures are kept for phones; 0: none are */
    const char *share_address;
    int share_port;
    const struct tour *tour; /* [tours] tours of the attract loop */
    size_t tours;
    const struct place *stop; /* [stops] locations of the attract loop */
    size_t stops;
};

/* Operates the viewer in the place of a person. */
struct viewer;
struct viewer_player {
    enum status (*step)(void *context, struct viewer *viewer); /* does all that is due */
    enum status (*stopped)(const void *context); /* STATUS_STOPPED with where; OK at its end */
    void *context;
};

struct viewer_options {
    deepfield_live *live;
    const struct config *config; /* the settings of everything that a place does not say */
    const char *assets;
    struct window_options window;
    const struct place *place;  /* where it begins */
    const struct place *unsaid; /* defaults for texts that leave values out; its view is not used */
    const struct place *home;   /* location and look of ACTION_HOME */
    int samples;                /* samples of a pixel at rest; 0: as many as the plan takes */
    bool reduced_motion;
    bool sound;      /* depth as pitch */
    bool large_text; /* text and controls 1.5 times as large, with high contrast */
    struct viewer_stand stand;
    enum language language;
    bool language_said;          /* false: the language chosen in the window last is used */
    const struct tour *tour;     /* tour at the start; NULL: none */
    struct viewer_player player; /* zeroed: a person */
    const volatile int *stop;    /* non-zero: end */
    struct remote *remote;       /* pages beside the window; NULL: none */
};

#endif

/* When is the engine told of a new view? Pure.
 *
 * A hand makes 60 views a second, and each of them would push away the picture of the one before
 * while it has hardly begun. So while the view moves the next wish waits until the picture under
 * way has a colour everywhere, or for CADENCE_PATIENCE_S; the screen shows the old picture carried
 * along meanwhile. When the view has rested for CADENCE_REST_S the picture is made at the full
 * accuracy.
 */
#ifndef APP_VIEWER_CADENCE_H
#define APP_VIEWER_CADENCE_H

#include <stdbool.h>

#define CADENCE_PATIENCE_S 0.1
#define CADENCE_LEAST_S 0.01 /* between wishes, however fast pictures are */
#define CADENCE_REST_S 0.25
#define CADENCE_LOOK_S 0.033 /* between wishes for other colours */

struct cadence {       /* zeroed: nothing was asked for */
    double changed_s;  /* when the view, or how it is computed, changed last */
    double asked_s;    /* when the last wish was posted */
    bool view_is_new;  /* since the last wish */
    bool look_is_new;  /* likewise */
    bool asked_moving; /* the last wish was for previews only */
    bool covered;      /* its picture has a colour everywhere */
};

enum cadence_kind { CADENCE_WAIT, CADENCE_ASK_MOVING, CADENCE_ASK_SETTLED };

/* What to do now; for CADENCE_WAIT *until_s is when to ask again at the latest, INFINITY: not
 * before something changes. */
enum cadence_kind cadence_decide(const struct cadence *cadence, double now_s, double *until_s);

void cadence_view_changed(struct cadence *cadence, double now_s);
void cadence_covered(struct cadence *cadence, bool covered);
void cadence_asked(struct cadence *cadence, enum cadence_kind kind, double now_s);

/* Is the picture of the last change asked for at the full accuracy? */
bool cadence_at_rest(const struct cadence *cadence);

#endif

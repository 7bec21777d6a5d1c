/* The bound of depth of a stand holds for whatever is iterated, but not beyond where its arithmetic
 * ends. */
#include <math.h>

#include "app/viewer/core/viewer_state.h"
#include "tests/support/check.h"

TEST(test_bound_of_depth_holds_for_every_set)
{
    struct viewer viewer = {.place.view.height = 1024, .log2_zoom_most = 200};
    struct formula *formula = &viewer.place.formula;
    for (int plane = 0; plane < 2; plane++) {
        formula->plane = plane ? DYNAMIC_PLANE : PARAMETER_PLANE;
        for (formula->step = 0; formula->step < STEP_OWN; formula->step++) {
            double least = view_range_of(formula)->log2_step_least;
            viewer.kiosk = NULL;
            assert_true(viewer_range(&viewer).log2_step_least == least);
            viewer.kiosk = (struct viewer_kiosk *)&viewer; /* there is one */
            assert_true(viewer_range(&viewer).log2_step_least == fmax(2 - 200 - 10, least));
        }
    }
}

int main(void)
{
    return check_run(NULL, NULL);
}

#include "library/settings/settings_finder.h"

#include <math.h>
#include <stdio.h>

#include "library/settings/settings_description.h"

/* "X,Y,WxH", inside of the picture at least in part. */
static enum status box_read(const struct config *config, struct finder_request *request)
{
    const char *text = config_text(config, OPTION_FIND_BOX);
    double x, y, w, h;
    int end = 0;
    request->x0 = request->y0 = 0;
    request->x1 = request->view->width;
    request->y1 = request->view->height;
    if (!text)
        return STATUS_OK;
    if (sscanf(text, "%lf,%lf,%lfx%lf%n", &x, &y, &w, &h, &end) != 4 || text[end] ||
        !(w >= 1 && h >= 1 && x + w > 0 && y + h > 0 && x < request->x1 && y < request->y1))
        return config_blame(config, OPTION_FIND_BOX,
                            status_fail(STATUS_USAGE,
                                        "a box is X,Y,WxH in pixels of the picture of %dx%d, as in "
                                        "600,400,100x80",
                                        request->view->width, request->view->height));
    request->x0 = fmax(x, 0);
    request->y0 = fmax(y, 0);
    request->x1 = fmin(x + w, request->x1);
    request->y1 = fmin(y + h, request->y1);
    return STATUS_OK;
}

enum status settings_finder(const struct config *config, const struct picture *picture,
                            struct finder_request *request)
{
    const bool misiurewicz = config_boolean(config, OPTION_FIND_MISIUREWICZ);
    *request =
        (struct finder_request){.view = &picture->view,
                                .formula = picture->spec.formula,
                                .kind = misiurewicz ? SEARCH_MISIUREWICZ : SEARCH_NUCLEUS,
                                .limit = picture->spec.limit,
                                .period = config_integer(config, OPTION_FIND_PERIOD),
                                .preperiod = config_integer(config, OPTION_FIND_PREPERIOD),
                                .threads = (int)config_integer(config, OPTION_COMPUTE_THREADS)};
    if (formula_rational(&picture->spec.formula) && !formula_has_nuclei(&picture->spec.formula))
        return status_fail(STATUS_CONFIG, "%s has no nuclei, which `find` searches",
                           formula_name(&picture->spec.formula));
    if (!formula_perturbed(&picture->spec.formula))
        return status_fail(STATUS_CONFIG,
                           "`find` searches formulas that have perturbation; `render "
                           "--explain` says why this one has none");
    if (misiurewicz && !formula_quadratic(&picture->spec.formula))
        return status_fail(STATUS_CONFIG,
                           "`find --misiurewicz` searches the plane of z^2 + c, not that of %s; "
                           "nuclei are found of every formula",
                           formula_name(&picture->spec.formula));
    if (picture->spec.formula.plane != PARAMETER_PLANE)
        return status_fail(STATUS_CONFIG, "a Julia set has one c for all of its points; `find` "
                                          "searches the plane of c");
    if (request->preperiod && !misiurewicz)
        return status_fail(STATUS_CONFIG, "a nucleus has no preperiod; --preperiod goes with "
                                          "--misiurewicz");
    if (misiurewicz && !request->preperiod != !request->period)
        return status_fail(STATUS_CONFIG, "--period and --preperiod of a Misiurewicz point go "
                                          "together");
    return box_read(config, request);
}

enum status settings_finder_check(const struct config *config)
{
    struct picture picture;
    struct finder_request request;
    enum status status = settings_picture(config, &picture);
    if (status == STATUS_OK)
        status = settings_finder(config, &picture, &request);
    view_destroy(&picture.view);
    return status;
}

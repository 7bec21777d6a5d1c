#include "render/view/view_axes.h"

/* Sets a vector to (x, y), stretched along the first axis and turned. */
static void vector_set(mpfr_ptr re, mpfr_ptr im, mpfr_srcptr x, mpfr_srcptr y, mpfr_srcptr root,
                       mpfr_srcptr cosine, mpfr_srcptr sine)
{
    mpfr_t along, across;
    mpfr_inits2(mpfr_get_prec(re), along, across, (mpfr_ptr)0);
    mpfr_div(along, x, root, MPFR_RNDN);
    mpfr_mul(across, y, root, MPFR_RNDN);
    mpfr_fmms(re, along, cosine, across, sine, MPFR_RNDN);
    mpfr_fmma(im, along, sine, across, cosine, MPFR_RNDN);
    mpfr_clears(along, across, (mpfr_ptr)0);
}

/* S = T diag(1 / sqrt(F), sqrt(F)) T^-1, T the turn by the stretch's angle a. So S e^(i rotation)
 * is the turn by (rotation - a), the division and multiplication, and the turn by a. Without a
 * stretch all but the first is exact. */
void view_axes_init(struct view_axes *axes, const struct view_shape *shape, double rotation_deg,
                    mpfr_prec_t bits)
{
    mpfr_t cosine, sine, along_cosine, along_sine, root;
    double factor = view_stretch(shape), along_deg = factor == 1 ? 0 : shape->stretch_deg;
    mpfr_inits2(bits, axes->right_re, axes->right_im, axes->down_re, axes->down_im, cosine, sine,
                along_cosine, along_sine, root, (mpfr_ptr)0);
    mpfr_set_d(root, along_deg, MPFR_RNDN);
    mpfr_cosu(along_cosine, root, 360, MPFR_RNDN);
    mpfr_sinu(along_sine, root, 360, MPFR_RNDN);
    mpfr_d_sub(root, rotation_deg, root, MPFR_RNDN);
    mpfr_cosu(cosine, root, 360, MPFR_RNDN);
    mpfr_sinu(sine, root, 360, MPFR_RNDN);
    mpfr_set_d(root, factor, MPFR_RNDN);
    mpfr_sqrt(root, root, MPFR_RNDN);
    vector_set(axes->right_re, axes->right_im, cosine, sine, root, along_cosine, along_sine);
    mpfr_neg(cosine, cosine, MPFR_RNDN);
    vector_set(axes->down_re, axes->down_im, sine, cosine, root, along_cosine, along_sine);
    if (shape->mirrored) {
        mpfr_neg(axes->down_re, axes->down_re, MPFR_RNDN);
        mpfr_neg(axes->down_im, axes->down_im, MPFR_RNDN);
    }
    mpfr_clears(cosine, sine, along_cosine, along_sine, root, (mpfr_ptr)0);
}

void view_axes_clear(struct view_axes *axes)
{
    mpfr_clears(axes->right_re, axes->right_im, axes->down_re, axes->down_im, (mpfr_ptr)0);
}

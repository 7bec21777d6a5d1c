/* The body of what nvcc_headers.sh compiles; the includes come before it. Everything that a CUDA
 * backend takes from kernels/escape/ is used once, on the device and on the host. */

ESCAPE_FN void compute_pixel(const struct grid *grid, const struct spec *spec, int32_t x, int32_t y,
                             int64_t *count, float *fraction)
{
    double re, im;
    pixel_c(grid, grid->x + x, grid->y + y, &re, &im);
    struct plain_pixel pixel = plain_pixel_f64x1(re, im, spec->limit, spec->bailout);
    if (spec->number == NUMBER_FP32)
        pixel = plain_pixel_f32x1((float)re, (float)im, spec->limit, (float)spec->bailout);
    *count = interior_surely(re, im, INTERIOR_MARGIN_FP64) ? 0 : pixel.count;
    *fraction = fraction_of(pixel.norm, fraction_offset(spec->bailout));
}

__global__ void compute_tile(struct grid grid, struct spec spec, int64_t *count, float *fraction)
{
    int32_t x = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    int32_t y = (int32_t)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < grid.width && y < grid.height) {
        size_t index = (size_t)y * (size_t)grid.width + (size_t)x;
        compute_pixel(&grid, &spec, x, y, &count[index], &fraction[index]);
    }
}

void compute_tile_on_host(struct grid grid, struct spec spec, int64_t *count, float *fraction)
{
    for (int32_t y = 0; y < grid.height; y++)
        for (int32_t x = 0; x < grid.width; x++) {
            size_t index = (size_t)y * (size_t)grid.width + (size_t)x;
            compute_pixel(&grid, &spec, x, y, &count[index], &fraction[index]);
        }
}

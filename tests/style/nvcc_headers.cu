/* The body of what nvcc_headers.sh compiles; the includes come before it. */

__global__ void fills_with_the_step(struct grid grid, double *step)
{
    *step = grid.step_re;
}

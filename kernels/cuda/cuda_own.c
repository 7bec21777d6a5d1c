#include "kernels/cuda/cuda_own.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/cuda_calls.h"
#include "kernels/cuda/cuda_own_texts.h"

enum {
    OWN_KERNELS_MAX = 64, /* limit of compiled formulas in one process */
    SOURCE_BYTES = 32 * 1024,
    UNROLLED = 4 /* steps of a formula of one list in the code */
};

/* ---- the source ---- */

struct source {
    char *text;
    size_t bytes, length;
};

__attribute__((format(printf, 2, 3))) static void source_put(struct source *source,
                                                             const char *format, ...)
{
    size_t left = source->length < source->bytes ? source->bytes - source->length : 0;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(left ? source->text + source->length : NULL, left, format, arguments);
    va_end(arguments);
    source->length += length > 0 ? (size_t)length : 0;
}

/* Puts the operations of a list as the macros of kernels/formula/steps.h. */
static void list_put(struct source *source, const struct formula_program *program, int phase,
                     const char *slopes)
{
#define NAME(name) #name,
    static const char *const names[] = {FORMULA_FUSED(NAME)};
#undef NAME
    for (int i = phase ? program->end[phase - 1] : 0; i < program->end[phase]; i++) {
        const char *name = names[program->fused[i]];
        const double *factor = program->factor[program->factor_at[i]];
        source_put(source, "    {\n");
        if (program->fused[i] == FUSED_scale)
            source_put(source, "        const double factor_x = %a, factor_y = %a;\n", factor[0],
                       factor[1]);
        if (*slopes)
            source_put(source, "        SLOPE_%s((*right))\n        SLOPE_%s((*up))\n", name, name);
        source_put(source, "        STEP_%s\n    }\n", name);
    }
}

static void phases_put(struct source *source, const struct formula_program *program)
{
    for (int p = 0; p < program->phases; p++) {
        source_put(
            source,
            "static __device__ __forceinline__ void step_%d(double &x_, double &y_, double cx, "
            "double cy)\n{\n    double kept_x = x_, kept_y = y_;\n",
            p);
        list_put(source, program, p, "");
        source_put(source,
                   "}\nstatic __device__ __forceinline__ void slope_%d(double &x_, double &y_, "
                   "double cx, double cy, struct f64x1_tangent *right, struct f64x1_tangent "
                   "*up)\n{\n    double kept_x = x_, kept_y = y_;\n",
                   p);
        list_put(source, program, p, "slopes");
        source_put(source, "}\n");
    }
}

size_t cuda_own_source(const struct formula_program *program, char *text, size_t bytes)
{
    struct source source = {.text = text, .bytes = bytes};
    source_put(&source, "#include \"kernels/cuda/cuda_formulas.h\"\n"
                        "#define PREFIX f64x1\n#define PACK double\n#define STEP_FN static inline\n"
                        "#define STEPS_OF_OPERATIONS\n#include \"kernels/formula/steps.h\"\n"
                        "#define S(word) f64x1_##word\n");
    phases_put(&source, program);
    source_put(&source,
               "static __device__ __forceinline__ double2 steps_whole(const struct formula_piece "
               "&work, double x, double y, double2 c, int steps)\n{\n");
    if (program->phases == 1)
        source_put(&source, "#pragma unroll %d\n", UNROLLED);
    source_put(&source, "    for (int k = 0; k < steps; k += %d) {\n", program->phases);
    for (int p = 0; p < program->phases; p++)
        source_put(&source, "        step_%d(x, y, c.x, c.y);\n", p);
    source_put(&source,
               "    }\n    return make_double2(x, y);\n}\n"
               "static __device__ __forceinline__ double2 steps_one(const struct formula_piece "
               "&work, double x, double y, double2 c, int phase)\n{\n");
    for (int p = 0; p < program->phases; p++)
        source_put(&source, "    if (phase == %d)\n        step_%d(x, y, c.x, c.y);\n", p, p);
    source_put(&source,
               "    return make_double2(x, y);\n}\n"
               "static __device__ __forceinline__ void steps_slope(const struct formula_piece "
               "&work, struct slope_state *state, double2 c, double by_c, int steps)\n{\n"
               "    double x = state->x, y = state->y;\n"
               "    struct f64x1_tangent right = {state->right_x, state->right_y, by_c, 0, 0, 0};\n"
               "    struct f64x1_tangent up = {state->up_x, state->up_y, 0, by_c, 0, 0};\n"
               "    for (int k = 0; k < steps; k++) {\n        const int phase = k %% %d;\n",
               program->phases);
    for (int p = 0; p < program->phases; p++)
        source_put(&source,
                   "        if (phase == %d)\n            slope_%d(x, y, c.x, c.y, &right, &up);\n",
                   p, p);
    source_put(&source, "    }\n    *state = {x, y, right.x, right.y, up.x, up.y};\n}\n#undef S\n"
                        "#include \"kernels/cuda/cuda_formula_kernel.h\"\nFORMULA_KERNELS(own)\n");
    return source.length;
}

/* ---- the compiler ---- */

typedef struct nvrtc_program *nvrtc_program;

/* The functions of NVRTC that are called; results are 0 where all is well. */
#define NVRTC_FUNCTIONS(ROW)                                                                  \
    ROW(CreateProgram, nvrtc_program *, const char *, const char *, int, const char *const *, \
        const char *const *)                                                                  \
    ROW(CompileProgram, nvrtc_program, int, const char *const *)                              \
    ROW(GetCUBINSize, nvrtc_program, size_t *)                                                \
    ROW(GetCUBIN, nvrtc_program, char *)                                                      \
    ROW(DestroyProgram, nvrtc_program *)

#define FUNCTION(name, ...) int (*name)(__VA_ARGS__);
static struct {
    NVRTC_FUNCTIONS(FUNCTION)
} nvrtc;
#undef FUNCTION

/* Shared variables, used in critical sections alone. */
static struct cuda_own kept[OWN_KERNELS_MAX];
static int architecture[OWN_KERNELS_MAX], kept_count;
static enum { UNTRIED, LOADED, ABSENT } nvrtc_state;

static void nvrtc_load(void)
{
    char versioned[32];
    snprintf(versioned, sizeof versioned, "libnvrtc.so.%d", CUDART_VERSION / 1000);
    void *library = dlopen(versioned, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("libnvrtc.so", RTLD_NOW | RTLD_LOCAL);
    nvrtc_state = library ? LOADED : ABSENT;
    if (!library)
        return;
        /* A cast from an object pointer is what dlsym is for; through memory ISO C allows it. */
#define FUNCTION(name, ...)                          \
    {                                                \
        void *found = dlsym(library, "nvrtc" #name); \
        memcpy(&nvrtc.name, &found, sizeof found);   \
        if (!found)                                  \
            nvrtc_state = ABSENT;                    \
    }
    NVRTC_FUNCTIONS(FUNCTION)
#undef FUNCTION
}

/* Compiles for the architecture; the code is freed by the caller. NULL: it cannot. */
static char *source_compile(const char *source, int of_architecture)
{
    char arch[32], *code = NULL;
    nvrtc_program program = NULL;
    snprintf(arch, sizeof arch, "-arch=sm_%d", of_architecture);
    const char *const options[] = {arch, "-std=c++17", "-fmad=false", "-default-device", "-w"};
    size_t bytes = 0;
    int failed = nvrtc.CreateProgram(&program, source, "own.cu", cuda_own_texts_count,
                                     cuda_own_texts, cuda_own_names);
    if (!failed)
        failed = nvrtc.CompileProgram(program, sizeof options / sizeof *options, options);
    if (!failed)
        failed = nvrtc.GetCUBINSize(program, &bytes);
    if (!failed && bytes)
        code = malloc(bytes);
    if (code && nvrtc.GetCUBIN(program, code)) {
        free(code);
        code = NULL;
    }
    if (program)
        nvrtc.DestroyProgram(&program);
    return code;
}

static bool kernels_load(struct cuda_own *own, const char *code)
{
    cudaError_t result = cuda_result(
        cudaLibraryLoadData(&own->library, code, NULL, NULL, 0, NULL, NULL, 0), "cudaLibraryLoad");
    if (result == cudaSuccess)
        result = cudaLibraryGetKernel(&own->kernel[FORMULA_COUNTS], own->library, "own_counts");
    if (result == cudaSuccess)
        result = cudaLibraryGetKernel(&own->kernel[FORMULA_SLOPES], own->library, "own_slopes");
    if (result == cudaSuccess)
        return true;
    cudaGetLastError();
    return false;
}

/* Adds the kernels of a program to `kept`; NULL: they could not be made. */
static const struct cuda_own *own_add(const struct formula_program *program, int of_architecture)
{
    struct cuda_own *own = &kept[kept_count];
    char *source = malloc(SOURCE_BYTES), *code = NULL;
    *own = (struct cuda_own){.program = *program};
    if (source && cuda_own_source(program, source, SOURCE_BYTES) < SOURCE_BYTES)
        code = source_compile(source, of_architecture);
    bool made = code && kernels_load(own, code);
    free(source);
    free(code);
    if (!made)
        return NULL;
    architecture[kept_count++] = of_architecture;
    return own;
}

static int architecture_here(void)
{
    int device, major, minor;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
        return 0;
    return 10 * major + minor;
}

static const struct cuda_own *own_find(const struct formula_program *program, int here)
{
    if (nvrtc_state == UNTRIED)
        nvrtc_load();
    for (int i = 0; i < kept_count; i++)
        if (architecture[i] == here && !memcmp(&kept[i].program, program, sizeof *program))
            return &kept[i];
    if (nvrtc_state != LOADED || !here || kept_count == OWN_KERNELS_MAX)
        return NULL;
    const struct cuda_own *made = own_add(program, here);
    if (!made)
        nvrtc_state = ABSENT; /* it would fail again, and compiling takes time */
    return made;
}

const struct cuda_own *cuda_own_kernels(const struct formula_program *program)
{
    const struct cuda_own *found;
    int here = architecture_here();
#pragma omp critical(cuda_own)
    found = own_find(program, here);
    return found;
}

struct formula_program cuda_program(const struct spec *spec,
                                    struct fraction_scale scale[FORMULA_PHASES_MAX])
{
    const struct formula *formula = &spec->formula;
    for (int p = 0; p < formula_phases(formula); p++)
        scale[p] =
            fraction_scale(spec->bailout, formula_fraction_base(formula, p + 1, spec->bailout));
    return formula_program(formula);
}

void cuda_own_describe(struct formula_piece *work, const struct spec *spec)
{
    const struct formula *formula = &spec->formula;
    work->holomorphic = formula_holomorphic(formula);
    work->phases = formula_phases(formula);
    work->run = FORMULA_RUN;
    work->own = NULL;
    work->program = cuda_program(spec, work->scale);
    if (formula->step == STEP_OWN) {
        work->run = work->program.run;
        work->own = cuda_own_kernels(&work->program);
    }
}

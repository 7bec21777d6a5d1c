#include "kernels/cuda/cuda_discovery.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/cuda/cuda_calls.h"
#include "kernels/escape/lanes_ds.h"
#include "kernels/number_text.h"

/* ---- code in this build ---- */

/* Tests one word of the list against a capability. Machine code runs on later capabilities of its
 * major version, PTX on all later ones; with a letter (90a) both only on the same one. */
static bool word_runs(const char *word, size_t length, int capability)
{
    const char *end = word, *stop = word + length;
    int64_t target = 0;
    number_whole_take(&end, &target);
    bool exact = end < stop && *end != '-';
    end += exact;
    size_t left = (size_t)(stop - end);
    bool machine = !(left == 8 && !memcmp(end, "-virtual", 8));
    bool ptx = !(left == 5 && !memcmp(end, "-real", 5));
    if (exact)
        return target == capability;
    return target <= capability && (ptx || (machine && target / 10 == capability / 10));
}

bool cuda_architecture_runs(const char *architectures, int major, int minor)
{
    bool runs = false;
    for (const char *word = architectures; *word;) {
        size_t length = strcspn(word, " ");
        runs = runs || word_runs(word, length, 10 * major + minor);
        word += length + strspn(word + length, " ");
    }
    return runs;
}

/* CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions", results per clock
 * cycle and multiprocessor of multiply-add. */
int cuda_units_per_sm(int major, int minor, enum number number)
{
    static const struct {
        int capability, units[2]; /* fp32, fp64 */
    } rows[] = {{70, {64, 32}},  {75, {64, 2}},  {80, {64, 32}},  {86, {128, 2}},
                {87, {128, 2}},  {89, {128, 2}}, {90, {128, 64}}, {100, {128, 64}},
                {103, {128, 2}}, {120, {128, 2}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].capability == 10 * major + minor)
            return rows[i].units[number == NUMBER_FP64];
    return 0;
}

/* ---- GPUs of this machine ---- */

static int attribute(int device, enum cudaDeviceAttr which)
{
    int value = 0;
    cudaError_t result =
        cuda_result(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    if (result == cudaSuccess)
        return value;
    cudaGetLastError();
    return 0;
}

struct cuda_findings cuda_find(void)
{
    struct cuda_findings found = {.runtime = CUDART_VERSION};
    cudaDriverGetVersion(&found.driver);
    found.error = cuda_result(cudaGetDeviceCount(&found.count), "cudaGetDeviceCount");
    if (found.error != cudaSuccess) {
        cudaGetLastError();
        found.count = 0;
    }
    if (found.count > DEVICES_MAX)
        found.count = DEVICES_MAX;
    for (int d = 0; d < found.count; d++) {
        int major = attribute(d, cudaDevAttrComputeCapabilityMajor);
        int minor = attribute(d, cudaDevAttrComputeCapabilityMinor);
        if (cuda_architecture_runs(CUDA_ARCHITECTURES, major, minor)) {
            found.usable++;
        } else if (!*found.name) {
            struct cudaDeviceProp properties = {.name = "a GPU"};
            cudaGetDeviceProperties(&properties, d);
            snprintf(found.name, sizeof found.name, "%.*s", DEVICE_NAME_BYTES - 1, properties.name);
            found.major = major;
            found.minor = minor;
        }
    }
    return found;
}

void cuda_findings_explain(const struct cuda_findings *found, char *text, size_t bytes)
{
    int runtime = found->runtime, driver = found->driver;
    if (found->error == cudaErrorNoDevice || (found->error == cudaSuccess && found->count == 0))
        snprintf(text, bytes,
                 "the driver (CUDA %d.%d) shows no GPU; is CUDA_VISIBLE_DEVICES hiding them?",
                 driver / 1000, driver % 1000 / 10);
    else if (found->error == cudaSuccess)
        snprintf(
            text, bytes,
            "the %s has compute capability %d.%d, and this build holds code for %s; build with "
            "-D CMAKE_CUDA_ARCHITECTURES=native on this machine",
            found->name, found->major, found->minor, CUDA_HELD);
    else if (found->error == cudaErrorStubLibrary)
        snprintf(
            text, bytes,
            "the libcuda.so.1 that was found is the one that programs are linked with, not the "
            "driver's; take its folder (stubs) out of LD_LIBRARY_PATH");
    else if (driver == 0)
        snprintf(text, bytes,
                 "there is no NVIDIA driver (libcuda.so.1 was not found); this build needs one for "
                 "CUDA %d.%d or later",
                 runtime / 1000, runtime % 1000 / 10);
    else if (found->error == cudaErrorInsufficientDriver)
        snprintf(text, bytes,
                 "the NVIDIA driver knows CUDA up to %d.%d, and this build needs %d.%d; install a "
                 "newer driver",
                 driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    else
        snprintf(text, bytes,
                 "CUDA does not start: %s (driver for CUDA %d.%d); does nvidia-smi work?",
                 cudaGetErrorString((cudaError_t)found->error), driver / 1000, driver % 1000 / 10);
}

/* Files of the driver: of Linux, of the Windows Subsystem for Linux, and of Jetson boards. */
bool cuda_likely(void)
{
    static const char *const files[] = {"/dev/nvidiactl", "/dev/dxg", "/dev/nvgpu", "/dev/nvmap"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (access(files[i], F_OK) == 0)
            return true;
    return false;
}

int cuda_devices(void)
{
    struct cuda_findings found = cuda_find();
    return found.usable ? found.count : 0;
}

void cuda_missing(char *text, size_t bytes)
{
    struct cuda_findings found = cuda_find();
    cuda_findings_explain(&found, text, bytes);
}

enum status cuda_device_runs(int device)
{
    int major = attribute(device, cudaDevAttrComputeCapabilityMajor);
    int minor = attribute(device, cudaDevAttrComputeCapabilityMinor);
    if (cuda_architecture_runs(CUDA_ARCHITECTURES, major, minor))
        return STATUS_OK;
    return status_fail(STATUS_NO_DEVICE,
                       "GPU %d has compute capability %d.%d, and this build holds code for %s; "
                       "build with -D CMAKE_CUDA_ARCHITECTURES=native on this machine",
                       device, major, minor, CUDA_HELD);
}

/* ---- one GPU ---- */

static uint64_t peers_of(int device)
{
    uint64_t peers = 0;
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        return 0;
    for (int other = 0; other < count && other < DEVICES_MAX; other++) {
        int reaches = 0;
        if (other != device && cudaDeviceCanAccessPeer(&reaches, device, other) == cudaSuccess &&
            reaches)
            peers |= UINT64_C(1) << other;
    }
    return peers;
}

/* Writes it as nvidia-smi does, without "GPU-" or "MIG-". */
static void uuid_write(const cudaUUID_t *uuid, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++) {
        if (i >= 4 && i <= 10 && i % 2 == 0)
            *text++ = '-';
        *text++ = digits[uuid->bytes[i] >> 4 & 15];
        *text++ = digits[uuid->bytes[i] & 15];
    }
    *text = '\0';
}

enum status cuda_facts(int device, struct device_facts *facts)
{
    struct cudaDeviceProp properties;
    *facts = (struct device_facts){.name = ""};
    cudaError_t result = cudaGetDeviceProperties(&properties, device);
    if (cuda_result(result, "cudaGetDeviceProperties") == cudaErrorInvalidDevice) {
        cudaGetLastError();
        return status_fail(STATUS_NO_DEVICE, "there is no GPU %d", device);
    }
    TRY(cuda_check(NULL, result, "cudaGetDeviceProperties"));
    *facts = (struct device_facts){
        .memory_bytes = properties.totalGlobalMem,
        .units = properties.multiProcessorCount,
        .fp32_per_fp64 = attribute(device, cudaDevAttrSingleToDoublePrecisionPerfRatio),
        .peers = peers_of(device)};
    snprintf(facts->name, sizeof facts->name, "%.*s", DEVICE_NAME_BYTES - 1, properties.name);
    snprintf(facts->bus, sizeof facts->bus, "%04x:%02x:%02x.0", properties.pciDomainID & 0xffff,
             properties.pciBusID & 0xff, properties.pciDeviceID & 0xff);
    uuid_write(&properties.uuid, facts->uuid);
    /* A step is 3 FMA + 1 ADD, and in double-single DS_INSTRUCTIONS. The clock is the highest that
     * the GPU may take, in kHz. */
    double clock_hz = 1e3 * attribute(device, cudaDevAttrClockRate);
    for (int n = 0; n < NUMBERS; n++)
        facts->limit[n] = clock_hz * properties.multiProcessorCount /
                          (n == NUMBER_DS ? DS_INSTRUCTIONS : 4) *
                          cuda_units_per_sm(properties.major, properties.minor, (enum number)n);
    return STATUS_OK;
}

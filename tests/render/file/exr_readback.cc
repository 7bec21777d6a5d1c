// Reads an .exr by libOpenEXR, the C++ library that most programs read it with, and compares its
// channels with the planes of the same picture in .npy files, bit for bit.
// usage: exr_readback x.exr x.npy (x.count.npy and so on)
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfStringAttribute.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

[[noreturn]] static void fail(const std::string &what)
{
    std::fprintf(stderr, "exr_readback: %s\n", what.c_str());
    std::exit(1);
}

// The numbers behind the header of an .npy file.
static std::vector<char> plane(const std::string &base, const char *name)
{
    std::ifstream stream(base + "." + name + ".npy", std::ios::binary);
    std::vector<char> all((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    if (all.size() < 128)
        fail(base + "." + name + ".npy is not there");
    return std::vector<char>(all.begin() + 128, all.end());
}

template <typename T>
static std::vector<T> channel(Imf::InputFile &file, const char *name, Imf::PixelType type)
{
    const Imath::Box2i window = file.header().dataWindow();
    const size_t width = size_t(window.max.x + 1), height = size_t(window.max.y + 1);
    const Imf::Channel *found = file.header().channels().findChannel(name);
    if (!found || found->type != type)
        fail(std::string("no channel ") + name + " of the right type");
    std::vector<T> pixels(width * height);
    Imf::FrameBuffer frame;
    frame.insert(name, Imf::Slice(type, reinterpret_cast<char *>(pixels.data()), sizeof(T),
                                  sizeof(T) * width));
    file.setFrameBuffer(frame);
    file.readPixels(window.min.y, window.max.y);
    return pixels;
}

static void compare(Imf::InputFile &file, const std::string &base, const char *name,
                    const char *of_plane, float factor)
{
    std::vector<float> got = channel<float>(file, name, Imf::FLOAT);
    for (float &value : got)
        value *= factor;
    const std::vector<char> wanted = plane(base, of_plane);
    if (wanted.size() != got.size() * sizeof(float) ||
        std::memcmp(wanted.data(), got.data(), wanted.size()) != 0)
        fail(std::string(name) + " is not " + of_plane);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        fail("usage: exr_readback x.exr x.npy");
    const std::string npy = argv[2], base = npy.substr(0, npy.size() - 4);
    Imf::InputFile file(argv[1]);
    std::vector<uint32_t> counts = channel<uint32_t>(file, "N", Imf::UINT);
    for (uint32_t &count : counts)
        count = count == UINT32_MAX ? 0 : count;
    const std::vector<char> wanted = plane(base, "count");
    if (wanted.size() != counts.size() * 4 ||
        std::memcmp(wanted.data(), counts.data(), wanted.size()) != 0)
        fail("N is not count");
    compare(file, base, "NF", "fraction", 1);
    compare(file, base, "DEX", "distance_x", 2);
    compare(file, base, "DEY", "distance_y", -2);
    compare(file, base, "T", "phase", 1);
    compare(file, base, "STRIPE", "stripe", 1);
    compare(file, base, "TRIANGLE", "triangle", 1);
    compare(file, base, "TRAP_POINT", "trap_point", 1);
    compare(file, base, "TRAP_CROSS", "trap_cross", 1);
    compare(file, base, "TRAP_CIRCLE", "trap_circle", 1);
    compare(file, base, "PERIOD", "period", 1);
    compare(file, base, "INSIDE", "inside", 1);
    for (const char *name : {"R", "G", "B"})
        channel<uint16_t>(file, name, Imf::HALF);
    const auto *text = file.header().findTypedAttribute<Imf::StringAttribute>("deepfield");
    if (!text || text->value().find("[view]") == std::string::npos)
        fail("the view is not there");
    std::printf("%zu pixels by libOpenEXR are those of the planes\n", counts.size());
}

// Box dimension of the boundary in a picture: how the number of boxes that hold points of both sides grows
// as the boxes shrink.
//     box_dimension [VIEW] [SIDE]
#include <deepfield/deepfield.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

template <auto destroy> struct destroyer {
    template <class Object> void operator()(Object *object) const { destroy(object); }
};
using World = std::unique_ptr<deepfield_world, destroyer<deepfield_world_close>>;
using Renderer = std::unique_ptr<deepfield_renderer, destroyer<deepfield_renderer_destroy>>;
using Picture = std::unique_ptr<deepfield_picture, destroyer<deepfield_picture_destroy>>;
using Field = std::unique_ptr<deepfield_field, destroyer<deepfield_field_destroy>>;

static void check(deepfield_status status)
{
    if (status != DEEPFIELD_OK)
        throw std::runtime_error(deepfield_error());
}

// An object that a function makes: made<World>(deepfield_world_open, nullptr).
template <class Owner, class Maker, class... Words> Owner made(Maker maker, Words... words)
{
    typename Owner::pointer object = nullptr;
    check(maker(&object, words...));
    return Owner(object);
}

// Boxes of `side` pixels that hold pixels inside and pixels outside of the set.
static long boxes_mixed(const std::vector<bool> &inside, int size, int side)
{
    long mixed = 0;
    for (int top = 0; top + side <= size; top += side)
        for (int left = 0; left + side <= size; left += side) {
            int held = 0;
            for (int y = top; y < top + side; y++)
                for (int x = left; x < left + side; x++)
                    held += inside[static_cast<std::size_t>(y) * size + x];
            mixed += held > 0 && held < side * side;
        }
    return mixed;
}

static void dimension_print(const std::string &view, int size)
{
    World world = made<World>(deepfield_world_open, nullptr);
    Renderer renderer = made<Renderer>(deepfield_renderer_create, world.get());
    Picture picture = made<Picture>(deepfield_picture_open, world.get(), view.c_str());
    Field field = made<Field>(deepfield_field_create);
    std::string shape = std::to_string(size) + "x" + std::to_string(size);
    check(deepfield_picture_set(picture.get(), "view.size", shape.c_str()));

    // The numbers are written to memory of this program.
    std::vector<std::uint32_t> count(static_cast<std::size_t>(size) * size);
    deepfield_array array = {};
    array.size = sizeof array;
    array.data = count.data();
    array.type = DEEPFIELD_U32;
    array.width = array.height = size;
    array.channels = 1;
    array.row_bytes = std::int64_t{4} * size;
    check(deepfield_field_place(field.get(), "count", &array));
    check(deepfield_render(renderer.get(), picture.get(), DEEPFIELD_NUMBERS, field.get()));

    std::vector<bool> inside(count.size());
    for (std::size_t i = 0; i < count.size(); i++)
        inside[i] = count[i] == 0;
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0; // sums of a straight line of least squares
    for (int side = 2; side <= size / 8; side *= 2) {
        long boxes = boxes_mixed(inside, size, side);
        std::printf("%5d pixels: %7ld boxes\n", side, boxes);
        if (boxes == 0)
            continue;
        double x = -std::log(side), y = std::log(boxes);
        n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    if (n < 2)
        throw std::runtime_error("there is no boundary of the set in this picture");
    std::printf("box dimension of %s: %.3f\n", view.c_str(), (n * sxy - sx * sy) / (n * sxx - sx * sx));
}

int main(int count, char **words)
{
    try {
        dimension_print(count > 1 ? words[1] : "whole-set", count > 2 ? std::atoi(words[2]) : 1024);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s: %s\n", words[0], failure.what());
        return 1;
    }
}

/* Shapes by their definition, text by what must hold for any font library. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/window/event.h"
#include "render/window/paint.h"
#include "tests/support/check.h"

enum { WIDTH = 64, HEIGHT = 48 };
#define GREY 0xff808080u

struct canvas {
    uint32_t pixels[WIDTH * HEIGHT];
    struct paint paint;
};

static struct paint_fonts *fonts;

static void canvas_clear(struct canvas *canvas, double scale)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        canvas->pixels[i] = GREY;
    canvas->paint = paint_on(canvas->pixels, WIDTH, HEIGHT, WIDTH, scale, fonts);
}

static int changed(const struct canvas *canvas, struct paint_box *box)
{
    int count = 0;
    *box = (struct paint_box){WIDTH, HEIGHT, 0, 0};
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            if (canvas->pixels[y * WIDTH + x] != GREY) {
                count++;
                box->left = x < box->left ? x : box->left;
                box->right = x >= box->right ? x + 1 : box->right;
                box->top = y < box->top ? y : box->top;
                box->bottom = y + 1;
            }
    return count;
}

static void check_box(struct paint_box box, int left, int top, int right, int bottom)
{
    assert_int_equal(box.left, left);
    assert_int_equal(box.top, top);
    assert_int_equal(box.right, right);
    assert_int_equal(box.bottom, bottom);
}

/* Every value and alpha: 255 * 255 pairs of samples, against the fraction itself, in a row of five
 * pixels, which are blended four at once and one alone. */
TEST(blending_rounds)
{
    for (uint32_t under = 0; under < 256; under += 5)
        for (uint32_t over = 0; over < 256; over += 3)
            for (uint32_t alpha = 0; alpha < 256; alpha++) {
                uint32_t pixels[5], pixel = 0xff000000u | under << 16 | over << 8 | under;
                for (int i = 0; i < 5; i++)
                    pixels[i] = pixel & (i % 2 ? 0xffffff : 0xffffffff); /* alpha is ignored */
                struct paint paint = paint_on(pixels, 5, 1, 5, 1, NULL);
                paint_rectangle(&paint, (struct paint_area){0, 0, 5, 1},
                                alpha << 24 | over << 16 | under << 8 | over);
                double up = (over * alpha + under * (255 - alpha)) / 255.0;
                double down = (under * alpha + over * (255 - alpha)) / 255.0;
                pixel = 0xff000000u | (uint32_t)lrint(up) << 16 | (uint32_t)lrint(down) << 8 |
                        (uint32_t)lrint(up);
                for (int i = 0; i < 5; i++)
                    assert_int_equal(pixels[i], pixel);
            }
}

TEST(rectangles_scale_and_touch)
{
    struct canvas canvas;
    struct paint_box box;
    canvas_clear(&canvas, 1.5);
    paint_rectangle(&canvas.paint, (struct paint_area){1, 2, 10, 5}, 0xff112233);
    paint_rectangle(&canvas.paint, (struct paint_area){11, 2, 3, 5}, 0xff445566);
    assert_int_equal(changed(&canvas, &box), (21 - 2) * (11 - 3));
    check_box(box, 2, 3, 21, 11);
    check_box(canvas.paint.touched, 2, 3, 21, 11);
    assert_int_equal(canvas.pixels[3 * WIDTH + 16], 0xff112233);
    assert_int_equal(canvas.pixels[3 * WIDTH + 17], 0xff445566);
}

TEST(nothing_leaves_the_clip)
{
    struct canvas canvas;
    struct paint_box box;
    const uint32_t image[4] = {0xffff0000, 0xff00ff00, 0xff0000ff, 0xffffffff};
    const double wild[] = {-1e300, -50, 0, 30, 1e9, INFINITY, NAN};
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            canvas_clear(&canvas, 1);
            struct paint_box before = paint_clip(&canvas.paint, (struct paint_area){8, 6, 30, 20});
            struct paint_area area = {wild[i], wild[j], fabs(wild[j]) + 60, fabs(wild[i]) + 60};
            paint_rectangle(&canvas.paint, area, 0xffffffff);
            paint_border(&canvas.paint, area, 3, 0xffffffff);
            paint_bar(&canvas.paint, area, wild[i], 0xffffffff, 0xff000000);
            paint_line(&canvas.paint, wild[i], wild[j], 20, 20, 5, 0xffffffff);
            paint_line(&canvas.paint, -1000, wild[j], 1000, wild[i], 5, 0xffffffff);
            paint_image(&canvas.paint, area, &(struct paint_image){image, 2, 2, 2}, 255);
            paint_text(&canvas.paint, wild[i], wild[j], 20, 0xffffffff, "M\xc3\xbcM");
            changed(&canvas, &box);
            assert_true(box.left >= 8 && box.top >= 6 && box.right <= 38 && box.bottom <= 26);
            canvas.paint.clip = before;
        }
}

TEST(bars_fill)
{
    struct canvas canvas;
    canvas_clear(&canvas, 1);
    paint_bar(&canvas.paint, (struct paint_area){0, 0, 40, 1}, 0.25, 0xff00ff00, 0xff000000);
    paint_bar(&canvas.paint, (struct paint_area){0, 1, 40, 1}, 7, 0xff00ff00, 0xff000000);
    paint_bar(&canvas.paint, (struct paint_area){0, 2, 40, 1}, NAN, 0xff00ff00, 0xff000000);
    assert_int_equal(canvas.pixels[9], 0xff00ff00);
    assert_int_equal(canvas.pixels[10], 0xff000000);
    assert_int_equal(canvas.pixels[WIDTH + 39], 0xff00ff00);
    assert_int_equal(canvas.pixels[2 * WIDTH], 0xff000000);
}

/* The light of a line is its length times its width, wherever it lies and however it is turned. */
TEST(lines_have_their_area)
{
    struct canvas canvas;
    for (int i = 0; i < 90; i++) {
        double turn = i * acos(-1) / 45, area = 0;
        canvas_clear(&canvas, 2);
        for (int k = 0; k < WIDTH * HEIGHT; k++)
            canvas.pixels[k] = 0xff000000;
        double x = 16 + 0.013 * i, y = 12 - 0.017 * i, c = 9 * cos(turn), s = 9 * sin(turn);
        paint_line(&canvas.paint, x - c, y - s, x + c, y + s, 1.5, 0xffffffff);
        for (int k = 0; k < WIDTH * HEIGHT; k++)
            area += (canvas.pixels[k] & 255) / 255.0;
        /* 36 by 3 pixels; the soft ends of slanted ones are counted as turned squares */
        assert_true(fabs(area - 36 * 3) < 2.5);
    }
}

TEST(images_copy_and_average)
{
    struct canvas canvas;
    uint32_t image[16 * 16];
    uint64_t seed = 4;
    for (int i = 0; i < 256; i++)
        image[i] = 0xff000000u | (uint32_t)check_random(&seed) >> 8;
    const struct paint_image source = {image, 16, 16, 16};
    canvas_clear(&canvas, 1);
    paint_image(&canvas.paint, (struct paint_area){3, 2, 16, 16}, &source, 255);
    for (int y = 0; y < 16; y++)
        assert_memory_equal(canvas.pixels + (y + 2) * WIDTH + 3, image + y * 16, 16 * 4);

    paint_image(&canvas.paint, (struct paint_area){20, 0, 1, 1}, &source, 255);
    double mean = 0;
    for (int i = 0; i < 256; i++)
        mean += (image[i] & 255) / 256.0;
    assert_int_equal(canvas.pixels[20] & 255, lrint(mean));

    /* Twice as large: corners are the corners, a quarter of the way between pixels further in. */
    paint_image(&canvas.paint, (struct paint_area){32, 0, 32, 32}, &source, 255);
    assert_int_equal(canvas.pixels[32], image[0]);
    assert_int_equal(canvas.pixels[33] & 255,
                     lrint(0.75 * (image[0] & 255) + 0.25 * (image[1] & 255)));

    /* What is transparent does not show its colour, half of it shows half. */
    const uint32_t pair[2] = {0x00ff0000, 0xff0000ff};
    paint_image(&canvas.paint, (struct paint_area){0, 40, 1, 1},
                &(struct paint_image){pair, 2, 1, 2}, 255);
    assert_int_equal(canvas.pixels[40 * WIDTH], 0xff4040c0);
    paint_image(&canvas.paint, (struct paint_area){1, 40, 1, 1}, &source, 0);
    assert_int_equal(canvas.pixels[40 * WIDTH + 1], GREY);
}

/* ---- text ---- */

TEST(text_is_as_wide_as_it_says)
{
    struct canvas canvas;
    struct paint_box box;
    canvas_clear(&canvas, 1);
    double width = paint_text_width(&canvas.paint, 16, "iM 10");
    double height = paint_text_height(&canvas.paint, 16);
    assert_true(width > 30 && width < 64 && height >= 16 && height < 24);
    assert_true(paint_text(&canvas.paint, 4, 3, 16, 0xff000000, "iM 10") == width);
    assert_true(changed(&canvas, &box) > 50);
    assert_true(box.left >= 4 && box.right <= 4 + width + 1);
    assert_true(box.top >= 3 && box.bottom <= 3 + height + 1);
    check_box(canvas.paint.touched, box.left, box.top, box.right, box.bottom);
    assert_true(paint_text_width(&canvas.paint, 32, "iM 10") > 1.8 * width);

    /* At scale 2 the same layout has twice the pixels. */
    canvas_clear(&canvas, 2);
    assert_true(fabs(paint_text_width(&canvas.paint, 16, "iM 10") - width) < 3);
    paint_text(&canvas.paint, 2, 1, 8, 0xff000000, "iM 10");
    changed(&canvas, &box);
    assert_true(box.left >= 4 && box.right <= 4 + width + 1);
}

TEST(text_fits_between_characters)
{
    struct canvas canvas;
    canvas_clear(&canvas, 1);
    const char *text = "a\xc3\xa4\xe2\x88\x9e b"; /* a, a umlaut, infinity */
    size_t ends[] = {0, 1, 3, 6, 7, 8};
    for (int i = 0; i < 6; i++) {
        char part[16] = "";
        memcpy(part, text, ends[i]);
        double width = paint_text_width(&canvas.paint, 20, part);
        assert_int_equal(paint_text_fit(&canvas.paint, 20, text, width), ends[i]);
        if (i > 0)
            assert_int_equal(paint_text_fit(&canvas.paint, 20, text, width - 1), ends[i - 1]);
    }
}

static int lines(struct canvas *canvas, double width, const char *text)
{
    return paint_paragraph(&canvas->paint, 0, 0, 10, 12, width, 0, text);
}

/* Nothing of a text is lost, whatever the width: between words where there are some. */
TEST(paragraphs_show_every_word)
{
    struct canvas canvas;
    struct paint_box box;
    canvas_clear(&canvas, 1);
    const char *text = "one two three";
    double all = paint_text_width(&canvas.paint, 10, text);
    double two = paint_text_width(&canvas.paint, 10, "one two");
    assert_int_equal(lines(&canvas, all, text), 1);
    assert_int_equal(lines(&canvas, all - 1, text), 2);
    assert_int_equal(lines(&canvas, two, text), 2);
    assert_int_equal(lines(&canvas, two - 1, text), 3);
    assert_int_equal(lines(&canvas, two, "  one two   "), 1);
    assert_int_equal(lines(&canvas, all, ""), 0);
    assert_int_equal(lines(&canvas, 0, "\xc3\xa4\xc3\xa4 b"), 3);
    assert_int_equal(lines(&canvas, 0, "\x80\x80"), 1);
    assert_int_equal(changed(&canvas, &box), 0);

    /* The second line is what it would be alone. */
    struct canvas alone;
    canvas_clear(&alone, 1);
    paint_paragraph(&canvas.paint, 2, 1, 10, 12, two, 0xff000000, text);
    paint_text(&alone.paint, 2, 1, 10, 0xff000000, "one two");
    paint_text(&alone.paint, 2, 13, 10, 0xff000000, "three");
    assert_memory_equal(canvas.pixels, alone.pixels, sizeof canvas.pixels);
}

/* Anybody's text: no crash, no read beyond its end, and something to be seen for every byte. */
TEST(text_may_be_anything)
{
    struct canvas canvas;
    uint64_t seed = 9;
    canvas_clear(&canvas, 1);
    for (int i = 0; i < 3000; i++) {
        char *text = malloc(9);
        assert_non_null(text);
        for (int k = 0; k < 8; k++)
            text[k] = (char)(1 + check_random(&seed) % 255);
        text[8] = '\0';
        double width = paint_text_width(&canvas.paint, 14, text);
        assert_true(paint_text(&canvas.paint, 0, 0, 14, 0xffffffff, text) == width && width > 0);
        free(text);
    }
    double wrong = paint_text_width(&canvas.paint, 14, "\xef\xbf\xbd");
    assert_true(paint_text_width(&canvas.paint, 14, "\xc3") == wrong);
    assert_true(paint_text_width(&canvas.paint, 14, "\xed\xa0\x80") == 3 * wrong); /* surrogate */
    assert_true(paint_text_width(&canvas.paint, 14, "\xc0\xaf") == 2 * wrong);     /* overlong */
    assert_true(paint_text_width(&canvas.paint, 14, "a\nb") ==
                paint_text_width(&canvas.paint, 14, "a b"));
}

/* More glyphs than are kept: the first ones come back as they were. */
TEST(glyphs_are_forgotten_and_made_again)
{
    struct canvas first, again;
    canvas_clear(&first, 1);
    canvas_clear(&again, 1);
    paint_text(&first.paint, 0, 0, 16, 0xffffffff, "deepfield");
    for (int size = 8; size < 130; size++)
        for (char c = ' '; c < 127; c++)
            paint_text_width(&again.paint, size, (char[]){c, '\0'});
    paint_text(&again.paint, 0, 0, 16, 0xffffffff, "deepfield");
    assert_memory_equal(first.pixels, again.pixels, sizeof first.pixels);
}

TEST(fonts_that_are_none)
{
    struct paint_fonts *none;
    assert_int_equal(paint_fonts_open(&none, "/nowhere/font.ttf"), STATUS_NO_INPUT);
    assert_null(none);
    assert_int_equal(paint_fonts_open(&none, DEEPFIELD_ASSETS "/README.md"), STATUS_NO_INPUT);
    assert_non_null(strstr(status_text(), "README.md"));
}

static int fonts_open(void **state)
{
    (void)state;
    return paint_fonts_open(&fonts, DEEPFIELD_ASSETS "/fonts/DejaVuSans.ttf");
}

static int fonts_close(void **state)
{
    (void)state;
    paint_fonts_close(fonts);
    paint_fonts_close(NULL);
    return 0;
}

/* ---- names of events ---- */

TEST(keys_have_names)
{
    for (int32_t key = 1; key <= INPUT_KEY_LAST; key++) {
        const char *name = input_key_name(key);
        if (name[0] && !(key >= 'A' && key <= 'Z'))
            assert_int_equal(input_key_find(name), key);
        assert_null(strpbrk(name, " \t\n;"));
    }
    for (int32_t key = INPUT_KEY_FIRST; key <= INPUT_KEY_LAST; key++)
        assert_true(strlen(input_key_name(key)) > 1);
    assert_string_equal(input_key_name('a'), "a");
    assert_string_equal(input_key_name('+'), "plus");
    assert_string_equal(input_key_name(0xe4), "\xc3\xa4");
    assert_string_equal(input_key_name(0xd800), "");
    assert_string_equal(input_key_name(-5), "");
    assert_int_equal(input_key_find("Z"), 'z');
    assert_int_equal(input_key_find("Page-Up"), INPUT_KEY_PAGE_UP);
    assert_int_equal(input_key_find("+"), '+');
    const char *none[] = {"", "zz", "page-upp", "\xc3", "\xc3\xa4x", "\x01", " "};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_int_equal(input_key_find(none[i]), INPUT_KEY_NONE);
    assert_string_equal(input_pad_button_name(INPUT_PAD_ARROW_RIGHT), "right");
    assert_null(input_pad_button_name(INPUT_PAD_BUTTONS));
    assert_string_equal(input_axis_name(INPUT_AXIS_TRIGGER_RIGHT), "trigger-right");
    assert_null(input_axis_name(-1));
}

int main(void)
{
    return check_run(fonts_open, fonts_close);
}

#include "tests/app/place/bad_input_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GOOD "[view]\nre = -0.5\nim = 0\nzoom = 1\nlimit = 100\n"

struct file {
    const char *name, *bytes;
    size_t length;
};

/* With its length, since some contain NUL. */
#define BYTES(text) text, sizeof(text) - 1

static const struct file files[] = {
    {"good.ini", BYTES(GOOD)},
    {"good.txt", BYTES("re = -0.5\nim = 0\nzoom = 1\niterations = 100\n")},
    {"exists.png", BYTES("not to be lost")},
    {"exists.kfr", BYTES("not to be lost")},
    {"exists.toml", BYTES("not to be lost")},
    {"exists.txt", BYTES("not to be lost")},
    {"empty.ini", BYTES("")},
    {"blank.ini", BYTES("\n  \n; nothing\n")},
    {"nul.ini", BYTES("[view]\nre = -0.5\0\nim = 0\nzoom = 1\n")},
    {"nul.txt", BYTES("re = -0.5\0\nim = 0\nzoom = 1\n")},
    {"bom.ini", BYTES("\xef\xbb\xbf" GOOD)},
    {"bom.formula", BYTES("\xef\xbb\xbfsqr, add c\n")},
    {"bom.txt", BYTES("\xef\xbb\xbfre = -0.5\nim = 0\nzoom = 1\n")},
    {"crlf.ini", BYTES("[view]\r\nre = -0.5\r\nim = 0\r\nzoom = 1\r\n")},
    {"crlf.txt", BYTES("re = -0.5\r\nim = 0\r\nzoom = 1\r\n")},
    {"capitals.ini", BYTES("[View]\nRE = -0.5\nIm = 0\nZOOM = 1\n")},
    {"good.kfr", BYTES("Re: -0.5\r\nIm: 0\r\nZoom: 1E0\r\nIterations: 100\r\nColors: 1,2,3,\r\n"
                       "Ratio: 360.000000\r\nTextureFile: \r\nRotateAngle: 0\r\n")},
    {"ship.kfr", BYTES("Re: -0.5\nIm: 0\nZoom: 1\nPower: 2\nFractalType: 1\n")},
    {"cubic.kfr", BYTES("Re: -0.5\nIm: 0\nZoom: 1\nPower: 3\n")},
    {"turned.kfr", BYTES("Re: -0.5\nIm: 0\nZoom: 1\nRotateAngle: 30\n")},
    {"upright.kfr", BYTES("Re: -0.5\nIm: 0\nZoom: 1\nRotateAngle: 390\nImagPointsUp: 1\n")},
    {"spun.kfr", BYTES("Re: -0.5\nIm: 0\nZoom: 1\nRotateAngle: 1e7\n")},
    {"tilted.kfr", BYTES("Re: -0.5\nIm: 0\nZoom: 1\nStretchAngle: 9\nStretchAmount: 0.5\n")},
    {"wide.kfr", BYTES("Re: -0.5\nIm: 0\nZoom: 1\nRatio: 180.0\n")},
    {"nan.kfr", BYTES("Re: -0.5\nIm: 0\nZoom: 1\nRotate: nan\n")},
    {"two.txt", BYTES("-0.5 0.25\n")},
    {"cubic_only.kfr", BYTES("Power: 3\r\nFractalType: 1\r\n")},
    {"julia_only.ini", BYTES("[view]\nformula = julia\n")},
    {"noim.kfr", BYTES("Re: -0.5\nZoom: 1\n")},
    {"twice.kfr", BYTES("Re: -0.5\nIm: 0\nZoom: 1\nRe: -0.6\n")},
    {"several.ini",
     BYTES("[place a]\nre = 0\nim = 0\nzoom = 1\n[place b: 2]\nre = 1\nim = 0\nzoom = 3\n")},
    {"nocolon.kfr", BYTES("Re: -0.5\nIm = 0\nZoom: 1\n")},
    {"nul.kfr", BYTES("Re: -0.5\nIm: 0\0\nZoom: 1\n")},
    {"key.kfr", BYTES("Re: -0.5\nIm: 0\nZoom: 1\nb\xc3\xa4h: 5\n")},
    {"limit.kfr", BYTES("Re: -0.5\nIm: 0\nZoom: 1\nIterations: many\n")},
    {"rotate.txt", BYTES("# rotate = 45.0\nre = -0.5\nim = 0\nzoom = 1\n")},
    {"junk.bin", BYTES("\x7f\x45\x4c\x46\x02\x01\x01\xff\xfe\xfd\n\x80\x81= 7\n")},
    {"duplicate.ini", BYTES("[view]\nre = 0\nim = 0\nzoom = 1\nre = 1\n")},
    {"duplicate.txt", BYTES("re = 0\nim = 0\nzoom = 1\nre = 1\n")},
    {"twice.ini", BYTES("[view]\nre = 0\nim = 0\nzoom = 1\n[look]\n[view]\nzoom = 2\n")},
    {"nosection.ini", BYTES("; a key before its section\nre = 0\n[view]\n")},
    {"noequals.ini", BYTES("[view]\nre 0\n")},
    {"noequals.txt", BYTES("re 0\n")},
    {"nokey.ini", BYTES("[view]\n= 0\n")},
    {"section.ini", BYTES("[view\nre = 0\n")},
    {"section2.ini", BYTES("[view] re = 0\n")},
    {"continued.ini", BYTES("[view]\nre = 0.\\\n5\nim = 0\nzoom = 1\n")},
    {"unknownkey.ini", BYTES(GOOD "limti = 5\n")},
    {"unknownsection.ini", BYTES(GOOD "[luck]\npalette = ocean\n")},
    {"wrongsection.ini", BYTES(GOOD "palette = ocean\n")},
    {"unknownkey.txt", BYTES("re = 0\nim = 0\nzoon = 1\n")},
    {"nore.ini", BYTES("[view]\nim = 0\nzoom = 1\n")},
    {"nore.txt", BYTES("im = 0\nzoom = 1\n")},
    {"nozoom.txt", BYTES("re = 0\nim = 0\n")},
    {"badre.ini", BYTES("[view]\nre = 0x10\nim = 0\nzoom = 1\n")},
    {"badre.txt", BYTES("re = -0.5i\nim = 0\nzoom = 1\n")},
    {"emptyre.ini", BYTES("[view]\nre =\nim = 0\nzoom = 1\n")},
    {"comma.txt", BYTES("re = -0,5\nim = 0\nzoom = 1\n")},
    {"nan.txt", BYTES("re = nan\nim = 0\nzoom = 1\n")},
    {"far.txt", BYTES("re = 1e7\nim = 0\nzoom = 1\n")},
    {"limit0.txt", BYTES("re = 0\nim = 0\nzoom = 1\niterations = 0\n")},
    {"limit63.txt", BYTES("re = 0\nim = 0\nzoom = 1\niterations = 9223372036854775808\n")},
    {"limit1e3.txt", BYTES("re = 0\nim = 0\nzoom = 1\niterations = 1e3\n")},
    {"zoom0.txt", BYTES("re = 0\nim = 0\nzoom = 0\n")},
    {"zoomminus.txt", BYTES("re = 0\nim = 0\nzoom = -1\n")},
    {"zoomnan.txt", BYTES("re = 0\nim = 0\nzoom = nan\n")},
    {"zoomhuge.txt", BYTES("re = 0\nim = 0\nzoom = 1e400000000\n")},
    {"zoomtiny.txt", BYTES("re = 0\nim = 0\nzoom = 1e-300\n")},
    {"deep.txt", BYTES("re = -1.75\nim = 0\nzoom = 1e50\niterations = 1000\n")},
    {"deeper.txt", BYTES("re = -1.5e-1\nim = 1.25\nzoom = 1e60000\niterations = 1000000\n")},
    {"deepest.txt", BYTES("re = -2\nim = 0\nzoom = 1e1000000\niterations = 9223372036854775807\n")},
    {"colour.ini", BYTES(GOOD "[look]\ninterior = #102030\n")},
    {"ranks.ini", BYTES(GOOD "[compute]\nranks = 64\n")},
    {"devices.ini", BYTES(GOOD "[compute]\ndevices = 0\n")},
    {"mpi_device.ini", BYTES(GOOD "[compute]\nmpi_device = on\n")},
    {"title.ini", BYTES("[view]\ntitle = caf\xc3\xa9\nre = 0\nim = 0\nzoom = 1\n")},
    {"version.ini", BYTES("[view]\nversion = 2\nre = 0\nim = 0\nzoom = 1\n")},
    {"gap.ini", BYTES("[view]\nre.0 = 0.\nre.2 = 5\nim = 0\nzoom = 1\n")},
    {"mixed.ini", BYTES("[view]\nre = 0\nre.0 = 5\nim = 0\nzoom = 1\n")},
    {"parts.ini", BYTES("[view]\nre.0 = -0.\nre.1 = 5\nim = 0\nzoom = 1\n")},
    {"splitlimit.ini", BYTES(GOOD "[look]\ndensity.0 = 1\n")},
    {"crash.ini", BYTES("[view]\nre = 0\nim = 0\nzoom = 1\n[view:limit]\n")},
    {"foreign.png",
     BYTES(
         "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55"
         "\0\0\0\nIDATx\x9c\x63\x60\0\0\0\x02\0\x01\x48\xaf\xa4\x71\0\0\0\0IEND\xae\x42\x60\x82")},
    {"foreign.tif", BYTES("II*\0\x08\0\0\0\x01\0\0\0\0\0\0\0")},
    {"cut.tif",
     BYTES("II*\0\x60\0\0\0deepfield view of 3 x 2 pixels, 8 bit, 5000 bytes\n[view]\n")},
    {"long.tif", BYTES("MM\0*\0\0\0\x60"
                       "deepfield view of 3 x 2 pixels, 8 bit, 99999999 bytes\n[view]\n")},
    {"nul.tif", BYTES("II*\0\x60\0\0\0deepfield view of 3 x 2 pixels, 8 bit, 7 bytes\n[vi\0w]\n")},
    {"sizeless.tif",
     BYTES("II*\0\x60\0\0\0deepfield view of 0 x 2 pixels, 8 bit, 7 bytes\n[view]\n")},
    {"viewless.tif",
     BYTES("II*\0\x60\0\0\0deepfield view of 3 x 2 pixels, 8 bit, 7 bytes\n[view]\n")},
    {"signature.png", BYTES("\x89PNG\r\n\x1a\n")},
    {"good.toml", BYTES("program = \x22"
                        "fraktaler-3\x22\nlocation.real = \x22-0.5\x22\nlocation.zoom = \x22"
                        "2\x22\n")},
    {"good.rf.toml", BYTES("real = \x22-0.5\x22\nimag = \x22"
                           "0\x22\nzoom = \x22"
                           "2E0\x22\niterations = 100\n")},
    {"drill.ini",
     BYTES("[location]\nreal = -0.5\nimag = 0\nzoom = 2\ndepth = 100\n[image]\nwidth = 1\n")},
    {"good.imt", BYTES("Formula: Mandelbrot\nLocation:\n\x09Re: -0.8\n\x09Im: 0\n\x09Size: 1\n")},
    {"shark.txt", BYTES("160 90 -1 -1 0 1 100 1 left\r\n160 90 -0.5 -1 0.5 1 100 1 right\r\n")},
    {"good.xpf", BYTES("(initstate)\n(formula 'mandel)\n(view -0.5 0 2 2)\n")},
    {"good.par",
     BYTES("one { type=mandel center-mag=-0.5/0/1 }\ntwo { type=julia params=-1/0 }\n")},
    {"kf.png", BYTES("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00"
                     "\x00\x00\x00:~\x9bU\x00\x00\x00\x22tEXtComment\x00Re: -0.5\r\nIm: 0\r\nZoom: "
                     "2\r\nc\xc1t\x02\x00\x00\x00\nIDATx\x9c"
                     "c`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xae"
                     "B`\x82")},
    {"gimp.png", BYTES("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00"
                       "\x00\x00\x00:~\x9bU\x00\x00\x00\x19tEXtComment\x00"
                       "Created with GIMPW\x81\x0e\x17\x00\x00\x00\nIDATx\x9c"
                       "c`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xae"
                       "B`\x82")},
    {"kf3.png", BYTES("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00"
                      "\x00\x00\x00:~\x9bU\x00\x00\x00(tEXtComment\x00Re: -0.5\nIm: 0\nZoom: "
                      "2\nPower: 3\n\x9b\x8eo1\x00\x00\x00\nIDATx\x9c"
                      "c`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xae"
                      "B`\x82")},
    {"self.png",
     BYTES(
         "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~"
         "\x9bU\x00\x00\x00"
         "DtEXtComment\x00\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08"
         "\x00\x00\x00\x00:~\x9bU\x00\x00\x00\x08tEXtComment\x00\xf6\xcc\x96\xbf\x00\x00\x00\nIDA&"
         "\x0fv\x8f\x00\x00\x00\nIDATx\x9c"
         "c`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xae"
         "B`\x82")},
    {"nul.toml", BYTES("program = \x22"
                       "fraktaler-3\x22\nlocation.real = \x22"
                       "0\x00\x22\n")},
    {"bom.toml", BYTES("\xef\xbb\xbfprogram = \x22"
                       "fraktaler-3\x22\nlocation.zoom = \x22"
                       "2\x22\r\n")},
    {"twice.toml", BYTES("program = \x22"
                         "fraktaler-3\x22\nlocation.real = \x22"
                         "0\x22\n[location]\nreal = \x22"
                         "1\x22\n")},
    {"open.toml", BYTES("program = \x22"
                        "fraktaler-3\x22\nlocation.real = \x22"
                        "0\n")},
    {"open3.toml", BYTES("program = \x22"
                         "fraktaler-3\x22\nlocation.real = \x22\x22\x22"
                         "0\x5c\n\n\n")},
    {"tail.toml", BYTES("program = \x22"
                        "fraktaler-3\x22\nlocation.zoom = \x22"
                        "1\x22 \x22"
                        "2\x22\n")},
    {"nest.toml",
     BYTES("program = \x22"
           "fraktaler-3\x22\na = "
           "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n")},
    {"tables.toml",
     BYTES("program = \x22"
           "fraktaler-3\x22\na = "
           "{b={c={d={e={f={g={h={i={j={k={l={m={n={o={p={q={r=1}}}}}}}}}}}}}}}}}\n")},
    {"power.toml", BYTES("program = \x22"
                         "fraktaler-3\x22\n[[formula]]\npower = 3\n")},
    {"stretch.toml", BYTES("program = \x22"
                           "fraktaler-3\x22\ntransform.stretch_amount = nan\n")},
    {"date.toml", BYTES("program = \x22"
                        "fraktaler-3\x22\nlocation.zoom = 1979-05-27T07:32:00Z\n")},
    {"hex.toml", BYTES("program = \x22"
                       "fraktaler-3\x22\nbailout.iterations = 0x10\n")},
    {"exponent.toml", BYTES("program = \x22"
                            "fraktaler-3\x22\nlocation.zoom = \x22"
                            "1e99999999999999999999\x22\n")},
    {"unknown.toml", BYTES("[[place]]\nx = 1\n")},
    {"drill2.ini", BYTES("[location]\nreal = 0\nreal = 1\n")},
    {"drillx.ini", BYTES("[location]\nreal 0\n")},
    {"ship.imt", BYTES("Formula: Burning ship\nLocation:\n\x09Re: 0\n")},
    {"size.imt", BYTES("Location:\n\x09Re: 0\n\x09Im: 0\n\x09Size: 0\n")},
    {"at.imt", BYTES("Location:\n\x09Re: 1@99999999999999999999\n")},
    {"big.imt", BYTES("Location:\n\x09Re: 1@700000\n\x09Im: 0\n\x09Size: 1\n")},
    {"lfs.im", BYTES("version https://git-lfs.github.com/spec/v1\noid sha256:00\n")},
    {"flat.txt", BYTES("160 90 0 0 0 1 100 1 flat\n")},
    {"far.shark.txt", BYTES("1 1 0 0 1e999999 1 100 1 far\n")},
    {"octo.xpf", BYTES("(formula 'octo)\n(view 0 0 1 1)\n")},
    {"load.xpf", BYTES("(load \x22/etc/passwd\x22)\n(view 0 0 1 1)\n")},
    {"deep.xpf",
     BYTES(
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((")},
    {"open.xpf", BYTES("(view 0 0 1 1\n")},
    {"quote.xpf", BYTES("(view \x22"
                        "0 0 1 1)\n")},
    {"noview.xpf", BYTES("(initstate)\n")},
    {"nul.xpf", BYTES("(view 0 0 1 1)\x00")},
    {"frm.par", BYTES("a { type=formula formulafile=x.frm center-mag=0/0/1 }\n")},
    {"open.par", BYTES("a { type=mandel ; }\n")},
    {"nest.par", BYTES("a { b { } }\n")},
    {"mag.par", BYTES("a { center-mag=0/0/0 }\n")},
    {"corners.par", BYTES("a { corners=0/1 }\n")},
    {"skew.par", BYTES("a { center-mag=0/0/1/1/0/30 }\n")},
    {"upr.par", BYTES("a {\nfractal:\n title=\x22x\x22\n}\n")},
    {"empty.csv", BYTES("")},
    {"bad.csv", BYTES("0, 0, 0, 0\n1, 2, 0, 0\n")},
    {"map.map", BYTES("0 0 0\n255 255 255 white\n")},
    {"one.map", BYTES("1 2 3\n")},
    {"range.map", BYTES("0 0 0\n1 2 65536\n")},
    {"float.map", BYTES("0 0 0\n0.5 2 3\n")},
    {"nul.map", BYTES("0 0 0\n1 2\0 3\n")},
    {"escape.map", BYTES("0 0 0 \033[31m\n1 2 3\n")},
    {"head.gpl", BYTES("GIMP palette of 2\n1 2 3\n")},
    {"short.gpl", BYTES("GIMP Palette\nName: x\n1 2\n")},
    {"none.kfp", BYTES("Re: 0\nIm: 0\n")},
    {"two.kfp", BYTES("Colors: 1,2,3,4,5\n")},
    {"range.kfp", BYTES("Colors: 1,2,3,4,5,999,\n")},
    {"twice.kfp", BYTES("Colors: 1,2,3,4,5,6\nColors: 1,2,3\n")},
    {"comma.kfr", BYTES("Re: 0\nColors: 1;2;3\n")},
    {"head.ggr", BYTES("GIMP\n")},
    {"count.ggr", BYTES("GIMP Gradient\nName: x\n-1\n")},
    {"many.ggr", BYTES("GIMP Gradient\nName: x\n99999999\n")},
    {"cut.ggr", BYTES("GIMP Gradient\n2\n0 .5 1 0 0 0 1 1 1 1 1 0 0\n")},
    {"fields.ggr", BYTES("GIMP Gradient\n1\n0 .5 1 0 0 0\n")},
    {"nan.ggr", BYTES("GIMP Gradient\n1\n0 nan 1 0 0 0 1 1 1 1 1 0 0\n")},
    {"gap.ggr", BYTES("GIMP Gradient\n1\n.5 .6 1 0 0 0 1 1 1 1 1 0 0\n")},
    {"order.ggr", BYTES("GIMP Gradient\n1\n0 .6 .5 0 0 0 1 1 1 1 1 0 0\n")},
    {"blend.ggr", BYTES("GIMP Gradient\n1\n0 .5 1 0 0 0 1 1 1 1 1 9 0\n")},
    {"foreground.ggr", BYTES("GIMP Gradient\n1\n0 .5 1 0 0 0 1 1 1 1 1 0 0 1 0\n")},
    {"two.ugr", BYTES("a {\ngradient:\nindex=0 color=0 index=9 color=9\n}\n"
                      "b {\ngradient:\nindex=0 color=0\n}\n")},
    {"open.ugr", BYTES("a {\ngradient:\nindex=0 color=0\n")},
    {"none.ugr", BYTES("; only a comment\n")},
    {"brace.ugr", BYTES("gradient:\nindex=0 color=0\n")},
    {"empty.ugr", BYTES("a { gradient: }\n")},
    {"colour.ugr", BYTES("a {\ngradient:\nindex=0 color=-5\n}\n")},
    {"index.ugr", BYTES("a {\ngradient:\ncolor=5\n}\n")},
    {"smooth.ugr", BYTES("a {\ngradient: smooth=perhaps\n}\n")},
    {"blues.act", BYTES("JASC-PAL\n0100\n2\n0 0 255\n")},
    {"bad_config.ini", BYTES("[compute]\nthreads = many\n")},
    {"good_config.ini", BYTES("[view]\nlimit = 7\n")},
};

static void file_write(const char *name, const char *bytes, size_t length)
{
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) {
        perror(name);
        exit(2);
    }
}

/* `before`, then `count` times `digit`, then `after`. */
static void long_file_write(const char *name, const char *before, size_t count, char digit,
                            const char *after)
{
    char *text = malloc(strlen(before) + count + strlen(after) + 1);
    if (!text)
        exit(2);
    strcpy(text, before);
    memset(text + strlen(before), digit, count);
    strcpy(text + strlen(before) + count, after);
    file_write(name, text, strlen(text));
    free(text);
}

/* `before`, then `count` times `piece` with its number and `after`. */
static void numbered_file_write(const char *name, const char *before, const char *piece,
                                const char *after, int count)
{
    FILE *file = fopen(name, "wb");
    if (!file)
        exit(2);
    fputs(before, file);
    for (int i = 1; i <= count; i++)
        fprintf(file, "%s%d%s", piece, i, after);
    if (fclose(file) != 0)
        exit(2);
}

/* NAME.deepfield/status.json, of one that is sound but for a member. */
static void statuses_write(void)
{
    static const char *const names[][2] = {
        {"sound", "0.5"}, {"huge", "1e300"},   {"negative", "-0.5"},
        {"nan", "NaN"},   {"text", "\"0.5\""}, {"deep", "[[[[[[[[[[[[[]]]]]]]]]]]]]"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64], text[512];
        snprintf(path, sizeof path, "%s.deepfield", names[i][0]);
        if (mkdir(path, 0777) != 0)
            exit(2);
        snprintf(path, sizeof path, "%s.deepfield/status.json", names[i][0]);
        int length = snprintf(text, sizeof text,
                              "{\"host\":\"a\",\"process\":1,\"written_s\":2e9,\"pixels_done\":3,"
                              "\"pixels\":9,\"iterations\":8,\"share\":%s,\"elapsed_s\":6,"
                              "\"left_s\":null,\"ranks\":[]}\n",
                              names[i][1]);
        file_write(path, text, (size_t)length);
    }
}

void bad_input_files_make(void)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        file_write(files[i].name, files[i].bytes, files[i].length);
    const char *rest = "\nim = 0\nzoom = 1\n";
    long_file_write("longline.ini", "[view]\nre = 0.", 2000, '3', rest);
    long_file_write("longkey.ini", "[view]\n", 60, 'k', " = 1\n");
    long_file_write("many.txt", "re = 0.", 160001, '3', rest);
    long_file_write("many.kfr", "Re: 0.", 160001, '3', "\nIm: 0\nZoom: 1\n");
    long_file_write("many.toml", "program = \"fraktaler-3\"\nlocation.real = \"0.", 160001, '3',
                    "\"\n");
    long_file_write("name.toml", "program = \"fraktaler-3\"\n", 300, 'k', " = 1\n");
    long_file_write("many.imt", "Location:\n Re: 0.", 160001, '3', "\n Im: 0\n Size: 1\n");
    long_file_write("many.par", "a { center-mag=0.", 160001, '3', "/0/1 }\n");
    long_file_write("large.xpf", "(view 0 0 1 1)", 5 << 20, '\n', "");
    numbered_file_write("keys.toml", "program = \"fraktaler-3\"\n", "k", " = 1\n", 2001);
    numbered_file_write("sets.par", "", "s", " { }\n", 1001);
    numbered_file_write("commands.xpf", "(view 0 0 1 1)\n", "(c", ")\n", 1001);
    numbered_file_write("words.par", "a { ", "w", " ", 1001);
    long_file_write("most.txt", "re = 0.", 159990, '3', rest);
    long_file_write("zoomlong.txt", "re = 0\nim = 0\nzoom = 1", 1001, '1', "\n");
    long_file_write("hugeexponent.txt", "re = 1e", 100000, '0', rest);
    long_file_write("large.ini", "[view]\n", 600000, '\n', "re = 0\n");
    long_file_write("large.txt", "re = 0.", 5 << 20, '3', rest);
    long_file_write("large.map", "0 0 0\n", 5 << 20, '\n', "1 2 3\n");
    long_file_write("longtitle.ini", GOOD "title = ", 300, 't', "\n");
    if (mkdir("folder", 0777) != 0 || mkfifo("pipe", 0666) != 0 || mkfifo("pipe.map", 0666) != 0)
        exit(2);
    statuses_write();
}

struct made { /* a file of the program */
    char bytes[1 << 16];
    size_t length;
};

static struct made made_read(const char *name)
{
    struct made made;
    FILE *file = fopen(name, "rb");
    made.length = file ? fread(made.bytes, 1, sizeof made.bytes, file) : 0;
    if (made.length < 200)
        exit(2);
    fclose(file);
    return made;
}

/* What is changed in a file that was sound: `bytes` are put `skip` behind the first `mark`. */
static const struct damage {
    const char *name, *mark;
    size_t mark_length, skip;
    const char *bytes;
    size_t length;
} exr_damages[] = {
    {"magic.exr", BYTES("\x76\x2f\x31\x01"), 1, BYTES("\x00")},
    {"version.exr", BYTES("\x76\x2f\x31\x01"), 4, BYTES("\x07")},
    {"tiles.exr", BYTES("\x76\x2f\x31\x01"), 5, BYTES("\x02")},
    {"deep.exr", BYTES("\x76\x2f\x31\x01"), 5, BYTES("\x08")},
    {"parts.exr", BYTES("\x76\x2f\x31\x01"), 5, BYTES("\x10")},
    {"flags.exr", BYTES("\x76\x2f\x31\x01"), 6, BYTES("\x01")},
    {"nocount.exr", BYTES("\0N\0\0"), 1, BYTES("Q")},
    {"halfcount.exr", BYTES("\0N\0\0"), 3, BYTES("\x01")},
    {"wholefraction.exr", BYTES("\0NF\0"), 4, BYTES("\x00")},
    {"notype.exr", BYTES("\0NF\0"), 4, BYTES("\x63")},
    {"subsampled.exr", BYTES("\0NF\0"), 12, BYTES("\x02")},
    {"twice.exr", BYTES("\0NF\0"), 1, BYTES("N\0\0\0\0")},
    {"wide.exr", BYTES("dataWindow\0box2i\0\x10\0\0\0"), 29, BYTES("\xff\xff\xff\x0e")},
    {"high.exr", BYTES("dataWindow\0box2i\0\x10\0\0\0"), 33, BYTES("\xff\xff\xff\x0e")},
    {"endless.exr", BYTES("dataWindow\0box2i\0\x10\0\0\0"), 29, BYTES("\xff\xff\xff\x7f")},
    {"flat.exr", BYTES("dataWindow\0box2i\0\x10\0\0\0"), 33, BYTES("\xf0\xff\xff\xff")},
    {"packed.exr", BYTES("compression\0compression\0\1\0\0\0"), 28, BYTES("\x09")},
    {"nowindow.exr", BYTES("dataWindow\0"), 0, BYTES("c")},
    {"nochannels.exr", BYTES("channels\0chlist"), 0, BYTES("k")},
    {"longtext.exr", BYTES("deepfield\0string\0"), 17, BYTES("\xff\xff\xff\x7f")},
    {"nultext.exr", BYTES("[view]"), 3, BYTES("\0")},
    {"badtext.exr", BYTES("zoom = "), 0, BYTES("moon")},
};

static void exrs_make(void)
{
    static struct made made;
    made = made_read("made.exr");
    for (size_t i = 0; i < sizeof exr_damages / sizeof *exr_damages; i++) {
        const struct damage *damage = &exr_damages[i];
        char *at = memmem(made.bytes, made.length, damage->mark, damage->mark_length);
        char kept[8];
        if (!at || damage->length > sizeof kept)
            exit(2);
        memcpy(kept, at + damage->skip, damage->length);
        memcpy(at + damage->skip, damage->bytes, damage->length);
        file_write(damage->name, made.bytes, made.length);
        memcpy(at + damage->skip, kept, damage->length);
    }
    file_write("cut.exr", made.bytes, made.length - 40);
    file_write("header.exr", made.bytes, 300);
    memset(made.bytes + made.length - 60, 0x55, 40); /* in the only chunk */
    file_write("pixels.exr", made.bytes, made.length);
}

/* An array whose dict is padded to 118 bytes, and 9 x 5 numbers. */
static void npy_write(const char *name, const char *dict, size_t numbers_bytes)
{
    char bytes[128 + 9 * 5 * 8] = "\x93NUMPY\x01\x00\x76";
    memset(bytes + 10, ' ', 118);
    memcpy(bytes + 10, dict, strlen(dict));
    bytes[127] = '\n';
    file_write(name, bytes, 128 + numbers_bytes);
}

static void npys_make(void)
{
#define DICT(type, order, shape) \
    "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }"
    npy_write("cut.count.npy", DICT("<u4", "False", "(5, 9)"), 170);
    npy_write("more.count.npy", DICT("<u4", "False", "(5, 9)"), 190);
    npy_write("double.count.npy", DICT("<f8", "False", "(5, 9)"), 360);
    npy_write("real.count.npy", DICT("<f4", "False", "(5, 9)"), 180);
    npy_write("big.count.npy", DICT(">u4", "False", "(5, 9)"), 180);
    npy_write("columns.count.npy", DICT("<u4", "True", "(5, 9)"), 180);
    npy_write("cube.count.npy", DICT("<u4", "False", "(5, 3, 3)"), 180);
    npy_write("row.count.npy", DICT("<u4", "False", "(45,)"), 180);
    npy_write("none.count.npy", DICT("<u4", "False", "(0, 9)"), 0);
    npy_write("huge.count.npy", DICT("<u4", "False", "(268435456, 268435456)"), 180);
    npy_write("huger.count.npy", DICT("<u4", "False", "(99999999999999999999, 1)"), 180);
    npy_write("words.count.npy", "import os", 180);
    npy_write("other.count.npy", DICT("<u4", "False", "(5, 9)"), 180);
    npy_write("other.fraction.npy", DICT("<f4", "False", "(9, 5)"), 180);
    npy_write("whole.count.npy", DICT("<u4", "False", "(5, 9)"), 180);
    npy_write("whole.fraction.npy", DICT("<u4", "False", "(5, 9)"), 180);
    npy_write("alone.fraction.npy", DICT("<f4", "False", "(5, 9)"), 180);
    file_write("magic.count.npy", BYTES("\x93NUMPX\x01\x00\x76\x00{}"));
    file_write("long.count.npy", BYTES("\x93NUMPY\x01\x00\xff\xff{}"));
    file_write("short.count.npy", BYTES("\x93NUM"));
#undef DICT
}

void bad_input_pictures_make(void)
{
    static struct made made;
    made = made_read("made.png");
    file_write("truncated.png", made.bytes, 60);
    made.bytes[120] ^= 1; /* inside the text chunk: its checksum is wrong now */
    file_write("damaged.png", made.bytes, made.length);
    exrs_make();
    npys_make();
}

void bad_input_files_remove(const char *folder)
{
    DIR *open_folder = opendir(folder);
    for (struct dirent *entry; open_folder && (entry = readdir(open_folder));)
        if (entry->d_name[0] != '.' && remove(entry->d_name) != 0) {
            char inside[300]; /* of statuses_write */
            snprintf(inside, sizeof inside, "%s/status.json", entry->d_name);
            remove(inside);
            remove(entry->d_name);
        }
    if (open_folder)
        closedir(open_folder);
    rmdir(folder);
}

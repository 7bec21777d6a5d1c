#include "tests/app/bad_input_files.h"

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
    {"empty.ini", BYTES("")},
    {"blank.ini", BYTES("\n  \n; nothing\n")},
    {"nul.ini", BYTES("[view]\nre = -0.5\0\nim = 0\nzoom = 1\n")},
    {"nul.txt", BYTES("re = -0.5\0\nim = 0\nzoom = 1\n")},
    {"bom.ini", BYTES("\xef\xbb\xbf" GOOD)},
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
    {"noim.kfr", BYTES("Re: -0.5\nZoom: 1\n")},
    {"twice.kfr", BYTES("Re: -0.5\nIm: 0\nZoom: 1\nRe: -0.6\n")},
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
    {"signature.png", BYTES("\x89PNG\r\n\x1a\n")},
    {"empty.csv", BYTES("")},
    {"bad.csv", BYTES("0, 0, 0, 0\n1, 2, 0, 0\n")},
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

void bad_input_files_make(void)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        file_write(files[i].name, files[i].bytes, files[i].length);
    const char *rest = "\nim = 0\nzoom = 1\n";
    long_file_write("longline.ini", "[view]\nre = 0.", 2000, '3', rest);
    long_file_write("longkey.ini", "[view]\n", 60, 'k', " = 1\n");
    long_file_write("many.txt", "re = 0.", 160001, '3', rest);
    long_file_write("many.kfr", "Re: 0.", 160001, '3', "\nIm: 0\nZoom: 1\n");
    long_file_write("most.txt", "re = 0.", 159990, '3', rest);
    long_file_write("zoomlong.txt", "re = 0\nim = 0\nzoom = 1", 1001, '1', "\n");
    long_file_write("hugeexponent.txt", "re = 1e", 100000, '0', rest);
    long_file_write("large.ini", "[view]\n", 600000, '\n', "re = 0\n");
    long_file_write("large.txt", "re = 0.", 5 << 20, '3', rest);
    long_file_write("longtitle.ini", GOOD "title = ", 300, 't', "\n");
    if (mkdir("folder", 0777) != 0 || mkfifo("pipe", 0666) != 0)
        exit(2);
}

void bad_input_pictures_make(void)
{
    static char bytes[1 << 16];
    FILE *file = fopen("made.png", "rb");
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (length < 200)
        exit(2);
    fclose(file);
    file_write("truncated.png", bytes, 60);
    bytes[120] ^= 1; /* inside the text chunk: its checksum is wrong now */
    file_write("damaged.png", bytes, length);
}

void bad_input_files_remove(const char *folder)
{
    DIR *open_folder = opendir(folder);
    for (struct dirent *entry; open_folder && (entry = readdir(open_folder));)
        if (entry->d_name[0] != '.')
            remove(entry->d_name);
    if (open_folder)
        closedir(open_folder);
    rmdir(folder);
}

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
    size_t length; /* 0: strlen */
};

static const struct file files[] = {
    {"good.ini", GOOD, 0},
    {"good.txt", "re = -0.5\nim = 0\nzoom = 1\niterations = 100\n", 0},
    {"exists.png", "not to be lost", 0},
    {"empty.ini", "", 0},
    {"blank.ini", "\n  \n; nothing\n", 0},
    {"nul.ini", "[view]\nre = -0.5\0\nim = 0\nzoom = 1\n", 36},
    {"nul.txt", "re = -0.5\0\nim = 0\nzoom = 1\n", 28},
    {"bom.ini", "\xef\xbb\xbf" GOOD, 0},
    {"bom.txt", "\xef\xbb\xbfre = -0.5\nim = 0\nzoom = 1\n", 0},
    {"crlf.ini", "[view]\r\nre = -0.5\r\nim = 0\r\nzoom = 1\r\n", 0},
    {"crlf.txt", "re = -0.5\r\nim = 0\r\nzoom = 1\r\n", 0},
    {"capitals.ini", "[View]\nRE = -0.5\nIm = 0\nZOOM = 1\n", 0},
    {"rotate.txt", "# rotate = 45.0\nre = -0.5\nim = 0\nzoom = 1\n", 0},
    {"junk.bin", "\x7f\x45\x4c\x46\x02\x01\x01\xff\xfe\xfd\n\x80\x81= 7\n", 0},
    {"duplicate.ini", "[view]\nre = 0\nim = 0\nzoom = 1\nre = 1\n", 0},
    {"duplicate.txt", "re = 0\nim = 0\nzoom = 1\nre = 1\n", 0},
    {"twice.ini", "[view]\nre = 0\nim = 0\nzoom = 1\n[look]\n[view]\nzoom = 2\n", 0},
    {"nosection.ini", "; a key before its section\nre = 0\n[view]\n", 0},
    {"noequals.ini", "[view]\nre 0\n", 0},
    {"noequals.txt", "re 0\n", 0},
    {"nokey.ini", "[view]\n= 0\n", 0},
    {"section.ini", "[view\nre = 0\n", 0},
    {"section2.ini", "[view] re = 0\n", 0},
    {"continued.ini", "[view]\nre = 0.\\\n5\nim = 0\nzoom = 1\n", 0},
    {"unknownkey.ini", GOOD "limti = 5\n", 0},
    {"unknownsection.ini", GOOD "[luck]\npalette = ocean\n", 0},
    {"wrongsection.ini", GOOD "palette = ocean\n", 0},
    {"unknownkey.txt", "re = 0\nim = 0\nzoon = 1\n", 0},
    {"nore.ini", "[view]\nim = 0\nzoom = 1\n", 0},
    {"nore.txt", "im = 0\nzoom = 1\n", 0},
    {"nozoom.txt", "re = 0\nim = 0\n", 0},
    {"badre.ini", "[view]\nre = 0x10\nim = 0\nzoom = 1\n", 0},
    {"badre.txt", "re = -0.5i\nim = 0\nzoom = 1\n", 0},
    {"emptyre.ini", "[view]\nre =\nim = 0\nzoom = 1\n", 0},
    {"comma.txt", "re = -0,5\nim = 0\nzoom = 1\n", 0},
    {"nan.txt", "re = nan\nim = 0\nzoom = 1\n", 0},
    {"far.txt", "re = 1e7\nim = 0\nzoom = 1\n", 0},
    {"limit0.txt", "re = 0\nim = 0\nzoom = 1\niterations = 0\n", 0},
    {"limit63.txt", "re = 0\nim = 0\nzoom = 1\niterations = 9223372036854775808\n", 0},
    {"limit1e3.txt", "re = 0\nim = 0\nzoom = 1\niterations = 1e3\n", 0},
    {"zoom0.txt", "re = 0\nim = 0\nzoom = 0\n", 0},
    {"zoomminus.txt", "re = 0\nim = 0\nzoom = -1\n", 0},
    {"zoomnan.txt", "re = 0\nim = 0\nzoom = nan\n", 0},
    {"zoomhuge.txt", "re = 0\nim = 0\nzoom = 1e400000000\n", 0},
    {"zoomtiny.txt", "re = 0\nim = 0\nzoom = 1e-300\n", 0},
    {"deep.txt", "re = -1.75\nim = 0\nzoom = 1e50\niterations = 1000\n", 0},
    {"colour.ini", GOOD "[look]\ninterior = #102030\n", 0},
    {"ranks.ini", GOOD "[compute]\nranks = 64\n", 0},
    {"title.ini", "[view]\ntitle = caf\xc3\xa9\nre = 0\nim = 0\nzoom = 1\n", 0},
    {"version.ini", "[view]\nversion = 2\nre = 0\nim = 0\nzoom = 1\n", 0},
    {"gap.ini", "[view]\nre.0 = 0.\nre.2 = 5\nim = 0\nzoom = 1\n", 0},
    {"mixed.ini", "[view]\nre = 0\nre.0 = 5\nim = 0\nzoom = 1\n", 0},
    {"parts.ini", "[view]\nre.0 = -0.\nre.1 = 5\nim = 0\nzoom = 1\n", 0},
    {"splitlimit.ini", GOOD "[look]\ndensity.0 = 1\n", 0},
    {"crash.ini", "[view]\nre = 0\nim = 0\nzoom = 1\n[view:limit]\n", 0},
    {"foreign.png",
     "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55"
     "\0\0\0\nIDATx\x9c\x63\x60\0\0\0\x02\0\x01\x48\xaf\xa4\x71\0\0\0\0IEND\xae\x42\x60\x82",
     67},
    {"signature.png", "\x89PNG\r\n\x1a\n", 8},
    {"empty.csv", "", 0},
    {"bad.csv", "0, 0, 0, 0\n1, 2, 0, 0\n", 0},
    {"bad_config.ini", "[compute]\nthreads = many\n", 0},
    {"good_config.ini", "[view]\nlimit = 7\n", 0},
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
        file_write(files[i].name, files[i].bytes,
                   files[i].length ? files[i].length : strlen(files[i].bytes));
    const char *rest = "\nim = 0\nzoom = 1\n";
    long_file_write("longline.ini", "[view]\nre = 0.", 2000, '3', rest);
    long_file_write("longkey.ini", "[view]\n", 60, 'k', " = 1\n");
    long_file_write("many.txt", "re = 0.", 125001, '3', rest);
    long_file_write("most.txt", "re = 0.", 124990, '3', rest);
    long_file_write("zoomlong.txt", "re = 0\nim = 0\nzoom = 1", 1001, '1', "\n");
    long_file_write("hugeexponent.txt", "re = 1e", 100000, '0', rest);
    long_file_write("large.ini", "[view]\n", 300000, '\n', "re = 0\n");
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

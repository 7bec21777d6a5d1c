/* Runs every file of a corpus through a fuzz target: the stored findings, in the ordinary build. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file_replay(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return -1;
    fseek(stream, 0, SEEK_END);
    size_t size = (size_t)ftell(stream);
    rewind(stream);
    uint8_t *data = malloc(size ? size : 1); /* exact, so that sanitizers see reads beyond it */
    int failed = !data || fread(data, 1, size, stream) != size;
    if (!failed)
        LLVMFuzzerTestOneInput(data, size);
    free(data);
    fclose(stream);
    return failed;
}

int main(int count, char **arguments)
{
    DIR *folder = count == 2 ? opendir(arguments[1]) : NULL;
    int files = 0, failed = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", arguments[1], entry->d_name);
        if (entry->d_name[0] != '.') {
            failed += file_replay(path) != 0;
            files++;
        }
    }
    if (folder)
        closedir(folder);
    printf("%d files, %d unreadable\n", files, failed);
    return files == 0 || failed > 0;
}

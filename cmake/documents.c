/* Writes manual pages and completions, for those who install the program: a program of the build.
 * usage: deepfield_documents FOLDER DATE */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/command/completion.h"
#include "app/command/manual.h"

enum { PATH_BYTES = 4096 };

static FILE *file_open(const char *folder, const char *name, const char *suffix)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *stream = fopen(path, "w");
    if (!stream)
        status_fail(STATUS_CANNOT_CREATE, "%s: %s", path, strerror(errno));
    return stream;
}

static enum status file_close(FILE *stream, enum status status)
{
    bool failed = ferror(stream);
    if ((fclose(stream) || failed) && status == STATUS_OK)
        return status_fail(STATUS_IO, "a document could not be written");
    return status;
}

static enum status manuals_write(const char *folder, const char *date)
{
    FILE *stream = file_open(folder, "deepfield", ".1");
    if (!stream)
        return STATUS_CANNOT_CREATE;
    manual_program(date, stream);
    TRY(file_close(stream, STATUS_OK));
    for (int i = 0; i < commands_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "deepfield-%s", commands[i].name);
        stream = file_open(folder, name, ".1");
        if (!stream)
            return STATUS_CANNOT_CREATE;
        manual_command(&commands[i], date, stream);
        TRY(file_close(stream, STATUS_OK));
    }
    return STATUS_OK;
}

static enum status completions_write(const char *folder)
{
    static const struct {
        const char *name;
        enum status (*write)(FILE *stream);
    } shells[] = {{"deepfield.bash", completion_bash},
                  {"_deepfield", completion_zsh},
                  {"deepfield.fish", completion_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        FILE *stream = file_open(folder, shells[i].name, "");
        if (!stream)
            return STATUS_CANNOT_CREATE;
        TRY(file_close(stream, shells[i].write(stream)));
    }
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: deepfield_documents FOLDER DATE\n", stderr);
        return status_exit_code(STATUS_USAGE);
    }
    enum status status = manuals_write(argv[1], argv[2]);
    if (status == STATUS_OK)
        status = completions_write(argv[1]);
    if (status != STATUS_OK)
        fprintf(stderr, "deepfield_documents: %s\n", status_text());
    return status_exit_code(status);
}

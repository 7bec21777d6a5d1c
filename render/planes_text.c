#include "render/planes_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reader {
    const char *json;
    size_t length, at;
    const char *path;
};

static enum status damaged(const struct reader *reader, const char *what)
{
    return status_fail(
        STATUS_BAD_DATA,
        "%s: damaged JSON: %s at byte %zu; without this file the planes are coloured "
        "as if nothing was known of their view",
        reader->path, what, reader->at);
}

/* ---- texts ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Four digits. */
static bool unit_take(struct reader *reader, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = reader->at < reader->length ? hex_digit(reader->json[reader->at++]) : -1;
        if (digit < 0)
            return false;
        *unit = *unit * 16 + (uint32_t)digit;
    }
    return true;
}

/* Behind \u: a character, which may be two of them. */
static bool character_take(struct reader *reader, uint32_t *character)
{
    uint32_t low;
    if (!unit_take(reader, character))
        return false;
    if (*character < 0xd800 || *character > 0xdfff)
        return *character > 0;
    if (*character > 0xdbff || reader->length - reader->at < 6 ||
        memcmp(reader->json + reader->at, "\\u", 2) != 0)
        return false;
    reader->at += 2;
    if (!unit_take(reader, &low) || low < 0xdc00 || low > 0xdfff)
        return false;
    *character = 0x10000 + ((*character - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

static char *utf8_put(char *out, uint32_t character)
{
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    int bytes = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (int i = bytes - 1; i > 0; i--, character >>= 6)
        out[i] = (char)(0x80 | (character & 0x3f));
    out[0] = (char)(bytes == 1 ? character : first[bytes] | character);
    return out + bytes;
}

static bool escape_take(struct reader *reader, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    uint32_t character;
    char c = reader->at < reader->length ? reader->json[reader->at++] : '\0';
    const char *known = c ? strchr(from, c) : NULL;
    if (known)
        character = (unsigned char)to[known - from];
    else if (c != 'u' || !character_take(reader, &character))
        return false;
    if (*out)
        *out = utf8_put(*out, character);
    return true;
}

/* From behind the opening quote to behind the closing one. What it says into `out`, which has room
 * for as many bytes as JSON takes, if it is not NULL. */
static enum status string_take(struct reader *reader, char *out)
{
    while (reader->at < reader->length) {
        char c = reader->json[reader->at++];
        if (c == '"') {
            if (out)
                *out = '\0';
            return STATUS_OK;
        }
        if ((unsigned char)c < ' ' || (c == '\\' && !escape_take(reader, &out)))
            return damaged(reader, "a text with a character that may not be there");
        if (c != '\\' && out)
            *out++ = c;
    }
    return damaged(reader, "a text that does not end");
}

/* ---- the member ---- */

static void blanks_skip(struct reader *reader)
{
    while (reader->at < reader->length && reader->json[reader->at] != '\0' &&
           strchr(" \t\r\n", reader->json[reader->at]))
        reader->at++;
}

/* Behind "view" and the colon. */
static enum status value_take(struct reader *reader, char **text)
{
    blanks_skip(reader);
    if (reader->length - reader->at >= 4 && !memcmp(reader->json + reader->at, "null", 4))
        return STATUS_OK;
    if (reader->at == reader->length || reader->json[reader->at++] != '"')
        return damaged(reader, "\"view\" is not a text");
    *text = malloc(reader->length - reader->at + 1);
    if (!*text)
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for its view", reader->path);
    enum status status = string_take(reader, *text);
    if (status == STATUS_OK)
        return STATUS_OK;
    free(*text);
    *text = NULL;
    return status;
}

/* Behind an opening quote: is it the key "view", with its colon? */
static enum status key_take(struct reader *reader, bool *found)
{
    static const char key[] = "view\"";
    size_t begin = reader->at, length = sizeof key - 1;
    TRY(string_take(reader, NULL));
    bool same = reader->at - begin == length && !memcmp(reader->json + begin, key, length);
    blanks_skip(reader);
    *found = same && reader->at < reader->length && reader->json[reader->at] == ':';
    reader->at += *found;
    return STATUS_OK;
}

enum status planes_text_find(const char *json, size_t length, const char *path, char **text)
{
    struct reader reader = {json, length, 0, path};
    int depth = 0;
    *text = NULL;
    blanks_skip(&reader);
    if (reader.at == length || json[reader.at] != '{')
        return damaged(&reader, "no object");
    do {
        if (reader.at == length)
            return damaged(&reader, "an end that is missing");
        char c = json[reader.at++];
        bool found = false;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (depth > PLANES_JSON_DEPTH_MAX)
            return damaged(&reader, "too many brackets in each other");
        if (c == '"' && depth == 1)
            TRY(key_take(&reader, &found));
        else if (c == '"')
            TRY(string_take(&reader, NULL));
        if (found)
            return value_take(&reader, text);
    } while (depth > 0);
    return STATUS_OK;
}

/* ---- the file ---- */

static enum status bytes_read(int file, const char *path, char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t some = read(file, bytes + done, length - done);
        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0)
            return status_fail(STATUS_IO, "%s: cannot be read: %s", path,
                               some < 0 ? strerror(errno) : "it became shorter");
        done += (size_t)some;
    }
    return STATUS_OK;
}

static enum status file_read(int file, const char *path, char **text)
{
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        return status_fail(STATUS_BAD_DATA, "%s: is not a regular file", path);
    if (about.st_size > PLANES_JSON_BYTES_MAX)
        return status_fail(STATUS_BAD_DATA, "%s: %lld bytes are too many; the most is %d", path,
                           (long long)about.st_size, PLANES_JSON_BYTES_MAX);
    size_t length = (size_t)about.st_size;
    char *json = malloc(length + 1);
    if (!json)
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory to read it", path);
    enum status status = bytes_read(file, path, json, length);
    if (status == STATUS_OK)
        status = planes_text_find(json, length, path, text);
    free(json);
    return status;
}

enum status planes_text_read(const char *path, char **text)
{
    *text = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 && errno == ENOENT)
        return STATUS_OK;
    if (file < 0)
        return status_fail(STATUS_IO, "%s: %s", path, strerror(errno));
    enum status status = file_read(file, path, text);
    close(file);
    return status;
}

#include "app/command/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command/invocation_load.h"
#include "app/command/output_names.h"
#include "library/settings/part.h"
#include "app/settings/view_operand.h"
#include "decomposition/thread/clock.h"
#include "library/settings/view_file.h"
#include "library/text/convert.h"
#include "library/text/text_file.h"

enum { LIST_BYTES_MAX = 1 << 28 };

static enum status no_memory(void)
{
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of views");
}

bool batch_is_wanted(const struct arguments *arguments)
{
    bool wanted = arguments->operand_count > 1 || arguments_has(arguments, OPTION_VIEW_LIST);
    const char *out;
    for (size_t i = 0; !wanted && (out = arguments_output(arguments, i)); i++)
        wanted = output_is_many(out);
    return wanted;
}

/* ---- views ---- */

static enum status view_add(struct picture_batch *batch, const char *view, size_t length)
{
    struct batch_item *item = batch->item;
    if (length == 1 && *view == '-')
        return status_fail(STATUS_USAGE,
                           "a VIEW from stdin is for one picture; write it to a file");
    if ((batch->count & (batch->count - 1)) == 0) { /* room for twice as many */
        item = realloc(item, (2 * batch->count + 1) * sizeof *item);
        if (!item)
            return no_memory();
        batch->item = item;
    }
    item += batch->count;
    *item = (struct batch_item){.view = strndup(view, length), .number = batch->count + 1};
    if (!item->view)
        return no_memory();
    batch->count++;
    return STATUS_OK;
}

/* Adds each line that is neither empty nor a comment; a byte-order mark is passed over. */
static enum status lines_add(struct picture_batch *batch, const char *text, size_t bytes,
                             const char *path)
{
    const char mark[] = "\xef\xbb\xbf";
    size_t before = batch->count;
    if (memchr(text, '\0', bytes))
        return status_fail(STATUS_BAD_DATA, "--list %s: not a text; each line names a view", path);
    text += strncmp(text, mark, strlen(mark)) ? 0 : strlen(mark);
    for (const char *line = text; *line; line += *line == '\n') {
        const char *end = line + strcspn(line, "\n"), *from = line + strspn(line, " \t\r\n");
        from = from < end ? from : end;
        const char *to = end;
        while (to > from && strchr(" \t\r", to[-1]))
            to--;
        if (to > from && *from != '#')
            TRY(view_add(batch, from, (size_t)(to - from)));
        line = end;
    }
    return batch->count > before
               ? STATUS_OK
               : status_fail(STATUS_BAD_DATA, "--list %s: it names no view", path);
}

static bool is_empty(const char *path)
{
    struct stat about, null;
    if (stat(path, &about) != 0)
        return false;
    bool device =
        S_ISCHR(about.st_mode) && stat("/dev/null", &null) == 0 && about.st_rdev == null.st_rdev;
    return device || (S_ISREG(about.st_mode) && about.st_size == 0);
}

static enum status list_add(struct picture_batch *batch, const char *path)
{
    char *text = NULL;
    size_t bytes = 0;
    if (is_empty(path))
        return status_fail(STATUS_BAD_DATA, "--list %s: it is empty; each line names a view", path);
    if (!strcmp(path, "-"))
        TRY(text_stream_head(STDIN_FILENO, "stdin", LIST_BYTES_MAX, &text, &bytes));
    else
        TRY(text_file_read(path, LIST_BYTES_MAX, &text, &bytes));
    enum status status = lines_add(batch, text, bytes, path);
    free(text);
    return status;
}

static enum status views_collect(struct picture_batch *batch, const struct invocation *invocation)
{
    const struct arguments *arguments = &invocation->arguments;
    for (size_t i = 0; i < arguments->operand_count; i++)
        if (!*arguments->operands[i])
            return invocation_view_missing(invocation->command);
        else
            TRY(view_add(batch, arguments->operands[i], strlen(arguments->operands[i])));
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->given[i].option == OPTION_VIEW_LIST)
            TRY(list_add(batch, arguments->given[i].text));
    if (!batch->count)
        TRY(view_add(batch, "", 0)); /* the place that flags name */
    batch->all = batch->count;
    batch->listed = batch->count > 1 || arguments_has(arguments, OPTION_VIEW_LIST);
    return STATUS_OK;
}

/* ---- names of files ---- */

static enum status outs_check(const struct arguments *arguments, size_t count)
{
    const char *out;
    for (size_t i = 0; (out = arguments_output(arguments, i)); i++) {
        if (!*out)
            return status_fail(STATUS_USAGE, "-o needs the name of a file");
        if (count > 1 && !output_is_many(out))
            return status_fail(STATUS_USAGE,
                               "-o %s is one file, but %zu views were given; -o FOLDER/ writes "
                               "FOLDER/NAME.png, and in other names {name}, {size} and {index} "
                               "stand for those of each",
                               out, count);
        TRY(output_folder_check(out));
    }
    return STATUS_OK;
}

static bool wants_size(const struct arguments *arguments)
{
    const char *out;
    for (size_t i = 0; (out = arguments_output(arguments, i)); i++)
        if (output_has_size(out))
            return true;
    return false;
}

/* Collects what names of files may contain. Views are read only where a name has the size: of 3,000
 * places in one file that takes as long as their pictures. */
static enum status facts_make(const struct batch_item *item, const struct invocation *whole,
                              struct invocation *picture, char size[32], struct output_facts *facts)
{
    bool sized = wants_size(&whole->arguments);
    *picture = (struct invocation){.command = whole->command};
    if (sized)
        TRY(batch_picture_open(picture, item, whole));
    else if (*item->view)
        TRY(view_operand_stem(&picture->view.stem, item->view));
    else
        TRY(view_operand_none(&picture->view));
    facts->stem = picture->view.stem;
    const struct config_value *value = &picture->config.value[OPTION_VIEW_SIZE];
    snprintf(size, 32, "%lldx%lld", (long long)value->integer, (long long)value->second);
    facts->size = sized ? size : NULL;
    return STATUS_OK;
}

static enum status outs_make(struct batch_item *item, const struct invocation *whole,
                             struct output_facts *facts)
{
    const struct arguments *arguments = &whole->arguments;
    const char *out = arguments_output(arguments, 0);
    item->out = calloc(arguments->count + 2, sizeof *item->out);
    if (!item->out)
        return no_memory();
    for (size_t i = 0; i == 0 || (out = arguments_output(arguments, i)); i++)
        TRY(output_name(out ? out : "{name}.png", facts, &item->out[i]));
    return STATUS_OK;
}

/* Names the files of a view. One that is not there has none, and fails when it is due. */
static enum status item_name(struct batch_item *item, const struct invocation *whole, size_t all)
{
    struct output_facts facts = {.number = item->number, .count = all};
    struct invocation picture;
    char size[32];
    enum status status = facts_make(item, whole, &picture, size, &facts);
    if (status == STATUS_OK)
        status = outs_make(item, whole, &facts);
    else if (status != STATUS_OUT_OF_MEMORY) {
        item->status = status;
        item->why = strdup(status_text());
        status = item->why ? STATUS_OK : no_memory();
    }
    batch_picture_close(&picture);
    return status;
}

static enum status names_check(const struct picture_batch *batch, const struct arguments *arguments)
{
    size_t named = 0;
    struct output_named *name = calloc(batch->count * (arguments->count + 1), sizeof *name);
    if (!name)
        return no_memory();
    for (size_t i = 0; i < batch->count; i++)
        for (char **out = batch->item[i].out; out && *out; out++)
            name[named++] = (struct output_named){*out, batch->item[i].view};
    enum status status = output_names_check(name, named);
    free(name);
    return status;
}

static void item_destroy(struct batch_item *item)
{
    for (char **out = item->out; out && *out; out++)
        free(*out);
    free(item->out);
    free(item->view);
    free(item->why);
}

/* Keeps every N-th view of the list: neighbours, which often cost alike, go to different parts. */
static enum status part_select(struct picture_batch *batch, const struct config *config)
{
    size_t kept = 0;
    int part, parts;
    TRY(settings_part(config, &part, &parts));
    if (!batch->listed)
        return STATUS_OK; /* the part of a picture */
    for (size_t i = 0; i < batch->count; i++)
        if (i % (size_t)parts == (size_t)part - 1)
            batch->item[kept++] = batch->item[i];
        else
            item_destroy(&batch->item[i]);
    batch->count = kept;
    return STATUS_OK;
}

enum status batch_create(struct picture_batch **out, const struct invocation *invocation)
{
    struct picture_batch *batch = *out = calloc(1, sizeof *batch);
    if (!batch)
        return no_memory();
    TRY(views_collect(batch, invocation));
    TRY(outs_check(&invocation->arguments, batch->count));
    for (size_t i = 0; i < batch->count; i++)
        TRY(item_name(&batch->item[i], invocation, batch->count));
    TRY(names_check(batch, &invocation->arguments));
    return part_select(batch, &invocation->config);
}

void batch_destroy(struct picture_batch *batch)
{
    for (size_t i = 0; batch && i < batch->count; i++)
        item_destroy(&batch->item[i]);
    if (batch)
        free(batch->item);
    free(batch);
}

/* ---- one picture ---- */

/* Is it an option of the list, which its pictures do not have? */
static bool is_of_list(enum option_key option)
{
    return option == OPTION_OUTPUT || option == OPTION_VIEW_LIST;
}

static enum status arguments_make(struct arguments *to, const struct batch_item *item,
                                  const struct arguments *from, bool listed)
{
    size_t outs = 0;
    while (item->out && item->out[outs])
        outs++;
    to->given = calloc(from->count + outs + 1, sizeof *to->given);
    if (!to->given)
        return no_memory();
    for (size_t i = 0; i < from->count; i++)
        if (!is_of_list(from->given[i].option) &&
            !(listed && from->given[i].option == OPTION_OUTPUT_PART))
            to->given[to->count++] = from->given[i];
    for (size_t i = 0; i < outs; i++)
        to->given[to->count++] = (struct argument){OPTION_OUTPUT, item->out[i]};
    to->operand = *item->view ? item->view : NULL;
    to->operand_count = to->operand != NULL;
    return STATUS_OK;
}

enum status batch_picture_open(struct invocation *picture, const struct batch_item *item,
                               const struct invocation *whole)
{
    *picture = (struct invocation){.command = whole->command,
                                   .world = whole->world,
                                   .argv = whole->argv,
                                   .listed = !whole->batch || whole->batch->listed,
                                   .started_s = clock_s()};
    if (item->status != STATUS_OK)
        return status_fail(item->status, "%s", item->why);
    TRY(arguments_make(&picture->arguments, item, &whole->arguments, picture->listed));
    return invocation_load_view(picture);
}

void batch_picture_close(struct invocation *picture)
{
    arguments_destroy(&picture->arguments);
    view_file_destroy(&picture->view);
    config_destroy(&picture->config);
    invocation_names_free(picture);
}

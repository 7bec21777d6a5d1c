/* deepfield colour: stored fields in other colours, many at once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/command.h"
#include "app/command/output_names.h"
#include "app/arguments/config_load.h"
#include "app/process/message.h"
#include "app/process/stop.h"
#include "app/settings/idle_flags.h"
#include "app/viewer/input/actions.h"
#include "kernels/stop.h"
#include "library/config/config.h"
#include "library/handle/program_recolour.h"
#include "render/disk/atomic_file.h"

struct recolour_job {
    const char *path; /* the field: an .exr, or .npy planes */
    char **out;       /* files to write, .png and others; [out_count] */
    size_t out_count;
    bool quality, overviews; /* one of them is of a kind that has a quality, smaller copies */
    const struct arguments *arguments; /* what colours there are to be, over what the field says */
};

struct recolour_batch {
    struct recolour_job *job; /* [count] */
    size_t count;
    size_t next; /* index of the job that the next thread takes */
    int threads; /* number that each worker may use for its file */
    bool to_stdout, alone;
    pthread_mutex_t lock; /* guards the members below, `next` and the streams */
    enum status worst;
    char why[STATUS_TEXT_BYTES]; /* status_text() of `worst` */
    size_t failed;
};

/* ---- names of files ---- */

/* Adds what -o says for a field. */
static enum status out_add(struct recolour_job *job, const char *pattern, size_t number,
                           size_t fields)
{
    bool quality, overviews;
    char *stem = program_field_stem(job->path);
    struct output_facts facts = {.stem = stem, .number = number + 1, .count = fields};
    enum status status = STATUS_OK;
    if (!stem)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    else if (fields > 1 && !output_is_many(pattern))
        status = status_fail(STATUS_USAGE,
                             "-o %s is one file, but %zu fields were given; -o DIR/ writes "
                             "DIR/NAME.png, and in other names {} stands for NAME",
                             pattern, fields);
    if (status == STATUS_OK && output_is_many(pattern))
        status = output_folder_check(pattern);
    if (status == STATUS_OK)
        status = output_name(pattern, &facts, &job->out[job->out_count]);
    free(stem);
    TRY(status);
    TRY(program_output_kind(job->out[job->out_count++], &quality, &overviews));
    job->quality |= quality;
    job->overviews |= overviews;
    return STATUS_OK;
}

static enum status outs_name(struct recolour_job *job, size_t number,
                             const struct arguments *arguments)
{
    job->arguments = arguments;
    job->out = calloc(arguments->count + 1, sizeof *job->out);
    if (!job->out)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    for (size_t i = 0; i < arguments->count; i++) {
        if (arguments->given[i].option != OPTION_OUTPUT)
            continue;
        if (!*arguments->given[i].text)
            return status_fail(STATUS_USAGE, "-o needs the name of a file");
        TRY(out_add(job, arguments->given[i].text, number, arguments->operand_count));
    }
    if (job->out_count)
        return STATUS_OK;
    return out_add(job, "{}.png", number, arguments->operand_count);
}

/* Files of one field that are the same under two names are refused. */
static enum status out_differs(const struct recolour_job *job, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (atomic_file_same(job->out[i], job->out[number]))
            return status_fail(STATUS_USAGE, "-o %s and -o %s are the same file", job->out[i],
                               job->out[number]);
    return STATUS_OK;
}

/* No two fields, and no two -o, may give the same file. */
static enum status names_check(struct recolour_batch *batch)
{
    size_t count = 0, most = batch->count * batch->job[0].out_count;
    struct output_named *named = calloc(most, sizeof *named);
    enum status status = STATUS_OK;
    if (!named)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    for (size_t i = 0; i < batch->count; i++)
        for (size_t k = 0; k < batch->job[i].out_count; k++) {
            if (status == STATUS_OK)
                status = out_differs(&batch->job[i], k);
            named[count++] = (struct output_named){batch->job[i].out[k], batch->job[i].path};
            batch->to_stdout = batch->to_stdout || atomic_file_is_stdout(batch->job[i].out[k]);
        }
    if (status == STATUS_OK)
        status = output_names_check(named, count);
    free(named);
    return status;
}

static void batch_end(struct recolour_batch *batch)
{
    for (size_t i = 0; batch->job && i < batch->count; i++) {
        for (size_t k = 0; k < batch->job[i].out_count; k++)
            free(batch->job[i].out[k]);
        free(batch->job[i].out);
    }
    free(batch->job);
}

static enum status batch_begin(struct recolour_batch *batch, const struct arguments *arguments)
{
    batch->job = calloc(arguments->operand_count, sizeof *batch->job);
    if (!batch->job)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    batch->count = arguments->operand_count;
    batch->alone = batch->count == 1;
    for (size_t i = 0; i < batch->count; i++) {
        batch->job[i].path = arguments->operands[i];
        TRY(outs_name(&batch->job[i], i, arguments));
    }
    const struct idle_flag flags[] = {
        {OPTION_OUTPUT_QUALITY, !batch->job[0].quality,
         "it is for .jpg, .webp and tiles of a .dzi"},
        {OPTION_OUTPUT_OVERVIEWS, !batch->job[0].overviews, "it is for .tif"},
    };
    TRY(arguments_none_idle(arguments, flags, sizeof flags / sizeof *flags));
    return names_check(batch);
}

/* ---- one field ---- */

static enum status settings_load(void *context, struct config *config, const struct ini *view,
                                 const char *path)
{
    const struct recolour_job *job = context;
    return config_load(config, action_check, job->arguments, view->count ? view : NULL, path);
}

static bool is_flagged(void *context, enum option_key option)
{
    const struct recolour_job *job = context;
    return arguments_has(job->arguments, option);
}

/* Refuses flags without effect. */
static enum status look_check(void *context, const struct look_options *options,
                              const struct formula *formula, bool relief)
{
    const struct recolour_job *job = context;
    TRY(settings_look_flags(options, formula, job->arguments));
    return settings_light_flag(relief, job->arguments);
}

static void notice_print(void *context, const char *sentence)
{
    (void)context;
    message_print(sentence);
}

/* Files get their names one after another: signals are held meanwhile. */
static enum status files_commit(struct atomic_file_set *set)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one_at_a_time);
    enum status status = stop_held_commit(set);
    pthread_mutex_unlock(&one_at_a_time);
    return status;
}

static enum status field_colour(const struct recolour_job *job, int threads)
{
    struct recolour_job mine = *job;
    const bool force = arguments_has(job->arguments, OPTION_FORCE);
    const bool alone = job->arguments->operand_count == 1; /* many may have colours of their own */
    const struct recolour_request request = {.path = job->path,
                                             .out = (const char *const *)job->out,
                                             .out_count = job->out_count,
                                             .overwrite = force ? OVERWRITE_YES : OVERWRITE_NO,
                                             .threads = threads,
                                             .stop = &stop_requested,
                                             .settings = settings_load,
                                             .is_chosen = is_flagged,
                                             .look = alone ? look_check : NULL,
                                             .notice = notice_print,
                                             .commit = files_commit,
                                             .context = &mine};
    return program_recolour(&request);
}

/* ---- all of them ---- */

static void paths_print(const struct recolour_job *job)
{
    for (size_t k = 0; k < job->out_count; k++)
        printf("%s\n", job->out[k]);
    fflush(stdout); /* who waits for one of many sees it */
}

/* What comes of a field: its paths, or a sentence and the worst status so far. */
static void outcome_take(struct recolour_batch *batch, const struct recolour_job *job,
                         enum status status)
{
    pthread_mutex_lock(&batch->lock);
    if (status == STATUS_OK && !batch->to_stdout)
        paths_print(job);
    if (status != STATUS_OK && status != STATUS_STOPPED && !batch->alone)
        message_print(status_text());
    if (status != STATUS_OK) {
        batch->failed++;
        if (status_exit_code(status) >= status_exit_code(batch->worst)) {
            batch->worst = status;
            snprintf(batch->why, sizeof batch->why, "%s", status_text());
        }
    }
    pthread_mutex_unlock(&batch->lock);
}

static const struct recolour_job *next_take(struct recolour_batch *batch)
{
    pthread_mutex_lock(&batch->lock);
    const struct recolour_job *job = batch->next < batch->count && !stop_asked(&stop_requested)
                                         ? &batch->job[batch->next++]
                                         : NULL;
    pthread_mutex_unlock(&batch->lock);
    return job;
}

static void *fields_colour(void *argument)
{
    struct recolour_batch *batch = argument;
    for (const struct recolour_job *job; (job = next_take(batch));)
        outcome_take(batch, job, field_colour(job, batch->threads));
    return NULL;
}

/* Gives all threads to a single field; of many fields each thread colours one at a time. */
static void batch_run(struct recolour_batch *batch, int threads)
{
    size_t workers = batch->count < (size_t)threads ? batch->count : (size_t)threads, others = 0;
    pthread_t *thread = calloc(workers, sizeof *thread);
    batch->threads = threads / (int)workers;
    while (thread && others + 1 < workers &&
           pthread_create(&thread[others], NULL, fields_colour, batch) == 0)
        others++;
    fields_colour(batch);
    for (size_t i = 0; i < others; i++)
        pthread_join(thread[i], NULL);
    free(thread);
}

static enum status batch_outcome(const struct recolour_batch *batch)
{
    if (batch->next < batch->count || batch->worst == STATUS_STOPPED)
        return status_fail(STATUS_STOPPED, "stopped on request; %zu of %zu fields are coloured",
                           batch->next - batch->failed, batch->count);
    if (batch->worst == STATUS_OK)
        return STATUS_OK;
    if (batch->alone)
        return status_fail(batch->worst, "%s", batch->why);
    return status_fail(batch->worst, "%zu of %zu fields could not be coloured%s", batch->failed,
                       batch->count, batch->failed < batch->count ? "; the others are" : "");
}

enum status command_colour(struct invocation *invocation)
{
    struct recolour_batch batch = {.lock = PTHREAD_MUTEX_INITIALIZER};
    int64_t threads = config_integer(&invocation->config, OPTION_COMPUTE_THREADS);
    enum status status = batch_begin(&batch, &invocation->arguments);
    if (status == STATUS_OK) {
        batch_run(&batch, threads ? (int)threads : program_cores());
        status = batch_outcome(&batch);
    }
    batch_end(&batch);
    return status;
}

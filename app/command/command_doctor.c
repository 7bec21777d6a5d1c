/* deepfield doctor: what works here, and what is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/command.h"
#include "app/doctor/gpus.h"
#include "app/doctor/job.h"
#include "app/doctor/job_gpus.h"
#include "app/doctor/machine.h"
#include "app/report/document.h"
#include "render/disk/json.h"

struct examined {
    const struct diagnoses *all; /* [ranks] */
    int ranks;
};

/* A diagnosis that ranks have in common, shown once. */
typedef void shown_call(const struct diagnosis *diagnosis, const bool *ranks, int count,
                        void *context);

/* Has a rank before this one the same? */
static bool was_shown(const struct examined *examined, int rank, const struct diagnosis *diagnosis)
{
    for (int before = 0; before < rank; before++)
        for (int i = 0; i < examined->all[before].count; i++)
            if (diagnosis_same(&examined->all[before].row[i], diagnosis))
                return true;
    return false;
}

static enum status each_show(const struct examined *examined, shown_call *show, void *context)
{
    bool *has = calloc((size_t)examined->ranks, sizeof *has);
    if (!has)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for diagnoses");
    for (int rank = 0; rank < examined->ranks; rank++)
        for (int i = 0; i < examined->all[rank].count; i++) {
            const struct diagnosis *diagnosis = &examined->all[rank].row[i];
            if (was_shown(examined, rank, diagnosis))
                continue;
            for (int other = 0; other < examined->ranks; other++) {
                has[other] = false;
                for (int k = 0; k < examined->all[other].count; k++)
                    has[other] |= diagnosis_same(&examined->all[other].row[k], diagnosis);
            }
            show(diagnosis, has, examined->ranks, context);
        }
    free(has);
    return STATUS_OK;
}

/* ---- for people, for programs ---- */

static void line_print(const struct diagnosis *diagnosis, const bool *ranks, int count, void *wrong)
{
    char which[200], all[32];
    ranges_text(ranks, count, which, sizeof which);
    snprintf(all, sizeof all, "0-%d", count - 1);
    printf("%-5s  %-13s  %s", verdict_name(diagnosis->verdict), diagnosis->subject,
           diagnosis->text);
    if (count > 1 && strcmp(which, all) != 0)
        printf("  [rank%s %s]", strpbrk(which, "-,") ? "s" : "", which);
    putchar('\n');
    if (*diagnosis->remedy)
        printf("%20s-> %s\n", "", diagnosis->remedy);
    *(int *)wrong += diagnosis->verdict == VERDICT_WRONG;
}

struct listed {
    struct json json;
    int wrong;
};

static void row_json(const struct diagnosis *diagnosis, const bool *ranks, int count, void *context)
{
    struct listed *listed = context;
    struct json *json = &listed->json;
    json_open(json, NULL, '{');
    json_text(json, "verdict", verdict_name(diagnosis->verdict));
    json_text(json, "subject", diagnosis->subject);
    json_text(json, "text", diagnosis->text);
    json_text(json, "remedy", *diagnosis->remedy ? diagnosis->remedy : NULL);
    json_open(json, "ranks", '[');
    for (int rank = 0; rank < count; rank++)
        if (ranks[rank])
            json_integer(json, NULL, rank);
    json_close(json);
    json_close(json);
    listed->wrong += diagnosis->verdict == VERDICT_WRONG;
}

static enum status all_json(const struct examined *examined, int *wrong)
{
    struct listed listed = {.json = {.stream = stdout}};
    json_begin(&listed.json, "doctor/1");
    json_integer(&listed.json, "ranks", examined->ranks);
    json_open(&listed.json, "findings", '[');
    TRY(each_show(examined, row_json, &listed));
    json_close(&listed.json);
    json_integer(&listed.json, "wrong", listed.wrong);
    *wrong = listed.wrong;
    return document_end(&listed.json);
}

static enum status diagnoses_show(const struct examined *examined, bool as_json)
{
    int wrong = 0;
    TRY(as_json ? all_json(examined, &wrong) : each_show(examined, line_print, &wrong));
    return wrong
               ? status_fail(STATUS_CONFIG, "%d thing%s wrong here; the lines above say what to do",
                             wrong, wrong > 1 ? "s are" : " is")
               : STATUS_OK;
}

enum status command_doctor(struct invocation *invocation)
{
    struct world *world = invocation->world;
    struct diagnoses mine = {0}, *all = NULL;
    job_examine(&mine, world);
    machine_examine(&mine, job_ranks_here(world));
    gpus_examine(&mine);
    job_gpus_examine(&mine, world);
    struct examined examined = {.ranks = 0};
    enum status status = job_gather(world, &mine, &all, &examined.ranks);
    examined.all = all;
    if (status == STATUS_OK && all)
        status = diagnoses_show(&examined, arguments_has(&invocation->arguments, OPTION_JSON));
    free(all);
    return status;
}

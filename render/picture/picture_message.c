#include "render/picture/picture_message.h"

#include <stdio.h>

#include "render/colour/samples.h"
#include "render/picture/estimate_windows.h"
#include "render/picture/picture_plan.h"
#include "render/picture/region.h"

/* To the hooks: why rank 0 writes alone though all ranks were asked to. */
static void writers_refused(const struct plan *plan, const struct picture *picture,
                            const struct view_numbers *view, const struct picture_hooks *hooks)
{
    char text[STATUS_TEXT_BYTES];
    if (hooks->notice && plan_writers_refusal(plan, picture, view, text, sizeof text))
        hooks->notice(hooks->context, text);
}

/* Several ranks write only where the consumer has files that they can write to. */
static enum status writers_settle(struct picture_message *message, const struct picture *picture,
                                  const struct picture_hooks *hooks)
{
    const struct picture_consumer *consumer = hooks->consumer;
    if (message->plan.writers == 0 || (consumer && consumer->parts))
        return STATUS_OK;
    if (picture->writers == WRITERS_ALL)
        return status_fail(STATUS_CONFIG,
                           "several ranks write files of one folder, with a journal: name such "
                           "files, and no [output] journal = 0, or take --writers auto");
    message->plan.writers = 0;
    return STATUS_OK;
}

/* Rows and tiles that an interrupted run has left, and the subgrid that the look wants. */
static void scope_of_consumer(struct picture_message *message, const struct picture_hooks *hooks)
{
    const struct picture_consumer *consumer = hooks->consumer;
    if (consumer) {
        if (consumer->rows_before > 0)
            message->scope.rows_before = consumer->rows_before + message->scope.crop.y;
        message->scope.restores = consumer->restore != NULL;
    }
    message->scope.subgrid =
        hooks->wants_subgrid &&
        (message->plan.strip_rows < message->view.height || region_is_part(&message->view));
}

/* Windows instead of the picture. */
static void scope_of_windows(struct picture_message *message, const struct picture_hooks *hooks)
{
    if (!hooks->estimate)
        return;
    message->scope.window_px = hooks->estimate->side;
    message->plan.strip_rows = message->view.height;
    message->plan.halo_rows = message->plan.writers = 0;
    message->plan.predicts_cost = false;
    message->scope.rows_before = message->scope.hole.width = 0;
    message->scope.restores = message->scope.subgrid = false;
}

enum status picture_message_make(struct picture_message *message, const struct renderer *renderer,
                                 const struct picture *picture, const struct picture_hooks *hooks,
                                 struct plan *plan)
{
    struct view_numbers view;
    struct renderer_facts facts = renderer_info(renderer)->facts;
    facts.devices = renderer_active(renderer);
    facts.gpus = facts.gpus < facts.devices ? facts.gpus : facts.devices;
    TRY(picture_plan(picture, &facts, hooks->stop, &view, plan));
    plan->predicts_cost =
        plan->predicts_cost && renderer_active(renderer) == renderer_info(renderer)->facts.devices;
    TRY(picture_admit(plan));
    *message = (struct picture_message){
        .view = view,
        .spec = picture_spec(picture, plan),
        .plan = *plan,
        .request = {.accuracy_px = plan->accuracy_px,
                    .blocks = picture->blocks,
                    .threads = picture->threads},
        .scope = {.samples = picture->samples, .light_alone = picture->light_alone}};
    message->plan.why = (struct plan_reasons){.forecast = NULL};
    snprintf(message->transport, sizeof message->transport, "%s", picture->transport);
    message->scope.crop = region_wanted(picture);
    message->scope.crop.x -= view.x;
    message->scope.crop.y -= view.y;
    if (picture->samples == 1 && plan->strip_rows == view.height)
        message->scope.hole = picture->hole;
    scope_of_consumer(message, hooks);
    writers_refused(plan, picture, &view, hooks);
    scope_of_windows(message, hooks);
    return writers_settle(message, picture, hooks);
}

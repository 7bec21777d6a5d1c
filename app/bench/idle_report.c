#include "app/bench/idle_report.h"

#include "app/process/message.h"

void idle_report(const struct invocation *invocation, const struct idle *idle)
{
    const struct config *config = &invocation->config;
    char text[IDLE_TEXT_BYTES];
    if (config_boolean(config, OPTION_OUTPUT_QUIET))
        return;
    if (idle_cores_text(idle, text))
        message_print(text);
    if (!config_was_set(config, OPTION_COMPUTE_BACKEND) && idle_gpus_text(idle, text))
        message_print(text);
}

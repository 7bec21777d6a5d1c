#include "app/command/view_tls.h"

static bool is_used(const struct config *config)
{
    return config_integer(config, OPTION_VIEWER_SERVE_PORT) > 0 ||
           config_integer(config, OPTION_STAND_STATUS_PORT) > 0;
}

/* NULL: it is not set. */
static const char *path_of(const struct config *config, enum option_key option)
{
    const char *path = config_text_or_null(config, option);
    return path && *path ? path : NULL;
}

struct tls_files view_tls_files(const struct config *config)
{
    if (!is_used(config))
        return (struct tls_files){.certificate = NULL};
    return (struct tls_files){.certificate = path_of(config, OPTION_VIEWER_SERVE_CERTIFICATE),
                              .key = path_of(config, OPTION_VIEWER_SERVE_KEY)};
}

enum status view_tls_check(const struct invocation *invocation)
{
    bool idle = !is_used(&invocation->config);
    const struct idle_flag flags[] = {
        {OPTION_VIEWER_SERVE_CERTIFICATE, idle, "it is for --serve and --status-port"},
        {OPTION_VIEWER_SERVE_KEY, idle, "it is for --serve and --status-port"}};
    const struct tls_files files = view_tls_files(&invocation->config);
    TRY(arguments_none_idle(&invocation->arguments, flags, sizeof flags / sizeof *flags));
    return tls_check(&files);
}

#include "render/live/live_parts.h"

enum status live_serve(struct live *live)
{
    return session_serve(live->session);
}

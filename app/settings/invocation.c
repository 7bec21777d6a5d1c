#include "app/settings/invocation.h"

#include <stddef.h>
#include <stdlib.h>

void invocation_names_free(struct invocation *invocation)
{
    free(invocation->paths);
    free(invocation->default_path);
    invocation->paths = NULL;
    invocation->default_path = NULL;
}

#include "app/settings/invocation.h"

#include <stddef.h>
#include <stdlib.h>

void invocation_names_free(struct invocation *invocation)
{
    free(invocation->default_path);
    free(invocation->part_path);
    invocation->default_path = invocation->part_path = NULL;
}

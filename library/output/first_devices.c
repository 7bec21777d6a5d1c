#include "library/output/first_devices.h"

#include "library/settings/settings_description.h"

enum status first_devices_choose(struct cores_choice *choice, struct renderer_options *options,
                                 struct world *world, const struct config *config,
                                 void (*few)(void), const volatile int *stop)
{
    struct picture picture;
    enum status status = STATUS_OK;
    bool known = settings_picture(config, &picture) == STATUS_OK &&
                 settings_region(config, &picture) == STATUS_OK;
    picture.samples = settings_samples(config);
    if (known && cores_choice_small(&picture) && few)
        few();
    if (known && cores_choice_due(options, world, &picture))
        status = cores_choose(choice, world, options, &picture, stop);
    if (choice->cores)
        options->backend = "cpu";
    view_destroy(&picture.view);
    return status;
}

#include "render/window/tone.h"

#include <math.h>
#include <stdlib.h>

#include "render/window/sdl.h"

enum { TONE_BLOCK = 1024 }; /* samples at once: 23 ms */

struct tone {
    SDL_AudioDeviceID device; /* 0: none */
    struct tone_wave wave;    /* state of the device's thread, with its lock */
};

static void SDLCALL samples_want(void *context, Uint8 *stream, int bytes)
{
    struct tone *tone = context;
    tone_wave_fill(&tone->wave, (float *)(void *)stream, bytes / (int)sizeof(float));
}

enum status tone_open(struct tone **tone)
{
    struct tone *made = *tone = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for sound");
    SDL_AudioSpec wanted = {.freq = TONE_RATE,
                            .format = AUDIO_F32SYS,
                            .channels = 1,
                            .samples = TONE_BLOCK,
                            .callback = samples_want,
                            .userdata = made};
    if (sdl.InitSubSystem(SDL_INIT_AUDIO) == 0)
        made->device = sdl.OpenAudioDevice(NULL, 0, &wanted, NULL, 0);
    if (!made->device) {
        enum status status = status_fail(STATUS_NO_DEVICE, "there is no sound: %s", sdl.GetError());
        tone_close(made);
        *tone = NULL;
        return status;
    }
    sdl.PauseAudioDevice(made->device, 0);
    return STATUS_OK;
}

void tone_close(struct tone *tone)
{
    if (!tone)
        return;
    if (tone->device)
        sdl.CloseAudioDevice(tone->device);
    free(tone);
}

void tone_set(struct tone *tone, double pitch, double loudness)
{
    sdl.LockAudioDevice(tone->device);
    tone->wave.pitch = isfinite(pitch) ? pitch : 0;
    tone->wave.loudness = fmin(fmax(loudness, 0), 1);
    sdl.UnlockAudioDevice(tone->device);
}

/* SDL2 and SDL2_ttf, found when the first window is opened and not when the program starts.
 *
 * They and their forty dependencies take 8 ms to load, which every rank and every command without a
 * window would pay, and a program linked with them does not start on a machine without them, as
 * cluster nodes are. So functions are called as sdl.CreateWindow(...) and ttf.OpenFont(...). */
#ifndef RENDER_WINDOW_SDL_H
#define RENDER_WINDOW_SDL_H

#include <SDL.h>
#define SDL_PROTOTYPES_ONLY /* else it includes headers of X11 */
#include <SDL_syswm.h>
#include <SDL_ttf.h>

#include "kernels/status.h"

#define SDL_FUNCTIONS(ROW)           \
    ROW(CloseAudioDevice)            \
    ROW(CreateRenderer)              \
    ROW(CreateTexture)               \
    ROW(CreateWindow)                \
    ROW(DestroyRenderer)             \
    ROW(DestroyTexture)              \
    ROW(DestroyWindow)               \
    ROW(EventState)                  \
    ROW(FreeSurface)                 \
    ROW(GL_GetCurrentContext)        \
    ROW(GL_GetProcAddress)           \
    ROW(GameControllerClose)         \
    ROW(GameControllerOpen)          \
    ROW(GetClipboardText)            \
    ROW(GetCurrentVideoDriver)       \
    ROW(GetDisplayBounds)            \
    ROW(GetDisplayDPI)               \
    ROW(GetDisplayName)              \
    ROW(GetError)                    \
    ROW(GetHint)                     \
    ROW(GetModState)                 \
    ROW(GetMouseState)               \
    ROW(GetNumVideoDisplays)         \
    ROW(GetRendererInfo)             \
    ROW(GetRendererOutputSize)       \
    ROW(GetTicks)                    \
    ROW(GetWindowDisplayIndex)       \
    ROW(GetWindowFlags)              \
    ROW(GetWindowPosition)           \
    ROW(GetWindowSize)               \
    ROW(GetWindowSurface)            \
    ROW(GetWindowWMInfo)             \
    ROW(HasClipboardText)            \
    ROW(InitSubSystem)               \
    ROW(JoystickGetDeviceInstanceID) \
    ROW(LockAudioDevice)             \
    ROW(OpenAudioDevice)             \
    ROW(PauseAudioDevice)            \
    ROW(PollEvent)                   \
    ROW(PushEvent)                   \
    ROW(Quit)                        \
    ROW(QuitSubSystem)               \
    ROW(RenderCopy)                  \
    ROW(RenderPresent)               \
    ROW(RenderReadPixels)            \
    ROW(SetClipboardText)            \
    ROW(SetHint)                     \
    ROW(SetHintWithPriority)         \
    ROW(SetMainReady)                \
    ROW(SetTextureBlendMode)         \
    ROW(SetTextureScaleMode)         \
    ROW(SetWindowAlwaysOnTop)        \
    ROW(SetWindowFullscreen)         \
    ROW(SetWindowKeyboardGrab)       \
    ROW(SetWindowMinimumSize)        \
    ROW(SetWindowPosition)           \
    ROW(SetWindowSize)               \
    ROW(ShowCursor)                  \
    ROW(StartTextInput)              \
    ROW(StopTextInput)               \
    ROW(UnlockAudioDevice)           \
    ROW(UpdateTexture)               \
    ROW(UpdateWindowSurfaceRects)    \
    ROW(WaitEventTimeout)            \
    ROW(free)

#define TTF_FUNCTIONS(ROW)     \
    ROW(CloseFont)             \
    ROW(FontLineSkip)          \
    ROW(GlyphMetrics32)        \
    ROW(Init)                  \
    ROW(OpenFont)              \
    ROW(Quit)                  \
    ROW(RenderGlyph32_Blended) \
    ROW(SetFontHinting)        \
    ROW(SetFontSize)

struct sdl {
#define SDL_MEMBER(name) __typeof__(SDL_##name) *name;
    SDL_FUNCTIONS(SDL_MEMBER)
};

struct ttf {
#define TTF_MEMBER(name) __typeof__(TTF_##name) *name;
    TTF_FUNCTIONS(TTF_MEMBER)
};

extern struct sdl sdl;
extern struct ttf ttf;

/* Loads both. STATUS_NO_DEVICE if one is not installed or too old, with the package. Any thread. */
enum status sdl_load(void);

#endif

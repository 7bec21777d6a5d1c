#include "app/serve/session_stand.h"

#include "app/viewer/kiosk/kiosk.h"
#include "app/viewer/kiosk/kiosk_buttons.h"
#include "app/viewer/overlays/strings.h"

static void button_add(struct json *json, const struct remote_stand *stand, int button)
{
    enum language language = (enum language)stand->language;
    const char *sign = kiosk_button_sign((enum kiosk_button)button, stand->flies);
    json_open(json, NULL, '{');
    json_integer(json, "number", button);
    json_boolean(json, "second", button >= KIOSK_ROW);
    json_text(json, "sign", *sign ? sign : language_codes[language]);
    json_text(json, "label", string_in(kiosk_button_label((enum kiosk_button)button), language));
    if (button == KIOSK_BUTTON_MORE)
        json_boolean(json, "pressed", stand->more);
    if (button == KIOSK_BUTTON_RANKS)
        json_boolean(json, "pressed", stand->ranks_shown);
    json_close(json);
}

static void code_add(struct json *json, const struct remote_stand *stand)
{
    static const enum string texts[] = {STRING_STAND_CODE, STRING_STAND_CODE_SHARED};
    char modules[REMOTE_CODE_SIDE * REMOTE_CODE_SIDE + 1];
    int count = stand->code_side * stand->code_side;
    if (!stand->code_side)
        return;
    for (int i = 0; i < count; i++)
        modules[i] = stand->code[i] ? '1' : '0';
    modules[count] = '\0';
    json_open(json, "code", '{');
    json_integer(json, "side", stand->code_side);
    json_text(json, "modules", modules);
    json_text(json, "text", string_in(texts[stand->shared], (enum language)stand->language));
    json_close(json);
}

static void staff_add(struct json *json, const struct remote_stand *stand)
{
    json_open(json, "staff", '{');
    json_count(json, "visitors", stand->visitors);
    json_integer(json, "alarms", stand->alarms);
    json_text(json, "alarm", stand->alarm);
    json_close(json);
}

void session_stand_add(struct json *json, const struct remote_stand *stand, bool staff)
{
    static const char *const stages[] = {
        [KIOSK_VISITOR] = "visitor", [KIOSK_COUNTDOWN] = "countdown", [KIOSK_ATTRACT] = "attract"};
    enum language language = (enum language)stand->language;
    json_open(json, "stand", '{');
    json_text(json, "stage", stages[stand->stage]);
    json_integer(json, "seconds", stand->seconds);
    json_text(json, "language", language_codes[language]);
    json_boolean(json, "more", stand->more);
    json_boolean(json, "ranks", stand->ranks_shown);
    json_text(json, "title", stand->title ? string_in(STRING_STAND_TITLE, language) : "");
    json_text(json, "sentence", stand->sentence);
    json_text(json, "caption", stand->caption);
    json_text(json, "notice", stand->notice);
    if (stand->hand) {
        json_open(json, "hand", '{');
        json_real(json, "x", stand->hand_x);
        json_real(json, "y", stand->hand_y);
        json_close(json);
    }
    json_open(json, "buttons", '[');
    for (int i = 0; i < REMOTE_BUTTONS; i++)
        if (stand->buttons[i])
            button_add(json, stand, i);
    json_close(json);
    code_add(json, stand);
    if (staff)
        staff_add(json, stand);
    json_close(json);
}

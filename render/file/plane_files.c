#include "render/file/plane_files.h"

const struct plane_values plane_values[PLANES] = {
    [PLANE_COUNT] = {"1 to the limit", "0"},
    [PLANE_FRACTION] = {"in [0, 1)", "0"},
    [PLANE_DISTANCE_X] = {"away from the set, positive to the right", "0"},
    [PLANE_DISTANCE_Y] = {"away from the set, positive down", "0"},
    [PLANE_PHASE] = {"in [0, 1), counter-clockwise", "0"},
    [PLANE_STRIPE] = {"in [0, 1]", "0"},
    [PLANE_TRIANGLE] = {"in [0, 1]", "0"},
    [PLANE_TRAP_POINT] = {"not negative", "0"},
    [PLANE_TRAP_CROSS] = {"not negative", "0"},
    [PLANE_TRAP_CIRCLE] = {"not negative", "0"},
    [PLANE_PERIOD] = {"0", "whole, positive; 0: not found"},
    [PLANE_INSIDE] = {"0", "positive; 0 where period is 0"},
};

#include "model/step.h"

static const char *const names[STEP_NAME_COUNT] = {
    [STEP_NAME_WS] = "WS", [STEP_NAME_SO] = "SO", [STEP_NAME_C] = "C",   [STEP_NAME_N] = "N", [STEP_NAME_WO] = "WO",
    [STEP_NAME_W] = "W",   [STEP_NAME_A] = "A",   [STEP_NAME_WK] = "WK", [STEP_NAME_K] = "K",
    [STEP_NAME_O] = "O",   [STEP_NAME_WP] = "WP", [STEP_NAME_T] = "T",   [STEP_NAME_E] = "E", [STEP_NAME_WE] = "WE",
    [STEP_NAME_B] = "B",
};

const char *step_name_string(uint32_t name)
{
    return name < STEP_NAME_COUNT ? names[name] : "?";
}

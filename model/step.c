#include "model/step.h"

static const char *const names[STEP_NAME_COUNT] = {
    [STEP_NAME_WS] = "WS", [STEP_NAME_SO] = "SO", [STEP_NAME_C] = "C",   [STEP_NAME_N] = "N", [STEP_NAME_WO] = "WO",
    [STEP_NAME_W] = "W",   [STEP_NAME_A] = "A",   [STEP_NAME_WK] = "WK", [STEP_NAME_K] = "K",
};

const char *step_name_string(uint32_t name)
{
    return name < STEP_NAME_COUNT ? names[name] : "?";
}

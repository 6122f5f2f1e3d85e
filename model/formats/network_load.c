#include "model/formats/network_load.h"

#include "model/formats/network_presets.h"
#include "model/formats/network_yaml.h"
#include "model/formats/text_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_word(const char *spec, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(spec, name, length) == 0;
}

static int preset_find(const char *spec, size_t length, struct network *out)
{
    for (const struct network *preset = network_presets; *preset->name; preset++)
        if (is_word(spec, length, preset->name)) {
            *out = *preset;
            return 1;
        }
    return 0;
}

static int name_unknown(const char *spec, char *reason, size_t reason_bytes)
{
    char names[160] = "";
    for (const struct network *preset = network_presets; *preset->name; preset++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, ", %s", preset->name);
    }
    snprintf(reason, reason_bytes,
             "unknown network '%s': use loggp:L=2500ns,o=1500ns,g=1000ns,G=6ns, switch:...%s or a network file", spec, names);
    return -ENOENT;
}

static int file_load(const char *path, struct network *out, char *reason, size_t reason_bytes)
{
    char *text;
    size_t bytes;
    int err = text_file_read(path, &text, &bytes, reason, reason_bytes);
    if (err)
        return err;
    err = network_yaml_parse(path, text, bytes, out, reason, reason_bytes);
    free(text);
    if (!err && !out->name[0])
        snprintf(out->name, sizeof out->name, "%.*s", NODE_NAME_BYTES - 1, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    return err;
}

static int layer_choose(struct network *network, const char *layer, char *reason, size_t reason_bytes)
{
    char names[NETWORK_LAYERS_MAX * sizeof network->layer->name + 1] = "";
    if (!network_layer_apply(network, layer))
        return 0;
    for (uint32_t i = 0; i < network->layers; i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", network->layer[i].name);
    }
    if (network->layers)
        snprintf(reason, reason_bytes, "network %s has no layer '%s': use %s", network->name, layer, names);
    else
        snprintf(reason, reason_bytes, "network %s has no layers: leave out ':%s'", network->name, layer);
    return -EINVAL;
}

int network_load(const char *spec, struct network *out, char *reason, size_t reason_bytes)
{
    struct network network;
    size_t first = strcspn(spec, ":");
    char path[PATH_MAX];
    if (is_word(spec, first, "loggp") || is_word(spec, first, "switch"))
        return network_parse(spec, out, reason, reason_bytes);
    const char *layer = strrchr(spec, ':');
    int err = 0;
    if (access(spec, F_OK) == 0)
        layer = NULL; /* a file whose name has a colon */
    snprintf(path, sizeof path, "%.*s", layer ? (int)(layer - spec) : (int)strlen(spec), spec);
    if (!preset_find(path, strlen(path), &network)) {
        if (!strpbrk(path, "/.") && access(path, F_OK))
            return name_unknown(spec, reason, reason_bytes);
        err = file_load(path, &network, reason, reason_bytes);
    }
    if (!err && layer)
        err = layer_choose(&network, layer + 1, reason, reason_bytes);
    if (!err)
        *out = network;
    return err;
}

#include "model/formats/node_load.h"

#include "model/formats/node_hwloc.h"
#include "model/formats/node_yaml.h"
#include "model/formats/presets.h"
#include "model/formats/text_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* XML begins with '<', which begins no node file. */
static int text_is_xml(const char *text)
{
    if (!strncmp(text, "\xef\xbb\xbf", 3))
        text += 3;
    while (isspace((unsigned char)*text))
        text++;
    return *text == '<';
}

static int file_load(const char *path, struct node *out, char *reason, size_t reason_bytes)
{
    char *text;
    size_t bytes;
    int err = text_file_read(path, &text, &bytes, reason, reason_bytes);
    if (err)
        return err;
    err = text_is_xml(text) ? node_hwloc_xml(path, text, bytes, out, reason, reason_bytes)
                            : node_yaml_parse(path, text, bytes, out, reason, reason_bytes);
    free(text);
    return err;
}

/* A word without a slash or a dot was hardly meant as a path. */
static int name_unknown(const char *spec, char *reason, size_t reason_bytes)
{
    char names[256] = "";
    for (size_t i = 0; i < preset_count(); i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, ", %s", preset_name(i));
    }
    snprintf(reason, reason_bytes, "%s: no such node or file; try host%s, synthetic:DESC, or a node or XML file", spec, names);
    return -ENOENT;
}

int node_load(const char *spec, struct node *out, char *reason, size_t reason_bytes)
{
    static const char synthetic[] = "synthetic:";
    if (!strcmp(spec, "host"))
        return node_hwloc_host(out, reason, reason_bytes);
    if (!strncmp(spec, synthetic, sizeof synthetic - 1))
        return node_hwloc_synthetic(spec + sizeof synthetic - 1, out, reason, reason_bytes);
    int err = preset_create(spec, out);
    if (err == -ENOMEM)
        snprintf(reason, reason_bytes, "%s: out of memory", spec);
    if (err != -ENOENT)
        return err;
    if (!strpbrk(spec, "/.") && access(spec, F_OK))
        return name_unknown(spec, reason, reason_bytes);
    return file_load(spec, out, reason, reason_bytes);
}

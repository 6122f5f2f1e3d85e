/* Quantities in a node file: a bare number, null, or {value: 52.3, low: 50, high: 55, source: "measured"}. */
#ifndef SHMCOLL_MODEL_FORMATS_QUANTITY_YAML_H
#define SHMCOLL_MODEL_FORMATS_QUANTITY_YAML_H

#include "model/formats/node_fields.h"
#include "model/formats/yaml_text.h"

#include <stdio.h>

/* Where a number without a source is from. */
#define QUANTITY_SOURCE_DEFAULT "node file"

/* Reads within the field's range. 0, or -EINVAL as yaml_text_fail. */
int quantity_yaml_read(const struct yaml_text *yaml, const struct node_field *field, const yaml_node_t *node,
                       struct quantity *out);
/* Reads a mapping of quantities into the struct at `base`. */
int quantity_yaml_read_group(const struct yaml_text *yaml, const struct node_field *field, const yaml_node_t *node,
                             const struct quantity_key *keys, size_t count, void *base);

void quantity_yaml_write(FILE *out, const struct quantity *q);
/* What a reader takes for granted, so that it need not be written. */
int quantity_yaml_is_default(const struct quantity *q);
/* The shortest decimal that reads back as the same double; null for NAN. */
void quantity_yaml_write_number(FILE *out, double value);
/* In double quotes, with escapes. */
void quantity_yaml_write_text(FILE *out, const char *text);

#endif

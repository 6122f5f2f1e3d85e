/* Inside the reader of node files: one function for each kind of field that is more than a number. */
#ifndef SHMCOLL_MODEL_FORMATS_NODE_READER_H
#define SHMCOLL_MODEL_FORMATS_NODE_READER_H

#include "model/formats/node_fields.h"
#include "model/formats/yaml_text.h"

struct node_reader {
    struct yaml_text yaml;
    struct node node; /* being filled; its counts and arrays are there before any field is read */
};

/* Each 0, -ENOMEM, or -EINVAL as yaml_text_fail. */
int node_reader_list(struct node_reader *r, const struct node_field *field, const yaml_node_t *node);
int node_reader_distance(struct node_reader *r, const struct node_field *field, const yaml_node_t *node);
int node_reader_pairs(struct node_reader *r, const struct node_field *field, const yaml_node_t *node);
int node_reader_copy(struct node_reader *r, const struct node_field *field, const yaml_node_t *node);
int node_reader_copy_points(struct node_reader *r, const struct node_field *field, const yaml_node_t *node);
int node_reader_bandwidth(struct node_reader *r, const struct node_field *field, const yaml_node_t *node);

/* The array a field of struct node points to. */
void *node_reader_array(struct node_reader *r, const struct node_field *field);

#endif

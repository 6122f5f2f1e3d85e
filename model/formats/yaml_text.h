/* A YAML document read by a schema, where every complaint names its line and column.
 *
 * libyaml's documents keep the mark of every node; these helpers turn a node into a value or into one line
 * "PATH:LINE:COL: what, what to try". A yaml_text belongs to one thread; it borrows path and reason. */
#ifndef SHMCOLL_MODEL_FORMATS_YAML_TEXT_H
#define SHMCOLL_MODEL_FORMATS_YAML_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

/* A document's nodes take some hundred bytes for two of text, hence below the cap on files. */
enum { YAML_TEXT_MAX_BYTES = 4 << 20 };

struct yaml_text {
    yaml_document_t document;
    yaml_node_t *root;
    const char *path;
    char *reason;
    size_t reason_bytes;
};

/* Parses one document with something in it. 0; -EINVAL, -EFBIG or -ENOMEM with a line in reason. */
int yaml_text_open(const char *path, const char *text, size_t bytes, char *reason, size_t reason_bytes, struct yaml_text *out);
void yaml_text_close(struct yaml_text *t);

/* Puts the line for a fault at `at` into reason; returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int yaml_text_fail(const struct yaml_text *t, const yaml_node_t *at, const char *format,
                                                         ...);

/* Each 0, or -EINVAL as yaml_text_fail; `out` set on success only. */
int yaml_text_number(const struct yaml_text *t, const yaml_node_t *node, double min, double max, double *out);
/* A whole number, with K, M or G (1024) if `suffix`. */
int yaml_text_whole(const struct yaml_text *t, const yaml_node_t *node, uint64_t min, uint64_t max, int suffix, uint64_t *out);
int yaml_text_string(const struct yaml_text *t, const yaml_node_t *node, char *out, size_t out_bytes);
int yaml_text_flag(const struct yaml_text *t, const yaml_node_t *node, int *out);
/* null, ~ or nothing. */
int yaml_text_is_null(const yaml_node_t *node);

/* Walks a mapping in file order; refuses keys that are not among names[count] and keys given twice.
 * `take` gets the position of the key in names; the first non-zero return of it ends the walk. */
typedef int yaml_text_take(void *context, size_t key, const yaml_node_t *value);
int yaml_text_mapping(const struct yaml_text *t, const yaml_node_t *node, const char *const *names, size_t count,
                      yaml_text_take *take, void *context);
/* The value of a key of a mapping, NULL if absent (or no mapping). */
const yaml_node_t *yaml_text_find(const struct yaml_text *t, const yaml_node_t *node, const char *name);

/* Number of items; fails unless a sequence. */
int yaml_text_sequence(const struct yaml_text *t, const yaml_node_t *node, size_t *count);
const yaml_node_t *yaml_text_item(const struct yaml_text *t, const yaml_node_t *sequence, size_t i);

#endif

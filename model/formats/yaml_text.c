#include "model/formats/yaml_text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static yaml_node_t *node_at(const struct yaml_text *t, int index)
{
    return yaml_document_get_node((yaml_document_t *)&t->document, index);
}

/* What a file holds may end up in a message: keep that on one line, and free of a terminal's control codes. */
static void line_clean(char *line)
{
    for (; *line; line++)
        if ((unsigned char)*line < 0x20 || *line == 0x7f)
            *line = '?';
}

int yaml_text_fail(const struct yaml_text *t, const yaml_node_t *at, const char *format, ...)
{
    int length =
        snprintf(t->reason, t->reason_bytes, "%s:%zu:%zu: ", t->path, at->start_mark.line + 1, at->start_mark.column + 1);
    va_list arguments;
    va_start(arguments, format);
    if (length >= 0 && (size_t)length < t->reason_bytes)
        vsnprintf(t->reason + length, t->reason_bytes - (size_t)length, format, arguments);
    va_end(arguments);
    if (t->reason_bytes)
        line_clean(t->reason);
    return -EINVAL;
}

/* libyaml knows only the offset of a byte that is no UTF-8. */
static yaml_mark_t mark_of_offset(const char *text, size_t offset)
{
    yaml_mark_t mark = {0};
    for (size_t i = 0; i < offset; i++) {
        mark.column = text[i] == '\n' ? 0 : mark.column + 1;
        mark.line += text[i] == '\n';
    }
    return mark;
}

static int syntax_failed(const yaml_parser_t *parser, const char *path, const char *text, size_t bytes, char *reason,
                         size_t reason_bytes)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        snprintf(reason, reason_bytes, "%s: out of memory", path);
        return -ENOMEM;
    }
    int encoding = parser->error == YAML_READER_ERROR;
    size_t offset = parser->problem_offset < bytes ? parser->problem_offset : bytes;
    yaml_mark_t mark = encoding ? mark_of_offset(text, offset) : parser->problem_mark;
    snprintf(reason, reason_bytes, "%s:%zu:%zu: %s%s%s, %s", path, mark.line + 1, mark.column + 1,
             parser->problem ? parser->problem : "not YAML", parser->context ? " " : "", parser->context ? parser->context : "",
             encoding ? "save it as UTF-8" : "check indentation, quotes and brackets here");
    if (reason_bytes)
        line_clean(reason);
    return -EINVAL;
}

/* What follows the first document must be the end. */
static int end_check(yaml_parser_t *parser, const struct yaml_text *t, const char *text, size_t bytes)
{
    yaml_document_t next;
    if (!yaml_parser_load(parser, &next))
        return syntax_failed(parser, t->path, text, bytes, t->reason, t->reason_bytes);
    yaml_node_t *root = yaml_document_get_root_node(&next);
    int err = root ? yaml_text_fail(t, root, "a second document, keep one a file") : 0;
    yaml_document_delete(&next);
    return err;
}

static int document_load(yaml_parser_t *parser, const char *text, size_t bytes, struct yaml_text *t)
{
    if (!yaml_parser_load(parser, &t->document))
        return syntax_failed(parser, t->path, text, bytes, t->reason, t->reason_bytes);
    t->root = yaml_document_get_root_node(&t->document);
    int err = t->root ? end_check(parser, t, text, bytes) : -EINVAL;
    if (!t->root)
        snprintf(t->reason, t->reason_bytes, "%s:1:1: nothing in it; calibrate -o writes a node file, topo --network a network's",
                 t->path);
    if (err)
        yaml_document_delete(&t->document);
    return err;
}

static int event_depth(yaml_event_type_t type)
{
    int opens = type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
    int closes = type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
    return opens - closes;
}

/* No file of ours nests deeply, and libyaml takes quadratic time and more for those that do. */
static int depth_check(yaml_parser_t *parser, const char *text, size_t bytes, struct yaml_text *t)
{
    enum { DEPTH_MAX = 32 };
    yaml_event_type_t type = YAML_NO_EVENT;
    for (int depth = 0; type != YAML_STREAM_END_EVENT;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return syntax_failed(parser, t->path, text, bytes, t->reason, t->reason_bytes);
        yaml_node_t at = {.start_mark = event.start_mark};
        type = event.type;
        yaml_event_delete(&event);
        depth += event_depth(type);
        if (depth > DEPTH_MAX)
            return yaml_text_fail(t, &at, "nested deeper than %d levels, close a bracket before", DEPTH_MAX);
    }
    return 0;
}

/* One pass over the text with a parser of its own. */
typedef int parser_pass(yaml_parser_t *parser, const char *text, size_t bytes, struct yaml_text *t);

static int pass_run(parser_pass *pass, const char *text, size_t bytes, struct yaml_text *t)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        snprintf(t->reason, t->reason_bytes, "%s: out of memory", t->path);
        return -ENOMEM;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, bytes);
    int err = pass(&parser, text, bytes, t);
    yaml_parser_delete(&parser);
    return err;
}

int yaml_text_open(const char *path, const char *text, size_t bytes, char *reason, size_t reason_bytes, struct yaml_text *out)
{
    struct yaml_text t = {.path = path, .reason = reason, .reason_bytes = reason_bytes};
    if (bytes > YAML_TEXT_MAX_BYTES) {
        snprintf(reason, reason_bytes, "%s: larger than %d MiB, which no node file is; is it the right file?", path,
                 YAML_TEXT_MAX_BYTES >> 20);
        return -EFBIG;
    }
    int err = pass_run(depth_check, text, bytes, &t);
    if (!err)
        err = pass_run(document_load, text, bytes, &t);
    if (!err)
        *out = t;
    return err;
}

void yaml_text_close(struct yaml_text *t)
{
    yaml_document_delete(&t->document);
}

static const char *scalar_text(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

static int is_plain(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

int yaml_text_is_null(const yaml_node_t *node)
{
    if (!is_plain(node))
        return 0;
    const char *text = scalar_text(node);
    return !*text || !strcmp(text, "~") || !strcmp(text, "null");
}

/* What a node is, for "expected ..., found ...". */
static const char *kind_of(const yaml_node_t *node)
{
    if (node->type == YAML_MAPPING_NODE)
        return "a mapping";
    if (node->type == YAML_SEQUENCE_NODE)
        return "a list";
    if (yaml_text_is_null(node))
        return "nothing";
    return is_plain(node) ? scalar_text(node) : "quoted text";
}

/* strtod also takes nan, inf and hexadecimals. */
static int is_decimal(const char *text)
{
    return *text && !text[strspn(text, "0123456789+-.eE")];
}

int yaml_text_number(const struct yaml_text *t, const yaml_node_t *node, double min, double max, double *out)
{
    char *end = NULL;
    double value = 0;
    if (is_plain(node) && is_decimal(scalar_text(node)))
        value = strtod(scalar_text(node), &end);
    if (!end || end == scalar_text(node) || *end)
        return yaml_text_fail(t, node, "expected a number, found %.40s; write it as 52.3 or 1.5e-9", kind_of(node));
    if (!isfinite(value) || value < min || value > max)
        return yaml_text_fail(t, node, "%.40s is out of range, give %g to %g", scalar_text(node), min, max);
    *out = value;
    return 0;
}

static int shift_of_suffix(const char *suffix)
{
    static const char letters[] = "KMG";
    const char *at = *suffix ? strchr(letters, *suffix) : NULL;
    if (!*suffix)
        return 0;
    return at && !suffix[1] ? 10 * (int)(at - letters + 1) : -1;
}

int yaml_text_whole(const struct yaml_text *t, const yaml_node_t *node, uint64_t min, uint64_t max, int suffix, uint64_t *out)
{
    const char *text = is_plain(node) ? scalar_text(node) : "";
    char *end = (char *)text;
    errno = 0;
    unsigned long long value = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    if (end == text)
        return yaml_text_fail(t, node, "expected a whole number, found %.40s; write it as %s", kind_of(node),
                              suffix ? "4096 or 4K" : "16");
    int shift = shift_of_suffix(end);
    if (shift < 0 || (shift > 0 && !suffix))
        return yaml_text_fail(t, node, "%.40s has a bad suffix, %s", text,
                              suffix ? "use K, M or G (1024)" : "give a plain whole number");
    if (errno || value > UINT64_MAX >> shift || value << shift < min || value << shift > max)
        return yaml_text_fail(t, node, "%.40s is out of range, give %llu to %llu", text, (unsigned long long)min,
                              (unsigned long long)max);
    *out = value << shift;
    return 0;
}

int yaml_text_string(const struct yaml_text *t, const yaml_node_t *node, char *out, size_t out_bytes)
{
    if (node->type != YAML_SCALAR_NODE)
        return yaml_text_fail(t, node, "expected text, found %s; write it in quotes", kind_of(node));
    size_t length = node->data.scalar.length;
    if (length >= out_bytes || memchr(node->data.scalar.value, 0, length))
        return yaml_text_fail(t, node, "text of %zu bytes, at most %zu without a zero byte fit; shorten it", length,
                              out_bytes - 1);
    memset(out, 0, out_bytes);
    memcpy(out, node->data.scalar.value, length);
    return 0;
}

int yaml_text_flag(const struct yaml_text *t, const yaml_node_t *node, int *out)
{
    const char *text = is_plain(node) ? scalar_text(node) : "";
    int is_true = !strcmp(text, "true");
    if (!is_true && strcmp(text, "false"))
        return yaml_text_fail(t, node, "expected true or false, found %.40s", kind_of(node));
    *out = is_true;
    return 0;
}

static size_t name_position(const char *const *names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name))
        i++;
    return i;
}

/* Letters the two share in front and behind: enough to guess which name was meant. */
static size_t likeness(const char *a, const char *b)
{
    size_t front = 0, back = 0, length_a = strlen(a), length_b = strlen(b);
    while (a[front] && a[front] == b[front])
        front++;
    while (back + front < length_a && back + front < length_b && a[length_a - 1 - back] == b[length_b - 1 - back])
        back++;
    return front + back;
}

static int key_unknown(const struct yaml_text *t, const yaml_node_t *key, const char *const *names, size_t count)
{
    const char *text = scalar_text(key), *best = names[0];
    for (size_t i = 1; i < count; i++)
        if (likeness(text, names[i]) > likeness(text, best))
            best = names[i];
    return yaml_text_fail(t, key, "unknown key %.40s, did you mean %s?", text, best);
}

static int key_check(const struct yaml_text *t, const yaml_node_t *node, const yaml_node_pair_t *pair, const char *const *names,
                     size_t count, size_t *position)
{
    const yaml_node_t *key = node_at(t, pair->key);
    if (key->type != YAML_SCALAR_NODE)
        return yaml_text_fail(t, key, "expected a key, found %s; write 'key: value'", kind_of(key));
    *position = name_position(names, count, scalar_text(key));
    if (*position == count)
        return key_unknown(t, key, names, count);
    for (const yaml_node_pair_t *before = node->data.mapping.pairs.start; before < pair; before++)
        if (!strcmp(scalar_text(node_at(t, before->key)), names[*position]))
            return yaml_text_fail(t, key, "key %s given twice, keep one", names[*position]);
    return 0;
}

int yaml_text_mapping(const struct yaml_text *t, const yaml_node_t *node, const char *const *names, size_t count,
                      yaml_text_take *take, void *context)
{
    if (node->type != YAML_MAPPING_NODE)
        return yaml_text_fail(t, node, "expected 'key: value' pairs, found %.40s; the first key can be %s", kind_of(node),
                              names[0]);
    const yaml_node_pair_t *end = node->data.mapping.pairs.top;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < end; pair++) {
        size_t position = 0;
        int err = key_check(t, node, pair, names, count, &position);
        if (!err)
            err = take(context, position, node_at(t, pair->value));
        if (err)
            return err;
    }
    return 0;
}

const yaml_node_t *yaml_text_find(const struct yaml_text *t, const yaml_node_t *node, const char *name)
{
    if (node->type != YAML_MAPPING_NODE)
        return NULL;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_at(t, pair->key);
        if (key->type == YAML_SCALAR_NODE && !strcmp(scalar_text(key), name))
            return node_at(t, pair->value);
    }
    return NULL;
}

int yaml_text_sequence(const struct yaml_text *t, const yaml_node_t *node, size_t *count)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return yaml_text_fail(t, node, "expected a list, found %.40s; write it as [1, 2, 3]", kind_of(node));
    *count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    return 0;
}

const yaml_node_t *yaml_text_item(const struct yaml_text *t, const yaml_node_t *sequence, size_t i)
{
    return node_at(t, sequence->data.sequence.items.start[i]);
}

#include "model/formats/quantity_yaml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct quantity_reading {
    const struct yaml_text *yaml;
    const struct node_field *field;
    struct quantity quantity;
    int value_given;
};

static int quantity_take(void *context, size_t key, const yaml_node_t *value)
{
    struct quantity_reading *r = context;
    double *const numbers[] = {&r->quantity.value, &r->quantity.low, &r->quantity.high};
    if (key == 3)
        return yaml_text_string(r->yaml, value, r->quantity.source, sizeof r->quantity.source);
    r->value_given |= key == 0;
    if (key == 0 && yaml_text_is_null(value))
        return 0;
    return yaml_text_number(r->yaml, value, r->field->min, r->field->max, numbers[key]);
}

static int quantity_finish(const struct quantity_reading *r, const yaml_node_t *node, struct quantity *out)
{
    struct quantity q = r->quantity;
    if (!r->value_given)
        return yaml_text_fail(r->yaml, node, "a quantity without a value, add 'value: NUMBER'");
    if (isnan(q.value) && (!isnan(q.low) || !isnan(q.high)))
        return yaml_text_fail(r->yaml, node, "an interval without a value, drop low and high");
    q.low = isnan(q.low) ? q.value : q.low;
    q.high = isnan(q.high) ? q.value : q.high;
    if (q.low > q.value || q.value > q.high)
        return yaml_text_fail(r->yaml, node, "%g is outside its interval [%g, %g], give low <= value <= high", q.value, q.low,
                              q.high);
    *out = q;
    return 0;
}

int quantity_yaml_read(const struct yaml_text *yaml, const struct node_field *field, const yaml_node_t *node,
                       struct quantity *out)
{
    static const char *const names[] = {"value", "low", "high", "source"};
    struct quantity_reading r = {yaml, field, quantity_of(NAN, QUANTITY_SOURCE_DEFAULT), 0};
    if (yaml_text_is_null(node)) {
        *out = quantity_unknown();
        return 0;
    }
    int is_mapping = node->type == YAML_MAPPING_NODE;
    int err = is_mapping ? yaml_text_mapping(yaml, node, names, 4, quantity_take, &r) : quantity_take(&r, 0, node);
    return err ? err : quantity_finish(&r, node, out);
}

struct group_reading {
    const struct yaml_text *yaml;
    const struct node_field *field;
    const struct quantity_key *keys;
    char *base;
};

static int group_take(void *context, size_t key, const yaml_node_t *value)
{
    const struct group_reading *r = context;
    return quantity_yaml_read(r->yaml, r->field, value, (struct quantity *)(r->base + r->keys[key].offset));
}

int quantity_yaml_read_group(const struct yaml_text *yaml, const struct node_field *field, const yaml_node_t *node,
                             const struct quantity_key *keys, size_t count, void *base)
{
    const char *names[QUANTITY_GROUP_MAX];
    for (size_t i = 0; i < count; i++)
        names[i] = keys[i].name;
    struct group_reading r = {yaml, field, keys, base};
    return yaml_text_mapping(yaml, node, names, count, group_take, &r);
}

void quantity_yaml_write_number(FILE *out, double value)
{
    char text[40];
    if (isnan(value)) {
        fputs("null", out);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

/* The bytes of the character at c, whose number is *code; a byte that is no UTF-8 is one, of Latin-1. */
static size_t character_read(const unsigned char *c, uint32_t *code)
{
    size_t more = *c < 0xc2 || *c > 0xf4 ? 0 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : 3;
    *code = more ? *c & (0x3fu >> more) : *c;
    for (size_t i = 1; i <= more; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            *code = *c;
            return 1;
        }
        *code = *code << 6 | (c[i] & 0x3f);
    }
    return more + 1;
}

/* Not so: controls, and what YAML takes for the end of a line, for a mark of byte order or for no character. */
static int is_printable(uint32_t code)
{
    int breaks = code == 0x2028 || code == 0x2029, mark = code == 0xfeff || code == 0xfffe || code == 0xffff;
    return code >= 0x20 && (code < 0x7f || code >= 0xa0) && !breaks && !mark;
}

void quantity_yaml_write_text(FILE *out, const char *text)
{
    putc('"', out);
    uint32_t code;
    for (size_t bytes; *text; text += bytes) {
        bytes = character_read((const unsigned char *)text, &code);
        if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (int)code);
        else if (is_printable(code) && (code < 0x80 || bytes > 1))
            fwrite(text, 1, bytes, out);
        else
            fprintf(out, code <= 0xff ? "\\x%02x" : "\\u%04x", code);
    }
    putc('"', out);
}

int quantity_yaml_is_default(const struct quantity *q)
{
    return isnan(q->value) && !strcmp(q->source, "unknown");
}

void quantity_yaml_write(FILE *out, const struct quantity *q)
{
    if (quantity_yaml_is_default(q)) {
        fputs("null", out);
        return;
    }
    fputs("{value: ", out);
    quantity_yaml_write_number(out, q->value);
    if (!isnan(q->value) && (q->low != q->value || q->high != q->value)) {
        fputs(", low: ", out);
        quantity_yaml_write_number(out, q->low);
        fputs(", high: ", out);
        quantity_yaml_write_number(out, q->high);
    }
    fputs(", source: ", out);
    quantity_yaml_write_text(out, q->source);
    putc('}', out);
}

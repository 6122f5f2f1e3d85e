#include "model/formats/hwloc_xml_check.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* hwloc itself writes a dozen levels at most, and follows them by recursion. */
enum { SET_COUNT = 4, LEVELS_MAX = 64 };
static const char *const set_names[SET_COUNT] = {"cpuset", "complete_cpuset", "nodeset", "complete_nodeset"};

struct scan {
    const char *path, *xml;
    char *reason;
    size_t reason_bytes;
};

static int scan_fail(const struct scan *scan, const char *at, const char *what)
{
    size_t line = 1;
    for (const char *c = scan->xml; c < at; c++)
        line += *c == '\n';
    snprintf(scan->reason, scan->reason_bytes, "%s:%zu: %s, export it again with lstopo", scan->path, line, what);
    return -EINVAL;
}

struct span {
    const char *text;
    size_t length;
};

static int span_is(struct span span, const char *text)
{
    return span.length == strlen(text) && !memcmp(span.text, text, span.length);
}

/* The next name="value" of a tag; *at moves behind it. 1; 0 at the end of the tag; -1 if it is neither. */
static int attribute_next(const char **at, struct span *name, struct span *value)
{
    const char *c = *at + strspn(*at, " \t\r\n");
    if (*c == '>' || *c == '/' || *c == '?')
        return 0;
    size_t length = strcspn(c, "= \t\r\n<>\"'");
    *name = (struct span){c, length};
    if (!length || c[length] != '=' || c[length + 1] != '"')
        return -1;
    c += length + 2;
    const char *end = strpbrk(c, "\"<");
    if (!end || *end != '"')
        return -1;
    *value = (struct span){c, (size_t)(end - c)};
    *at = end + 1;
    return 1;
}

/* Hexadecimal words with commas between, as hwloc writes sets. Words between may be empty; hwloc ends the process at an empty
 * first. */
static int set_is_written(struct span set)
{
    if (set.length && set.text[0] == ',')
        return 0;
    for (size_t i = 0; i < set.length; i++)
        if (!isxdigit((unsigned char)set.text[i]) && set.text[i] != 'x' && set.text[i] != ',')
            return 0;
    return set.length > 0;
}

static int set_has_bits(struct span set)
{
    for (size_t i = 0; i < set.length; i++)
        if (set.text[i] != 'x' && set.text[i] != ',' && set.text[i] != '0')
            return 1;
    return 0;
}

/* A plain number of at most six digits: hwloc makes a set as long as the number is high. */
static int index_is_sane(struct span index)
{
    for (size_t i = 0; i < index.length; i++)
        if (!isdigit((unsigned char)index.text[i]))
            return 0;
    return index.length > 0 && index.length <= 6;
}

static int name_is_of_set(struct span name)
{
    return name.length >= 3 && !memcmp(name.text + name.length - 3, "set", 3);
}

/* Of any tag, `at` behind its name: what is called a set (of cpus allowed, of a kind of cpus, of who uses a memory) is one. */
static int sets_check(const struct scan *scan, const char *at)
{
    struct span name, value;
    int more;
    while ((more = attribute_next(&at, &name, &value)) > 0)
        if (name_is_of_set(name) && !set_is_written(value))
            return scan_fail(scan, value.text, "a set that is not one of hexadecimal words");
    return more < 0 ? scan_fail(scan, at, "an attribute that is not name=\"value\"") : 0;
}

/* Devices and remarks have no place among the cores. */
static int type_is_placed(struct span type)
{
    static const char *const elsewhere[] = {"Bridge", "PCIDev", "OSDev", "Misc"};
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (span_is(type, elsewhere[i]))
            return 0;
    return 1;
}

/* `at` is behind "<object". */
static int object_check(const struct scan *scan, const char *at)
{
    struct span name, value, type = {"", 0};
    const char *start = at;
    unsigned written = 0, filled = 0, all = (1u << SET_COUNT) - 1;
    int more, numbered = 0;
    while ((more = attribute_next(&at, &name, &value)) > 0) {
        if (span_is(name, "type"))
            type = value;
        if (span_is(name, "os_index"))
            numbered = index_is_sane(value);
        for (unsigned s = 0; s < SET_COUNT; s++)
            if (span_is(name, set_names[s])) {
                written |= (unsigned)set_is_written(value) << s;
                filled |= (unsigned)set_has_bits(value) << s;
            }
    }
    if (more < 0)
        return scan_fail(scan, at, "an attribute that is not name=\"value\"");
    if (!type.length)
        return scan_fail(scan, start, "an object without a type");
    if ((span_is(type, "PU") || span_is(type, "NUMANode")) && !numbered)
        return scan_fail(scan, start, "a PU or NUMANode without an os_index of up to six digits");
    if (type_is_placed(type) && written != all)
        return scan_fail(scan, start, "an object without cpuset, complete_cpuset, nodeset and complete_nodeset");
    if (type_is_placed(type) && filled != all && !span_is(type, "NUMANode")) /* memory alone has no cpu */
        return scan_fail(scan, start, "an object with an empty set");
    return 0;
}

int hwloc_xml_check(const char *path, const char *xml, char *reason, size_t reason_bytes)
{
    static const char opening[] = "<object", closing[] = "</object";
    const struct scan scan = {path, xml, reason, reason_bytes};
    int level = 0, err = 0;
    for (const char *c = strchr(xml, '<'); c && !err; c = strchr(c + 1, '<')) {
        if (!strncmp(c, closing, sizeof closing - 1))
            level--;
        if (strncmp(c, opening, sizeof opening - 1)) {
            err = isalpha((unsigned char)c[1]) ? sets_check(&scan, c + strcspn(c, " \t\r\n/>")) : 0;
            continue;
        }
        const char *end = strchr(c, '>');
        err = object_check(&scan, c + sizeof opening - 1);
        if (!err)
            err = sets_check(&scan, c + sizeof opening - 1);
        level += end && end[-1] != '/';
        if (!err && level > LEVELS_MAX)
            err = scan_fail(&scan, c, "objects nested too deeply");
    }
    return err;
}

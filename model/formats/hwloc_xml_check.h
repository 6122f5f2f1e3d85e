/* Looks at hwloc XML before hwloc does: its importer trusts that every object names its sets, and crashes on those that do
 * not. */
#ifndef SHMCOLL_MODEL_FORMATS_HWLOC_XML_CHECK_H
#define SHMCOLL_MODEL_FORMATS_HWLOC_XML_CHECK_H

#include <stddef.h>

/* 0; -EINVAL with "PATH:LINE: what, what to try" in reason. Reads up to the NUL; O(length). */
int hwloc_xml_check(const char *path, const char *xml, char *reason, size_t reason_bytes);

#endif

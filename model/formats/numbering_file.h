/* Mappings, numberings as files: which virtual rank each rank plays, as `map` writes them and --mapping takes them.
 *
 *   file    = "ranks" N [ maker ] end { V end }     N lines, those of rank 0, 1, ...; every V of 0..N-1 once
 *   maker   = words that say what made it, of printable ASCII, at most NUMBERING_MAKER_BYTES - 1 characters
 *
 * Comments are from # to the end of the line; lines with nothing else are skipped. */
#ifndef SHMCOLL_MODEL_FORMATS_NUMBERING_FILE_H
#define SHMCOLL_MODEL_FORMATS_NUMBERING_FILE_H

#include "model/numbering.h"

#include <stddef.h>
#include <stdio.h>

enum { NUMBERING_MAKER_BYTES = 80, NUMBERING_FILE_MAX_BYTES = 1 << 28 };

/* Owns its arrays. */
struct numbering_file {
    uint32_t procs;
    char maker[NUMBERING_MAKER_BYTES]; /* "" if it does not say */
    uint32_t *virtual_of_rank, *rank_of_virtual; /* [procs] */
};

/* `name` is what messages call the text; out, set only on success, is to be given to numbering_file_destroy().
 * 0; -EINVAL with one line "NAME:LINE: what, what to try" in reason; -ENOMEM. */
int numbering_read(const char *name, const char *text, size_t bytes, struct numbering_file *out, char *reason,
                   size_t reason_bytes);
/* Of a file; beyond this -errno of the system. */
int numbering_read_file(const char *path, struct numbering_file *out, char *reason, size_t reason_bytes);
void numbering_file_destroy(struct numbering_file *file);

/* virtual_of_rank[procs] is a permutation; maker fits the format. 0, or -errno of the file. */
int numbering_write(FILE *file, uint32_t procs, const char *maker, const uint32_t *virtual_of_rank);
/* Replaces the file at once. 0, or -errno with one line in reason. */
int numbering_write_file(const char *path, uint32_t procs, const char *maker, const uint32_t *virtual_of_rank, char *reason,
                         size_t reason_bytes);

/* Borrows the file's arrays. */
static inline struct numbering numbering_of_file(const struct numbering_file *file)
{
    return (struct numbering){.virtual_of_rank = file->virtual_of_rank, .rank_of_virtual = file->rank_of_virtual};
}

#endif

/* Whole files in and out of memory, for the readers and writers of this folder. */
#ifndef SHMCOLL_MODEL_FORMATS_TEXT_FILE_H
#define SHMCOLL_MODEL_FORMATS_TEXT_FILE_H

#include <stddef.h>

/* Larger files than this are refused: no node description comes near it. */
enum { TEXT_FILE_MAX_BYTES = 16 << 20 };

/* Reads the file into *text (to be freed, NUL-terminated beyond *bytes).
 * 0; -EFBIG beyond the cap; -ENOMEM; the system's -errno otherwise; one line "PATH: what, what to try" in reason. */
int text_file_read(const char *path, char **text, size_t *bytes, char *reason, size_t reason_bytes);
/* The same with another cap, a power of two of at least 64 KiB. */
int text_file_read_most(const char *path, size_t most_bytes, char **text, size_t *bytes, char *reason, size_t reason_bytes);

/* Says why the file cannot be read: err is the system's -errno, which is returned. */
int text_file_refuse(int err, const char *path, char *reason, size_t reason_bytes);

/* Replaces the file at once: readers see the old or the new one, never a part. A failure leaves the old one.
 * What is no regular file (a pipe, a terminal) is written in place.
 * 0 or -errno with one line in reason. */
int text_file_write(const char *path, const char *text, size_t bytes, char *reason, size_t reason_bytes);

#endif

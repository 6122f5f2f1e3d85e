/* What the words after an option may be. Every parser: 0, or -EINVAL with one line in `reason`. */
#ifndef SHMCOLL_EXPERIMENTS_OPTION_PARSERS_H
#define SHMCOLL_EXPERIMENTS_OPTION_PARSERS_H

#include <stddef.h>

int parse_text(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_size_list(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_positive_list(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_tree_list(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_uint32(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_positive_uint32(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_uint64(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_duration(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_skew(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_ratio(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_protocol(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_algorithm_list(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_variant(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_partitioner_list(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_channel_list(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_remap(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_pattern(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_buffers(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_buffer_memory(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_buffer_domain(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_backend(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_copying(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_format(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_export_format(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_flag(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_louder(const char *text, void *field, char *reason, size_t reason_bytes);
int parse_quiet(const char *text, void *field, char *reason, size_t reason_bytes);

#endif

/* How much memory may still be allocated here, so that a segment that cannot fit is refused
 * before the kernel's out-of-memory killer has a say. Reads /proc and /sys; any thread. */
#ifndef SHMCOLL_KERNELS_MEMORY_ROOM_H
#define SHMCOLL_KERNELS_MEMORY_ROOM_H

#include <stdint.h>

/* The least of: available memory, what is left to this process's cgroup and its ancestors (v1 and v2), and to
 * RLIMIT_AS if set. UINT64_MAX if nothing is known. */
uint64_t memory_room_bytes(void);

/* Largest file this process may create (RLIMIT_FSIZE: beyond it ftruncate raises SIGXFSZ). */
uint64_t memory_room_file_bytes(void);

/* Free huge pages of the default size, in bytes, and that size (0: none on this kernel). */
uint64_t memory_room_huge_bytes(uint64_t *page_bytes);

#endif

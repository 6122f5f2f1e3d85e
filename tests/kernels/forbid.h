/* Forbids system calls to this thread and what it starts, as a container's filter does: they fail with EPERM. */
#ifndef SHMCOLL_TESTS_FORBID_H
#define SHMCOLL_TESTS_FORBID_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { FORBID_MOST = 4 };

/* 0, or -errno if this host lets nobody filter. */
static inline int forbid_calls(const long *calls, unsigned n)
{
    struct sock_filter code[2 * FORBID_MOST + 2] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    unsigned length = 1;
    for (unsigned i = 0; i < n && i < FORBID_MOST; i++) {
        code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], 0, 1);
        code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)length, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return -errno;
    return 0;
}

#endif

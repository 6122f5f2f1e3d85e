/* Doctor: what this process may do at all. Each thing is tried, and undone. */
#include "experiments/doctor_checks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a child: reads a word of its parent. The child, not the parent, tries: a parent may always read its child
 * where Yama restricts to descendants, ranks that are siblings may not, unless who starts them has each of them
 * declare him its tracer, as the launcher here does. */
static int child_reads_parent(void)
{
    static uint64_t word = 0x1122334455667788;
    pid_t parent = getpid(), child = fork();
    if (child < 0)
        return errno;
    if (child == 0) {
        uint64_t copy = 0;
        struct iovec local = {&copy, sizeof copy}, remote = {&word, sizeof word};
        ssize_t n = process_vm_readv(parent, &local, 1, &remote, 1, 0);
        _exit(n < 0 ? errno : copy == word ? 0 : EIO);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

void doctor_look_cma(struct doctor_finding *out)
{
    int error = child_reads_parent();
    if (error == 0)
        doctor_set(out, DOCTOR_OK, "", "process_vm_readv works between processes");
    else if (error == EPERM)
        doctor_set(out, DOCTOR_MISSING,
                   "ptrace_scope 0, or prctl(PR_SET_PTRACER) in the ranks, as run does; in a container --cap-add=SYS_PTRACE",
                   "process_vm_readv is denied: messages go through the segment, or straight from buffers allocated there");
    else
        doctor_set(out, DOCTOR_MISSING, "a kernel with CONFIG_CROSS_MEMORY_ATTACH, a seccomp profile that allows it",
                   "process_vm_readv fails: %s", strerror(error));
}

void doctor_look_yama(struct doctor_finding *out)
{
    char line[64];
    if (doctor_read_line("/proc/sys/kernel/yama/ptrace_scope", line, sizeof line)) {
        doctor_set(out, DOCTOR_OK, "", "not in this kernel");
        return;
    }
    int scope = atoi(line);
    doctor_set(out, scope == 0 ? DOCTOR_OK : DOCTOR_NOTE,
               scope == 0 ? "" : "sysctl kernel.yama.ptrace_scope=0 if single-copy protocols between siblings are wanted",
               "ptrace_scope %d", scope);
}

void doctor_look_seccomp(struct doctor_finding *out)
{
    int mode = prctl(PR_GET_SECCOMP);
    if (mode < 0)
        doctor_set(out, DOCTOR_OK, "", "not in this kernel");
    else if (mode == 0)
        doctor_set(out, DOCTOR_OK, "", "no filter");
    else
        doctor_set(out, DOCTOR_NOTE,
                   "in a container, --security-opt seccomp=unconfined if a check here says that a call is denied",
                   "system calls are filtered (mode %d)", mode);
}

void doctor_look_memfd(struct doctor_finding *out)
{
    int fd = memfd_create("shmcoll-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        doctor_set(out, DOCTOR_MISSING, "Linux 3.17 or later, a seccomp profile that allows memfd_create",
                   "memfd_create fails: %s", strerror(errno));
        return;
    }
    int error = ftruncate(fd, 4096) ? errno : fallocate(fd, 0, 0, 4096) ? errno : 0;
    close(fd);
    if (error)
        doctor_set(out, DOCTOR_MISSING, "more memory, or a higher limit of the cgroup", "a page of shared memory fails: %s",
                   strerror(error));
    else
        doctor_set(out, DOCTOR_OK, "", "memfd works: segments leave no name behind");
}

void doctor_look_pidfd(struct doctor_finding *out)
{
#ifdef SYS_pidfd_open
    int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (fd >= 0) {
        close(fd);
        doctor_set(out, DOCTOR_OK, "", "pidfd_open works");
        return;
    }
#else
    errno = ENOSYS;
#endif
    doctor_set(out, DOCTOR_NOTE, "Linux 5.3 or later; until then the launcher tells the ranks", "pidfd_open fails: %s",
               strerror(errno));
}

static void *private_page(void)
{
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    *(char *)page = 1;
    return page;
}

void doctor_look_move_pages(struct doctor_finding *out)
{
    int domain = -1;
    void *page = private_page();
    long result = page ? syscall(SYS_move_pages, 0, 1UL, &page, NULL, &domain, 0) : -1;
    int error = errno;
    if (page)
        munmap(page, (size_t)sysconf(_SC_PAGESIZE));
    if (result == 0 && domain >= 0)
        doctor_set(out, DOCTOR_OK, "", "the kernel tells where a page is");
    else
        doctor_set(out, DOCTOR_NOTE, "a kernel with CONFIG_NUMA and a seccomp profile that allows move_pages",
                   "placement cannot be audited: %s", strerror(result == 0 ? -domain : error));
}

void doctor_look_mbind(struct doctor_finding *out)
{
    int mode = 0;
    unsigned long mask[16] = {0};
    void *page = private_page();
    long result = page ? syscall(SYS_get_mempolicy, &mode, mask, 8 * sizeof mask, page, 2 /* MPOL_F_ADDR */) : -1;
    if (result == 0) {
        mask[0] = 1; /* MPOL_PREFERRED: harmless wherever domain 0 is */
        result = syscall(SYS_mbind, page, (size_t)sysconf(_SC_PAGESIZE), 1, mask, 8 * sizeof mask, 0);
    }
    int error = errno;
    if (page)
        munmap(page, (size_t)sysconf(_SC_PAGESIZE));
    if (result == 0)
        doctor_set(out, DOCTOR_OK, "", "mbind works");
    else
        doctor_set(out, DOCTOR_NOTE, "in a container --cap-add=SYS_NICE or seccomp=unconfined; else first touch decides",
                   "memory cannot be bound: %s", strerror(error));
}

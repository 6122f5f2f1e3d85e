/* In the guest: runs a program that may use the memory of some domains only, as batch systems arrange it by cpusets.
 * guest_confine DOMAINS PROGRAM WORDS... */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static int text_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    int error = n < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    if (error)
        printf("guest_confine: cannot write %s to %s: %s\n", text, path, strerror(-error));
    return error;
}

static int confine(const char *domains)
{
    mkdir("/tmp/cgroup", 0755);
    if (mount("cgroup2", "/tmp/cgroup", "cgroup2", 0, "") && errno != EBUSY)
        return -errno;
    int error = text_write("/tmp/cgroup/cgroup.subtree_control", "+cpuset");
    mkdir("/tmp/cgroup/job", 0755);
    if (!error)
        error = text_write("/tmp/cgroup/job/cpuset.mems", domains);
    return error ? error : text_write("/tmp/cgroup/job/cgroup.procs", "0");
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int error = confine(argv[1]);
    if (!error)
        execv(argv[2], argv + 2);
    printf("guest_confine: %s: %s\n", argv[2], strerror(error ? -error : errno));
    return 2;
}

#include "kernels/fd_pass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int fd_pass_send(int socket, int fd)
{
    char byte = 'd';
    union control control = {0};
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
        if (errno != EINTR)
            return -errno;
    return 0;
}

int fd_pass_receive(int socket, int *fd)
{
    char byte;
    union control control = {0};
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n;
    while ((n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0)
        if (errno != EINTR)
            return errno == ECONNRESET ? -EPIPE : -errno;
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    if (n == 0)
        return -EPIPE;
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof *fd))
        return -EPROTO;
    memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return 0;
}

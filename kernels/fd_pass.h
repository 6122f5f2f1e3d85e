/* Passing a file descriptor over a Unix socket. */
#ifndef SHMCOLL_KERNELS_FD_PASS_H
#define SHMCOLL_KERNELS_FD_PASS_H

/* 0 or -errno. */
int fd_pass_send(int socket, int fd);
/* *fd is the caller's to close, close-on-exec. 0; -EPIPE if the other end is gone; other -errno. */
int fd_pass_receive(int socket, int *fd);

#endif

/* The guest's first process: mounts what the programs need, runs the lines of /plan one after the other and powers off.
 *
 * A line is a program with its words, separated by single blanks. Standard output and error go to the serial console,
 * between "guest: begin LINE" and "guest: end STATUS LINE"; "guest: done" says that nothing was left out. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_BYTES = 256, WORDS_MAX = 24 };

static void console_open(void)
{
    int fd = open("/dev/console", O_RDWR);
    for (int i = 0; i < 3 && fd >= 0; i++)
        dup2(fd, i);
}

static int mounts(void)
{
    static const char *const mount_of[][3] = {
        {"devtmpfs", "/dev", ""}, {"proc", "/proc", ""}, {"sysfs", "/sys", ""}, {"tmpfs", "/tmp", ""}, {"tmpfs", "/dev/shm", ""}};
    int error = 0;
    for (size_t i = 0; i < sizeof mount_of / sizeof *mount_of; i++) {
        mkdir(mount_of[i][1], 0755);
        if (mount(mount_of[i][0], mount_of[i][1], mount_of[i][0], 0, mount_of[i][2]))
            error = -errno;
        if (i == 0)
            console_open();
    }
    return error;
}

/* The disk, made by the host: a real file system with readahead. */
static int disk_mount(void)
{
    mkdir("/disk", 0755);
    return mount("/dev/nvme0n1", "/disk", "ext4", 0, "") ? -errno : 0;
}

static void child(char *line)
{
    char *word[WORDS_MAX + 1] = {NULL};
    int n = 0;
    for (char *w = strtok(line, " "); w && n < WORDS_MAX; w = strtok(NULL, " "))
        word[n++] = w;
    execv(word[0], word);
    printf("guest: cannot run %s: %s\n", word[0], strerror(errno));
    fflush(stdout);
    _exit(127);
}

/* Waits for pid; whatever else ends meanwhile has lost its parent and is ours. */
static int status_of(pid_t pid)
{
    int status;
    pid_t ended;
    do
        ended = wait(&status);
    while (ended != pid && (ended > 0 || errno == EINTR));
    return ended != pid ? -1 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void line_run(char *line)
{
    char words[LINE_BYTES];
    snprintf(words, sizeof words, "%s", line);
    printf("guest: begin %s\n", line);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        child(words);
    int status = pid > 0 ? status_of(pid) : -1;
    printf("guest: end %d %s\n", status, line);
    fflush(stdout);
}

static int plan_run(void)
{
    char line[LINE_BYTES];
    FILE *plan = fopen("/plan", "re");
    if (!plan)
        return -errno;
    while (fgets(line, sizeof line, plan)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0])
            line_run(line);
    }
    fclose(plan);
    return 0;
}

int main(void)
{
    int error = mounts();
    if (!error)
        error = disk_mount();
    if (error)
        printf("guest: cannot mount: %s\n", strerror(-error));
    setenv("HOME", "/tmp", 1);
    setenv("PATH", "/bin", 1);
    if (!error)
        error = plan_run();
    printf(error ? "guest: failed\n" : "guest: done\n");
    fflush(stdout);
    umount("/disk");
    sync();
    reboot(RB_POWER_OFF);
    return 1;
}

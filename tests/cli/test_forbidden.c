/* The command where a host forbids things, by seccomp: runs go on another way and say so with -v; doctor tells it beforehand. */
#include "tests/kernels/forbid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_BYTES = 16384 };

static const long reading[] = {SYS_process_vm_readv, SYS_process_vm_writev};
static const long binding[] = {SYS_mbind};
static const long pinning[] = {SYS_sched_setaffinity};

/* In the child: never returns. */
static void become(const long *calls, unsigned n, int out, int both, char *const *words)
{
    const char *given = getenv("SHMCOLL");
    if (n && forbid_calls(calls, n))
        _exit(77);
    dup2(out, STDOUT_FILENO);
    if (both)
        dup2(out, STDERR_FILENO);
    execv(given ? given : "build/release/shmcoll", words);
    _exit(127);
}

/* What the command says with those calls forbidden, standard error included if `both`. */
static void said(const long *calls, unsigned n, int both, char *const *words, char *text)
{
    int ends[2], status;
    size_t used = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        become(calls, n, ends[1], both, words);
    close(ends[1]);
    for (ssize_t got; used + 1 < TEXT_BYTES && (got = read(ends[0], text + used, TEXT_BYTES - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("%s %s ended with status %#x: %s", words[1], words[2] ? words[2] : "", status, text);
}

/* A host may forbid them itself. */
static int host_reads_peers(void)
{
    static char *const words[] = {"shmcoll", "doctor", "--format", "jsonl", NULL};
    char text[TEXT_BYTES];
    said(NULL, 0, 0, words, text);
    return strstr(text, "\"check\":\"cma\",\"state\":\"ok\"") != NULL;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in: %s", part, text);
}

#define RUN(protocol, ...) \
    {"shmcoll", "run", "bcast", "--protocol", protocol, "--size", "300000", "--reps", "5", "--format", "jsonl", __VA_ARGS__, NULL}

static void replaced_and_told(void **state)
{
    (void)state;
    char text[TEXT_BYTES];
    int allowed = host_reads_peers();
    static char *const peers[][16] = {RUN("single_copy", "-v"), RUN("cooperative", "-v"), RUN("shared_source", "-v")};
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        said(reading, 2, 1, peers[i], text);
        has(text, "run: rank 0 cannot read other ranks' memory (not permitted");
        has(text, "\"protocol\":\"counted\"");
        has(text, "\"verified\":true");
        said(NULL, 0, 1, peers[i], text);
        if (allowed)
            assert_null(strstr(text, "cannot read"));
    }
}

static void areas_need_no_call(void **state)
{
    (void)state;
    char text[TEXT_BYTES];
    static char *const words[] = RUN("shared_source", "-v", "--buffer-memory", "shared");
    said(reading, 2, 1, words, text);
    has(text, "unless the root's buffer lies in its area");
    has(text, "\"protocol\":\"shared_source\"");
    has(text, "\"verified\":true");
}

static void binding_and_pinning(void **state)
{
    (void)state;
    char text[TEXT_BYTES];
    static char *const words[] = RUN("pipelined", "-v"), *const quiet[] = RUN("pipelined", "--seed", "1");
    said(pinning, 1, 1, words, text);
    has(text, "run: ranks cannot be pinned (sched_setaffinity: Operation not permitted)");
    has(text, "\"verified\":true");
    said(binding, 1, 1, words, text);
    has(text, "cannot bind memory to its domain (mbind: Operation not permitted)");
    has(text, "\"verified\":true");
    said(pinning, 1, 1, quiet, text); /* only who asks is told */
    assert_null(strstr(text, "cannot be pinned"));
}

static void ranks_share_cpus(void **state)
{
    (void)state;
    char text[TEXT_BYTES];
    static char *const words[] = RUN("counted", "-v", "--procs", "3", "--place", "list:0");
    said(NULL, 0, 1, words, text);
    has(text, "run: 3 ranks share 1 cpus");
    has(text, "\"verified\":true");
}

static void doctor_tells(void **state)
{
    (void)state;
    char text[TEXT_BYTES];
    static char *const words[] = {"shmcoll", "doctor", "--format", "jsonl", NULL};
    said(reading, 2, 0, words, text);
    has(text, "\"check\":\"cma\",\"state\":\"missing\"");
    has(text, "messages go through the segment by counted");
    said(pinning, 1, 0, words, text);
    has(text, "\"check\":\"pinning\",\"state\":\"note\"");
    said(NULL, 0, 0, words, text);
    has(text, "\"check\":\"pinning\",\"state\":\"ok\"");
    if (host_reads_peers())
        assert_null(strstr(text, "messages go through the segment"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaced_and_told), cmocka_unit_test(areas_need_no_call), cmocka_unit_test(binding_and_pinning),
        cmocka_unit_test(ranks_share_cpus),  cmocka_unit_test(doctor_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

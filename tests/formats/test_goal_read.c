/* GOAL texts: what is read, what is refused and with which line, and what is written. */
#include "tests/formats/formats_case.h"

#include "model/formats/goal_read.h"
#include "model/formats/goal_write.h"
#include "model/formats/ti_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char sample[] = "// two ranks\n"
                             "num_ranks 3\r\n"
                             "\n"
                             "rank 1 { /* out of order,\n"
                             "  over two lines */ send1: recv 20b from -1 tag -1 cpu 2 nic 1\n"
                             "  calc 100 cpu 0\n"
                             "  l2:calc 0\n"
                             "  l2 requires send1 // why\n"
                             "  l2 irequires send1}\n"
                             "rank 0 {\n"
                             "\tsend 20 b to 1\n"
                             "}";

static void assert_task(const struct goal_program *p, uint32_t rank, uint32_t task, struct goal_task want)
{
    struct goal_task got = goal_program_task(p, rank, task);
    assert_true(got.size == want.size && got.peer == want.peer && got.tag == want.tag && got.line == want.line);
    assert_true(got.kind == want.kind && got.cpu == want.cpu && got.nic == want.nic);
}

static void reads_what_there_is(void **state)
{
    (void)state;
    struct goal_program p;
    char reason[200] = "";
    if (goal_read("sample", sample, strlen(sample), &p, reason, sizeof reason))
        fail_msg("%s", reason);
    assert_int_equal(p.ranks, 3);
    assert_int_equal(p.tasks, 4);
    assert_int_equal(p.cpus, 3);
    assert_int_equal(p.nics, 2);
    assert_int_equal(p.of_rank[1].first, 0);
    assert_int_equal(p.of_rank[1].count, 3);
    assert_int_equal(p.of_rank[0].first, 3);
    assert_int_equal(p.of_rank[2].count, 0);
    assert_task(&p, 1, 0, (struct goal_task){20, GOAL_ANY, GOAL_ANY, 5, GOAL_RECV, 2, 1});
    assert_task(&p, 1, 1, (struct goal_task){100, 0, 0, 6, GOAL_CALC, 0, 0});
    assert_task(&p, 0, 3, (struct goal_task){20, 1, 0, 11, GOAL_SEND, 0, 0});
    assert_int_equal(p.needs, 2);
    assert_int_equal(goal_program_step(&p, 1, 2)->waits, 2);
    uint32_t count;
    const struct goal_follower *follower = goal_program_followers(&p, 1, 0, &count);
    assert_int_equal(count, 2);
    assert_int_equal(follower[0].task, 2);
    assert_int_equal(follower[0].start, 0);
    assert_int_equal(follower[1].start, 1);
    goal_program_followers(&p, 1, 2, &count);
    assert_int_equal(count, 0);
    goal_program_destroy(&p);
}

static const struct {
    const char *text, *says;
} bad[] = {
    {"", "bad:1: expected num_ranks, but the file ends here"},
    {"rank 0 {\n}\n", "bad:1: expected num_ranks, not 'rank'"},
    {"num_ranks 0\n", "bad:1: num_ranks is 0: it must be from 1 to 16777216"},
    {"num_ranks 16777217\n", "bad:1: num_ranks is 16777217"},
    {"num_ranks 99999999999999999999999\n", "bad:1: the number of ranks is too large"},
    {"num_ranks 2\nrank 2 {\n}\n", "bad:2: there is no rank 2, num_ranks is 2"},
    {"num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", "bad:4: rank 0 has been before"},
    {"num_ranks 2\nrank 0 {\nrank 1 {\n}\n", "bad:3: expected an item or }, not 'rank': rank 0 is still open"},
    {"num_ranks 2\nrank 0 {\n", "bad:3: expected a label, calc, send, recv or }, but the file ends here"},
    {"num_ranks 2\nrank 0 {\n/* \n", "bad:3: this comment does not end"},
    {"num_ranks 2\nrank 0 {\n\001\n", "bad:3: expected a label, calc, send, recv or }, not the byte 0x01"},
    {"num_ranks 2\nrank 0 {\nl1 send 1b to 1\n}\n", "bad:3: expected ':', requires or irequires behind the label, not 'send'"},
    {"num_ranks 2\nrank 0 {\nl1: put 1b to 1\n}\n", "bad:3: expected calc, send or recv behind the label"},
    {"num_ranks 2\nrank 0 {\nsend 1 to 1\n}\n", "bad:3: expected 'b' behind the size, not 'to'"},
    {"num_ranks 2\nrank 0 {\nsend 1b from 1\n}\n", "bad:3: expected 'to', not 'from'"},
    {"num_ranks 2\nrank 0 {\nsend 1b to -1\n}\n", "bad:3: expected a rank, not '-1'"},
    {"num_ranks 2\nrank 0 {\nsend 1b to 2\n}\n", "bad:3: there is no rank 2"},
    {"num_ranks 2\nrank 0 {\nsend 1b to 1 tag -1\n}\n", "bad:3: expected a tag, not '-1'"},
    {"num_ranks 2\nrank 0 {\nsend 1b to 1 cpu 256\n}\n", "bad:3: the number of a cpu is too large: at most 255"},
    {"num_ranks 2\nrank 0 {\nsend 1b to 1 nic 0 cpu 0\n}\n", "bad:3: expected the end of the line, not 'cpu'"},
    {"num_ranks 2\nrank 0 {\ncalc 1 nic 0\n}\n", "bad:3: expected the end of the line, not 'nic'"},
    {"num_ranks 2\nrank 0 {\ncalc 18446744073709551616\n}\n", "bad:3: nanoseconds is too large"},
    {"num_ranks 2\nrank 0 {\nsend 18446744073709551616b to 1\n}\n", "bad:3: a size is too large"},
    {"num_ranks 2\nrank 0 {\nl: calc 1\nl: calc 2\n}\n", "bad:4: the label 'l' is taken in this rank"},
    {"num_ranks 2\nrank 0 {\nl: calc 1\nl requires m\nm: calc 2\n}\n", "bad:4: unknown label 'm': its task must come before"},
    {"num_ranks 2\nrank 0 {\nl: calc 1\n}\nrank 1 {\nm: calc 1\nm requires l\n}\n", "bad:7: unknown label 'l'"},
    {"num_ranks 2\nrank 1 {\na: calc 1\n}\nrank 0 {\na: calc 1\nb: calc 1\nc: calc 1\n"
     "b requires c\nc irequires b\na requires b\n}\n",
     "bad:8: rank 0: this task requires itself"},
    {"num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}\n", "bad:3: rank 0: this task requires itself"},
    {"num_ranks 2\nrank 0 {\nsend 1b to 1 tag 3\n}\nrank 1 {\nrecv 1b from 0 tag 4\n}\n",
     "bad:3: rank 0 sends to rank 1 with tag 3, who has no receive for it"},
    {"num_ranks 2\nrank 0 {\n}\nrank 1 {\nrecv 1b from 0 tag 4\n}\n",
     "bad:5: rank 1 receives from rank 0 with tag 4, who sends nothing for it"},
    {"num_ranks 2\nrank 0 {\nsend 1b to 1\nsend 1b to 1\n}\nrank 1 {\nrecv 1b from -1\n}\n",
     "bad:4: rank 1 has 1 receives for the 2 messages sent to it"},
};

static void refuses_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct goal_program p;
        char reason[200] = "";
        int err = goal_read("bad", bad[i].text, strlen(bad[i].text), &p, reason, sizeof reason);
        if (err != -EINVAL || strncmp(reason, bad[i].says, strlen(bad[i].says)) || strchr(reason, '\n'))
            fail_msg("%zu gave %d, '%s', not '%s'", i, err, reason, bad[i].says);
    }
}

/* Every part of a good text alone: read or refused, never worse. */
static void survives_being_cut(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes < sizeof sample - 1; bytes++) {
        struct goal_program p;
        char reason[200] = "", *exact = malloc(bytes + 1);
        memcpy(exact, sample, bytes);
        if (goal_read("cut", exact, bytes, &p, reason, sizeof reason) == 0)
            goal_program_destroy(&p);
        else
            assert_int_equal(strncmp(reason, "cut:", 4), 0);
        free(exact);
    }
}

typedef int write_function(FILE *out, const struct schedule_job *job);

static char *written(write_function *write, const struct schedule_algorithm *algorithm, uint32_t procs, uint64_t size_bytes,
                     int want)
{
    struct schedule schedule;
    char *text;
    size_t bytes;
    assert_int_equal(schedule_init(&schedule, algorithm, procs, 0), 0);
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    assert_int_equal(write(file, &(struct schedule_job){.schedule = &schedule, .size_bytes = size_bytes}), want);
    fclose(file);
    return text;
}

static void writes_schedules(void **state)
{
    (void)state;
    char *goal = written(goal_write_schedule, &schedule_bruck, 3, 10, 0);
    char *ti = written(ti_write_schedule, &schedule_bruck, 3, 10, 0);
    assert_non_null(strstr(goal, "num_ranks 3\n\nrank 0 {\n"
                                 "r0: recv 10b from 1 tag 0\ns0: send 10b to 2 tag 0\n"
                                 "r1: recv 10b from 2 tag 1\nr1 requires r0\nr1 requires s0\n"
                                 "s1: send 10b to 1 tag 1\ns1 requires r0\ns1 requires s0\n}\n"));
    static const char first[] = "0 init\n0 irecv 1 0 10\n0 isend 2 0 10\n0 waitall\n"
                                "0 irecv 2 1 10\n0 isend 1 1 10\n0 waitall\n0 finalize\n1 init\n";
    assert_int_equal(strncmp(ti, first, sizeof first - 1), 0);
    free(goal);
    free(ti);
    free(written(goal_write_schedule, &schedule_bruck, 9, UINT64_MAX / 2, -EOVERFLOW));
    free(written(ti_write_schedule, &schedule_bruck, 9, UINT64_MAX / 2, -EOVERFLOW));
}

static void parts_of_a_broadcast_add_up(void **state)
{
    (void)state;
    char *text = written(goal_write_schedule, &schedule_binomial_scatter, 3, 10, 0);
    assert_non_null(strstr(text, "send 10b to 2")); /* of a scatter everyone's block is whole */
    free(text);
    text = written(goal_write_schedule, &schedule_scatter_allgather, 3, 10, 0);
    assert_non_null(strstr(text, "send 3b to 2")); /* 4, 3 and 3 */
    free(text);
}

/* A file beyond the cap of other readers: 24 MiB. */
static void reads_large_files(void **state)
{
    (void)state;
    char path[] = "/tmp/goal_read_XXXXXX", reason[200] = "";
    struct goal_program p;
    struct schedule schedule;
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    assert_int_equal(schedule_init(&schedule, &schedule_bruck, 1 << 14, 0), 0);
    assert_int_equal(goal_write_schedule(file, &(struct schedule_job){.schedule = &schedule, .size_bytes = 1}), 0);
    fclose(file);
    int err = goal_read_file(path, &p, reason, sizeof reason);
    unlink(path);
    if (err)
        fail_msg("%s", reason);
    assert_int_equal(p.tasks, 2 * 14 << 14);
    assert_int_equal(p.needs, 4 * 13 << 14);
    /* Seen from themselves all ranks do the same, which is kept once. */
    assert_true(p.forms.used_bytes == 29 * sizeof(struct goal_step) + 4 * 13 * sizeof(struct goal_follower));
    assert_int_equal(p.peers.used_bytes, 28 * sizeof(uint32_t));
    struct goal_task last = goal_program_task(&p, (1 << 14) - 1, p.tasks - 1);
    assert_true(last.kind == GOAL_SEND && last.peer == (1 << 13) - 1 && last.tag == 13 && last.size == 1 << 13);
    goal_program_destroy(&p);
    assert_int_equal(goal_read_file(path, &p, reason, sizeof reason), -ENOENT);
    assert_non_null(strstr(reason, "cannot read"));
}

static void assert_file(const char *head, size_t lines, const char *line, const char *tail, const char *says)
{
    char path[] = "/tmp/goal_read_XXXXXX", reason[200] = "", want[200];
    struct goal_program p;
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs(head, file);
    for (size_t i = 0; i < lines; i++)
        fputs(line, file);
    fputs(tail, file);
    fclose(file);
    int err = goal_read_file(path, &p, reason, sizeof reason);
    unlink(path);
    if (!says) {
        assert_string_equal(reason, "");
        goal_program_destroy(&p);
        return;
    }
    snprintf(want, sizeof want, "%s:%s", path, says);
    if (err != -EINVAL || strncmp(reason, want, strlen(want)))
        fail_msg("%d, '%s', not '%s'", err, reason, want);
}

/* Files are read piece by piece: what stands across two pieces, and lines far behind the first. */
static void reads_pieces_as_one(void **state)
{
    (void)state;
    assert_file("num_ranks 1\n/*", 100000, "over many lines *\n", "*/ rank 0 {\ncalc 1\n}", NULL);
    assert_file("num_ranks 1\nrank 0 {\n", 100000, "calc 1 // one\n", "calc\n}\n",
                "100003: expected nanoseconds, but the line ends here");
    assert_file("num_ranks 1\nrank 0 {\nfirst: calc 1\n", 100000, "calc 1\n", "last: calc 2\nlast requires first\n}\n", NULL);
    assert_file("num_ranks 1\n/*", 100000, "without an end\n", "", "2: this comment does not end");
    assert_file("num_ranks 1\n//", 1 << 20, "a line without end", "\n", "2: a line of more than 16 MiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_there_is),
        cmocka_unit_test(refuses_what_is_wrong),
        cmocka_unit_test(survives_being_cut),
        cmocka_unit_test(writes_schedules),
        cmocka_unit_test(parts_of_a_broadcast_add_up),
        cmocka_unit_test(reads_large_files),
        cmocka_unit_test(reads_pieces_as_one),
    };
    return cmocka_run_group_tests_name("goal_read", tests, NULL, NULL);
}

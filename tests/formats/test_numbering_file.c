/* Mappings: what is read, what is refused and with which line, and what is written. */
#include "tests/formats/formats_case.h"

#include "model/formats/numbering_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char sample[] = "# of a node with three\r\n"
                             "\n"
                             "  ranks 3\tmetis-rb of bruck, cut 4 \r\n"
                             "2 # rank 0\n"
                             "#\n"
                             "0\n"
                             "\t1";

static void reads_what_there_is(void **state)
{
    (void)state;
    static const uint32_t virtual[] = {2, 0, 1}, rank[] = {1, 2, 0};
    struct numbering_file file;
    char reason[200] = "";
    if (numbering_read("sample", sample, strlen(sample), &file, reason, sizeof reason))
        fail_msg("%s", reason);
    struct numbering numbering = numbering_of_file(&file);
    assert_int_equal(file.procs, 3);
    assert_string_equal(file.maker, "metis-rb of bruck, cut 4");
    assert_memory_equal(file.virtual_of_rank, virtual, sizeof virtual);
    assert_memory_equal(file.rank_of_virtual, rank, sizeof rank);
    assert_int_equal(numbering_check(&numbering, 3), 0);
    numbering_file_destroy(&file);
}

static const struct {
    const char *text, *says;
} bad[] = {
    {"", "bad:1: is empty: expected 'ranks N'"},
    {"# nothing\n\n", "bad:2: is empty: expected 'ranks N'"},
    {"0\n1\n", "bad:1: expected 'ranks N', the number of ranks, not '0'"},
    {"ranks\n0\n", "bad:1: expected 'ranks N', the number of ranks, not 'ranks'"},
    {"ranks4\n0\n", "bad:1: expected 'ranks N', the number of ranks, not 'ranks4'"},
    {"ranks nan\n0\n", "bad:1: expected 'ranks N', the number of ranks, not 'ranks nan'"},
    {"ranks 2x\n0\n", "bad:1: expected 'ranks N', the number of ranks, not 'ranks 2x'"},
    {"ranks -2\n0\n", "bad:1: expected 'ranks N', the number of ranks, not 'ranks -2'"},
    {"ranks 0\n", "bad:1: 0 ranks: must be 1 to 1073741824"},
    {"ranks 99999999999999999999\n", "ranks: must be 1 to 1073741824"},
    {"ranks 1000000000\n0\n", "bad:1: 1000000000 ranks, but the file has only 19 bytes: was it cut off?"},
    {"ranks 2 \001\n0\n1\n", "bad:1: what made it has the byte 0x01"},
    {"ranks 2 0123456789012345678901234567890123456789012345678901234567890123456789012345678901\n0\n1\n",
     "bad:1: what made it is 82 characters long, more than 79"},
    {"ranks 3\n0\n# end\n1\n", "bad:4: ends after 2 of 3 ranks: was it cut off?"},
    {"ranks 3\n0\n1\n3\n", "bad:4: virtual rank 3 of rank 2: must be below 3"},
    {"ranks 3\n0\n4294967297\n3\n", "bad:3: virtual rank 4294967297 of rank 1: must be below 3"},
    {"ranks 3\n0\n2\n\n0\n", "bad:5: virtual rank 0 is of rank 0 and again of rank 2: each must come once"},
    {"ranks 2\n0\nnan\n", "bad:3: expected a virtual rank, not 'nan'"},
    {"ranks 2\n0\n1.0\n", "bad:3: expected a virtual rank, not '1.0'"},
    {"ranks 2\n0\n-1\n", "bad:3: expected a virtual rank, not '-1'"},
    {"ranks 2\n0 1\n", "bad:2: expected a virtual rank, not '0 1'"},
    {"ranks 2\n\377\n", "bad:2: expected a virtual rank, not the byte 0xff"},
    {"ranks 2\n0\n1\n0\n", "bad:4: expected nothing after the last rank's line, not '0'"},
};

static void refuses_with_one_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct numbering_file file;
        char reason[200] = "";
        assert_int_equal(numbering_read("bad", bad[i].text, strlen(bad[i].text), &file, reason, sizeof reason), -EINVAL);
        if (!strstr(reason, bad[i].says) || strchr(reason, '\n'))
            fail_msg("of \"%s\": \"%s\"", bad[i].text, reason);
    }
}

/* Every prefix of a sound file is refused or, where only the line's end is missing, the same. */
static void refuses_what_is_cut_off(void **state)
{
    (void)state;
    static const char text[] = "ranks 12 x\n10\n11\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    for (size_t bytes = 0; bytes < sizeof text - 1; bytes++) {
        struct numbering_file file;
        char reason[200] = "";
        int err = numbering_read("cut", text, bytes, &file, reason, sizeof reason);
        assert_int_equal(err, bytes == sizeof text - 2 ? 0 : -EINVAL);
        assert_int_equal(reason[0] == 0, err == 0);
        if (!err)
            numbering_file_destroy(&file);
    }
}

static void is_written_and_read_again(void **state)
{
    (void)state;
    static const uint32_t virtual[] = {3, 1, 4, 0, 2};
    char path[] = "/tmp/test_numbering_file_XXXXXX", reason[200] = "";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct numbering_file file;
    assert_int_equal(numbering_write_file(path, 5, "by hand", virtual, reason, sizeof reason), 0);
    assert_int_equal(numbering_read_file(path, &file, reason, sizeof reason), 0);
    unlink(path);
    assert_int_equal(file.procs, 5);
    assert_string_equal(file.maker, "by hand");
    assert_memory_equal(file.virtual_of_rank, virtual, sizeof virtual);
    numbering_file_destroy(&file);
    assert_int_equal(numbering_read_file(path, &file, reason, sizeof reason), -ENOENT);
    assert_non_null(strstr(reason, "cannot read"));
    assert_true(numbering_write_file("/nowhere/at/all", 5, "", virtual, reason, sizeof reason) < 0);
    assert_non_null(strstr(reason, "/nowhere/at/all: cannot write"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_there_is),
        cmocka_unit_test(refuses_with_one_line),
        cmocka_unit_test(refuses_what_is_cut_off),
        cmocka_unit_test(is_written_and_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

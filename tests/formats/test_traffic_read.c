/* Traffic of applications: the three kinds of text, what is refused and with which line. */
#include "tests/formats/formats_case.h"

#include "model/formats/traffic_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARKET "%%MatrixMarket matrix "

static struct traffic traffic_of(const char *text, uint32_t ranks, int directed)
{
    struct traffic traffic;
    char reason[200] = "";
    struct traffic_wish wish = {ranks, directed};
    if (traffic_read("good", text, strlen(text), &wish, &traffic, reason, sizeof reason))
        fail_msg("%s", reason);
    return traffic;
}

static const struct {
    const char *text;
    int directed;
    uint32_t wish, ranks;
    uint64_t bytes[9]; /* [from * 3 + to] */
} good[] = {
    {"# three ranks\n0,1,2\n\n1,9, 3.4\r\n2 ,3.4,0\n", 0, 0, 3, {0, 1, 2, 1, 0, 3, 2, 3, 0}},
    {"0,1,2\n5,0,0\n0,7,0\n", 1, 3, 3, {0, 1, 2, 5, 0, 0, 0, 7, 0}},
    {"7\n", 0, 0, 1, {0}},
    {"\xef\xbb\xbf" "0,1,2\r\n1,0,3\r\n2,3,0\r\n", 0, 0, 3, {0, 1, 2, 1, 0, 3, 2, 3, 0}},
    {"\xef\xbb\xbf" "0 2 4\r\n2 0 4\r\n", 0, 0, 3, {0, 0, 4, 0, 0, 0, 4, 0, 0}},
    {"# profile\n0 1 100\n2\t0\t5e1\n0 1 11\n1 1 4\n", 0, 0, 3, {0, 111, 0, 0, 0, 0, 50, 0, 0}},
    {"0 1 4611686018427387900\n1 0 2\n0 2 1\n", 0, 0, 3, {0, 4611686018427387900, 1, 2, 0, 0, 0, 0, 0}},
    {"1 0 3\n", 0, 3, 3, {0, 0, 0, 3, 0, 0, 0, 0, 0}},
    {MARKET "coordinate real symmetric\n% of what\n3 3 3\n2 1 5\n3 2 1.5e3\n3 3 8\n", 0, 0, 3, {0, 5, 0, 5, 0, 1500, 0, 1500, 0}},
    {MARKET "Coordinate Integer General\n3 3 2\n1 3 6\n3 1 6\n", 0, 0, 3, {0, 0, 6, 0, 0, 0, 6, 0, 0}},
    {MARKET "coordinate integer general\n3 3 1\n1 3 6\n", 1, 0, 3, {0, 0, 6, 0, 0, 0, 0, 0, 0}},
    {MARKET "array integer general\n3 3\n0\n1\n2\n3\n0\n4\n5\n6\n0\n", 1, 0, 3, {0, 3, 5, 1, 0, 6, 2, 4, 0}},
    {MARKET "array real symmetric\n3 3\n0\n1\n2\n0\n4\n0\n", 0, 0, 3, {0, 1, 2, 1, 0, 4, 2, 4, 0}},
};

static void reads_what_there_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct traffic t = traffic_of(good[i].text, good[i].wish, good[i].directed);
        uint64_t total = 0;
        assert_int_equal(t.ranks, good[i].ranks);
        for (uint32_t from = 0; from < t.ranks; from++)
            for (uint32_t to = 0; to < t.ranks; to++) {
                if (traffic_bytes(&t, from, to) != good[i].bytes[from * t.ranks + to])
                    fail_msg("%zu: %u to %u is %llu", i, from, to, (unsigned long long)traffic_bytes(&t, from, to));
                total += traffic_bytes(&t, from, to);
            }
        assert_int_equal(t.total_bytes, total);
        traffic_destroy(&t);
    }
}

static const struct {
    const char *text, *says;
} bad[] = {
    {"", "bad: there is nothing in it"},
    {"# nothing\n\n", "bad:2: there is nothing in it"},
    {"0,1\n1,0", "bad:2: this last line has no end, so the file may have been cut"},
    {"0,1\n", "bad:1: the file ends after row 1 of 2"},
    {"0,1\n1\n", "bad:2: row 2 has 1 columns, those before have 2"},
    {"0,1\n1,0\n0,1\n", "bad:3: this is row 3 of a matrix of 2 columns"},
    {"0,nan\nnan,0\n", "bad:1: nan is no number of bytes"},
    {"0,NaN(7)\nnan,0\n", "bad:1: NaN(7) is no number of bytes"},
    {"0,inf\ninf,0\n", "bad:1: inf is no number of bytes"},
    {"0,1e300\n1e300,0\n", "bad:1: 1e300 bytes are too many"},
    {"\xff\xfe" "0\n", "bad:1: expected a number of bytes, not the byte 0xff"},
    {"0,1e999\n0,0\n", "bad:1: 1e999 bytes are too many"},
    {"0,-3\n-3,0\n", "bad:1: -3 bytes are negative"},
    {"0,1\n2,0\n", "bad:1: row 1, column 2: rank 0 sends 1 bytes to rank 1, but gets 2 back: make the matrix symmetric"},
    {"0,0\n2,0\n", "bad:2: row 2, column 1: rank 1 sends 2 bytes to rank 0, but gets 0 back"},
    {"0,0x10\n0,0\n", "bad:1: expected a number of bytes, not '0x10'"},
    {"0,\n0,0\n", "bad:1: expected a number of bytes, but the line ends here"},
    {"0,,0\n", "bad:1: expected a number of bytes, not ','"},
    {"0,1 2\n1,0\n", "bad:1: expected the end of the line, not '2'"},
    {"0 1 2,0\n", "bad:1: expected a comma, not '1'"},
    {"0,a\n", "bad:1: expected a number of bytes, not 'a'"},
    {"0,\001\n", "bad:1: expected a number of bytes, not the byte 0x01"},
    {"0,4611686018427387905\n0,0\n", "bad:1: 4611686018427387905 bytes are too many: give fewer than 2^62"},
    {"0,4611686018427387904\n0,0\n", "bad:1: 4611686018427387904 bytes are too many: give fewer than 2^62"},
    {"0,4611686018427387904.0\n0,0\n", "bad:1: 4611686018427387904.0 bytes are too many: give fewer than 2^62"},
    {"0 1 4611686018427387903\n1 0 1\n", "bad:2: with this all bytes together are too many: give fewer than 2^62"},
    {"0,4.7e18\n0,0\n", "bad:1: 4.7e18 bytes are too many"},
    {"0,2305843009213693952\n2305843009213693952,0\n", "bad:2: with this all bytes together are too many"},
    {"0,18446744073709551616\n0,0\n", "bad:1: 18446744073709551616 bytes are too many"},
    {"0 1\n", "bad:1: expected a number of bytes, but the line ends here"},
    {"0 1 2 3\n", "bad:1: expected the end of the line, not '3'"},
    {"0 1 2\n1 x 2\n", "bad:2: expected the number of the receiving rank, not 'x'"},
    {"0 16777216 2\n", "bad:1: 16777216 is too large: at most 16777215"},
    {"0 -1 2\n", "bad:1: expected the number of the receiving rank, not '-1'"},
    {"0 1 -2\n", "bad:1: -2 bytes are negative"},
    {"0 1 4611686018427387903\n0 1 4611686018427387903\n0 1 4611686018427387903\n", "bad:2: with this all bytes together"},
    {"0 1 2\n0 1", "bad:2: this last line has no end"},
    {MARKET "array real general", "bad:1: this last line has no end"},
    {MARKET "array real\n", "bad:1: expected general or symmetric, but the line ends here"},
    {MARKET "coordinate pattern general\n",
     "bad:1: a Matrix Market file with 'pattern' is no matrix of bytes: expected real or integer"},
    {MARKET "coordinate complex general\n", "bad:1: a Matrix Market file with 'complex'"},
    {MARKET "coordinate real skew-symmetric\n", "bad:1: a Matrix Market file with 'skew-symmetric'"},
    {"%%MatrixMarket vector array real general\n", "bad:1: a Matrix Market file with 'vector'"},
    {MARKET "array real general\n", "bad:1: expected the numbers of rows and columns, but the file ends here"},
    {MARKET "array real general\n2 3\n", "bad:2: 2 rows and 3 columns"},
    {MARKET "array real general\n0 0\n", "bad:2: 0 ranks are out of range"},
    {MARKET "array real general\n16777217 16777217\n", "bad:2: 16777217 ranks are out of range"},
    {MARKET "array real general\n99999999999 1\n", "bad:2: 99999999999 is too large"},
    {MARKET "array real general\n2 2 4\n", "bad:2: expected the end of the line, not '4'"},
    {MARKET "array real general\n2 2\n0\n1\n1\n", "bad:5: the file ends after 3 of 4 entries"},
    {MARKET "array real general\n2 2\n0\n1\n1\n0\n0\n", "bad:7: there is more than the 4 entries"},
    {MARKET "array integer general\n2 2\n0\n1.5\n", "bad:4: expected a whole number of bytes, not '1.5'"},
    {MARKET "array real general\n2 2\n0\n1\n2\n0\n", "bad:4: row 2, column 1: rank 1 sends 1 bytes to rank 0, but gets 2 back"},
    {MARKET "coordinate real general\n2 2 5\n", "bad:2: 5 is too large: at most 4"},
    {MARKET "coordinate real general\n2 2 1\n", "bad:2: the file ends after 0 of 1 entries"},
    {MARKET "coordinate real general\n2 2 1\n0 1 3\n", "bad:3: rows and columns of Matrix Market are counted from 1"},
    {MARKET "coordinate real general\n2 2 1\n3 1 3\n", "bad:3: 3 is too large: at most 2"},
    {MARKET "coordinate real general\n2 2 2\n1 2 3\n1 2 3\n",
     "bad:4: row 1, column 2: what rank 0 sends to rank 1 has been before"},
    {MARKET "coordinate real general\n2 2 1\n1 2 3\n", "bad:3: row 1, column 2: rank 0 sends 3 bytes to rank 1, but gets 0 back"},
    {MARKET "coordinate real symmetric\n2 2 1\n1 2 3\n", "bad:3: row 1, column 2 is above the diagonal"},
    {MARKET "coordinate real symmetric\n2 2 1\n2 1 nan\n", "bad:3: nan is no number of bytes"},
};

static void refuses_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct traffic traffic;
        struct traffic_wish wish = {0, 0};
        char reason[200] = "";
        int err = traffic_read("bad", bad[i].text, strlen(bad[i].text), &wish, &traffic, reason, sizeof reason);
        if (err != -EINVAL || strncmp(reason, bad[i].says, strlen(bad[i].says)) || strchr(reason, '\n'))
            fail_msg("%zu gave %d, '%s', not '%s'", i, err, reason, bad[i].says);
    }
}

static void refuses_other_numbers_of_ranks(void **state)
{
    (void)state;
    static const char *const text[] = {"0,1\n1,0\n", "0 3 1\n", MARKET "array real general\n2 2\n0\n1\n1\n0\n"};
    static const char *const says[] = {"bad:1: this is a matrix of 2 ranks, not of 3", "bad:1: there is no rank 3 among 3",
                                       "bad:2: this is a matrix of 2 ranks, not of 3"};
    for (size_t i = 0; i < 3; i++) {
        struct traffic traffic;
        struct traffic_wish wish = {3, 0};
        char reason[200] = "";
        assert_int_equal(traffic_read("bad", text[i], strlen(text[i]), &wish, &traffic, reason, sizeof reason), -EINVAL);
        assert_int_equal(strncmp(reason, says[i], strlen(says[i])), 0);
    }
}

/* Every beginning of a good text: a matrix is whole or refused; of an edge list what was read are whole lines. */
static void no_cut_file_passes_for_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const char *text = good[i].text;
        for (size_t bytes = 0; bytes < strlen(text); bytes++) {
            struct traffic traffic;
            struct traffic_wish wish = {good[i].wish, good[i].directed};
            char reason[200] = "", *exact = malloc(bytes + 1);
            memcpy(exact, text, bytes);
            if (traffic_read("cut", exact, bytes, &wish, &traffic, reason, sizeof reason) == 0) {
                assert_true(exact[bytes - 1] == '\n' && !strchr(text, ',') && text[0] != '%');
                traffic_destroy(&traffic);
            } else {
                assert_int_equal(strncmp(reason, "cut:", 4), 0);
            }
            free(exact);
        }
    }
}

static void files_are_read_and_named(void **state)
{
    (void)state;
    char path[] = "/tmp/shmcoll_traffic_XXXXXX", reason[200] = "";
    struct traffic_wish wish = {0, 0};
    struct traffic traffic;
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "0,5\n5,0\n", 8), 8);
    close(fd);
    assert_int_equal(traffic_read_file(path, &wish, &traffic, reason, sizeof reason), 0);
    assert_int_equal(traffic_bytes(&traffic, 1, 0), 5);
    traffic_destroy(&traffic);
    unlink(path);
    assert_int_equal(traffic_read_file(path, &wish, &traffic, reason, sizeof reason), -ENOENT);
    assert_int_equal(strncmp(reason, path, strlen(path)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_there_is),          cmocka_unit_test(refuses_what_is_wrong),
        cmocka_unit_test(refuses_other_numbers_of_ranks), cmocka_unit_test(no_cut_file_passes_for_whole),
        cmocka_unit_test(files_are_read_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* comm_config_best: a communicator of chosen lanes moves the right bytes on both sides of every border, with and without
 * peers. */
#include "watched_launch.h"

#include "kernels/allgather_lanes.h"
#include "kernels/launcher.h"
#include "kernels/verify.h"
#include "model/formats/presets.h"
#include "model/protocol/eager.h"
#include "model/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCS_MAX = 3, LARGEST = 3 << 20 };

struct errand {
    struct node node;
    uint32_t cores[PROCS_MAX];
    struct comm_surroundings around;
};

static int refuse(struct launch_rank *self, const char *what, uint64_t size)
{
    snprintf(self->message, COMM_REASON_BYTES, "%s at %llu bytes", what, (unsigned long long)size);
    return -EBADMSG;
}

static int moves(struct launch_rank *self, struct comm *comm, unsigned char *buffer, uint64_t size, uint32_t root)
{
    uint64_t key = verify_key(size, root);
    (self->rank == root ? verify_fill : verify_poison)(buffer, size, key);
    if (comm_bcast(comm, buffer, size, root))
        return refuse(self, comm_error_string(comm), size);
    return verify_check(buffer, size, key) < 0 ? 0 : refuse(self, "wrong bytes", size);
}

static int gathers(struct launch_rank *self, struct comm *comm, unsigned char *buffer, uint64_t block)
{
    unsigned char *own = buffer + self->procs * block;
    for (uint32_t r = 0; r < self->procs; r++)
        verify_poison(buffer + r * block, block, verify_key(block, r));
    verify_fill(own, block, verify_key(block, self->rank));
    if (comm_allgather(comm, own, buffer, block))
        return refuse(self, comm_error_string(comm), block);
    for (uint32_t r = 0; r < self->procs; r++)
        if (verify_check(buffer + r * block, block, verify_key(block, r)) >= 0)
            return refuse(self, "wrong bytes of a block", block);
    return 0;
}

/* The lane that was made for blocks of that size; LANE_BRIEF if a line holds them. */
static uint32_t lane_made_for(const struct comm_config *config, uint64_t block)
{
    for (uint32_t i = 0; i < config->lanes && block > EAGER_PAYLOAD_BYTES; i++)
        if (config->lane[i].block_max_bytes >= block)
            return LANE_COMPANION + i;
    return LANE_BRIEF;
}

/* Each block by its lane, whose counters move; in between, messages by the broadcasts'. */
static int all_gather(struct launch_rank *self, struct comm *comm, const struct comm_config *config, unsigned char *buffer)
{
    static const uint64_t block[] = {1, 120, 121, 5000, 70000, 300001, LARGEST / 4};
    int error = 0;
    for (size_t i = 0; i < sizeof block / sizeof *block && !error; i++) {
        uint32_t lane = lane_made_for(config, block[i]), before = comm->lane[lane].op;
        error = gathers(self, comm, buffer, block[i]);
        if (!error && comm->lane[lane].op == before)
            error = refuse(self, "another lane", block[i]);
        if (!error && i % 2)
            error = moves(self, comm, buffer, block[i], 0);
    }
    return error;
}

static int body(struct launch_rank *self, void *argument)
{
    const struct errand *errand = argument;
    struct comm_config config;
    struct comm *comm;
    unsigned char *buffer = malloc(LARGEST + 1);
    int error = comm_config_best(self->procs, self->rank, &errand->around, &config, self->message);
    if (error)
        return error;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = self;
    error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    for (uint32_t lane = 0; lane < config.lanes && !error; lane++)
        for (int beyond = 0; beyond < 2 && !error; beyond++) {
            uint64_t border = config.lane[lane].size_max_bytes;
            error = moves(self, comm, buffer, border < LARGEST ? border + (uint64_t)beyond : LARGEST, lane % self->procs);
        }
    if (!error)
        error = all_gather(self, comm, &config, buffer);
    if (!error && (config.lanes < 2 || config.lane[config.lanes - 1].size_max_bytes != UINT64_MAX))
        error = refuse(self, "not a table", config.lanes);
    comm_destroy(comm);
    free(buffer);
    return error;
}

static void errand_create(struct errand *errand, uint32_t procs, double peer_page_ns)
{
    *errand = (struct errand){.around = {.node = &errand->node, .core_of_rank = errand->cores, .budget_bytes = 1 << 20}};
    assert_int_equal(preset_create("nehalem-2x4", &errand->node), 0);
    assert_int_equal(placement_fill("compact", &errand->node, procs, errand->cores), 0);
    errand->node.peer_call_ns = quantity_of(300, "test");
    errand->node.peer_page_ns = quantity_of(peer_page_ns, "test");
}

static void run(uint32_t procs, int threads, double peer_page_ns)
{
    struct errand errand;
    errand_create(&errand, procs, peer_page_ns);
    errand.around.threads = threads;
    struct launch_options options = {.procs = procs, .backend = threads ? BACKEND_THREADS : BACKEND_PROCS, .timeout_s = HANGS_S};
    struct launch_report report;
    int error = launcher_run(&options, body, &errand, NULL, NULL, &report);
    if (error)
        fail_msg("%u %s: rank %lld: error %d: %s", procs, threads ? "threads" : "procs", (long long)report.failed_rank, error,
                 report.reason);
    node_destroy(&errand.node);
}

static void bytes_are_right(void **state)
{
    (void)state;
    for (uint32_t procs = 2; procs <= PROCS_MAX; procs++)
        for (int threads = !backend_runs(BACKEND_PROCS); threads < 2; threads++) {
            run(procs, threads, 1);
            run(procs, threads, 5000);
        }
}

/* Where the kernel's copies are cheap, lanes use them, and know what else to do. */
static void peers_are_a_matter_of_cost(void **state)
{
    (void)state;
    for (int dear = 0; dear < 2; dear++) {
        struct errand errand;
        struct comm_config config;
        char reason[COMM_REASON_BYTES];
        errand_create(&errand, 2, dear ? 5000 : 1);
        assert_int_equal(comm_config_best(2, 0, &errand.around, &config, reason), 0);
        uint32_t lanes = config.lanes;
        while (config.lane[lanes - 1].block_max_bytes) /* behind the broadcasts' */
            lanes--;
        assert_true(lanes < config.lanes);
        const struct protocol *last = config.lane[lanes - 1].protocol;
        assert_int_equal((last->uses & PROTOCOL_PEERS) != 0, !dear);
        assert_int_equal(config.without_peers.protocol != NULL, !dear);
        if (!dear)
            assert_int_equal(config.without_peers.protocol->uses & PROTOCOL_PEERS, 0);
        node_destroy(&errand.node);
    }
}

static void nothing_is_guessed(void **state)
{
    (void)state;
    struct errand errand;
    struct comm_config config = {.procs = 77};
    char reason[COMM_REASON_BYTES] = "";
    errand_create(&errand, 2, 1);
    for (int c = 0; c < HANDOVER_CLASS_COUNT; c++)
        errand.node.handover_ns[c] = quantity_unknown();
    assert_int_equal(comm_config_best(2, 0, &errand.around, &config, reason), -ENOTSUP);
    assert_int_equal(config.procs, 77);
    assert_non_null(strstr(reason, "calibrate"));
    assert_int_equal(comm_config_best(2, 0, &errand.around, &config, NULL), -ENOTSUP);
    node_destroy(&errand.node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_right),
        cmocka_unit_test(peers_are_a_matter_of_cost),
        cmocka_unit_test(nothing_is_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Lanes and areas: which lane a message takes, what is refused, whose memory is whose, several communicators, nothing lost. */
#include "leftovers.h"
#include "watched_launch.h"

#include "kernels/comm_internal.h"
#include "kernels/launcher.h"
#include "kernels/verify.h"
#include "model/protocol/eager.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROCS = 3, LARGEST = 300000, LOOPS = 60, AREA_BYTES = 20000 };

/* In a body: what does not hold becomes the rank's error. */
#define EXPECT(self, condition)                                                                     \
    do {                                                                                            \
        if (!(condition)) {                                                                         \
            snprintf((self)->message, COMM_REASON_BYTES, "line %d: not so: %s", __LINE__, #condition); \
            return -EBADMSG;                                                                        \
        }                                                                                           \
    } while (0)

static void run_on(uint32_t procs, enum backend backend, launch_body body, void *argument)
{
    struct launch_options options = {.procs = procs, .backend = backend, .timeout_s = HANGS_S};
    struct launch_report report;
    int error = launcher_run(&options, body, argument, NULL, NULL, &report);
    if (error)
        fail_msg("%s: rank %lld: error %d: %s", backend == BACKEND_THREADS ? "threads" : "procs", (long long)report.failed_rank,
                 error, report.reason);
}

static void run(launch_body body, void *argument)
{
    run_on(PROCS, BACKEND_THREADS, body, argument);
    if (backend_runs(BACKEND_PROCS))
        run_on(PROCS, BACKEND_PROCS, body, argument);
}

static struct comm_lane lane_of(const struct protocol *protocol, uint64_t size_max_bytes)
{
    return (struct comm_lane){.protocol = protocol, .fragment_bytes = 4096, .slots = 4, .sets = 1, .tree = {TREE_KARY, 2},
                              .size_max_bytes = size_max_bytes};
}

static struct comm_config config_of(const struct launch_rank *self, uint32_t lanes, const struct comm_lane *lane)
{
    struct comm_config config = comm_config_of(self->procs, self->rank, &lane[0]);
    memcpy(config.lane, lane, lanes * sizeof *lane);
    config.lanes = lanes;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = (void *)self;
    return config;
}

/* One checked broadcast. */
static int moves(struct comm *comm, uint32_t rank, unsigned char *buffer, uint64_t size, uint32_t root, uint64_t call)
{
    uint64_t key = verify_key(call, root);
    if (rank == root)
        verify_fill(buffer, size, key);
    else
        verify_poison(buffer, size, key);
    return comm_bcast(comm, buffer, size, root) == 0 && verify_check(buffer, size, key) < 0;
}

/* ---- the lane for a size ---- */

/* Every protocol of the table, eager twice, two lanes that can never be reached. */
static const struct {
    uint64_t size;
    uint32_t lane; /* LANES: none */
} expected[] = {{0, 0}, {1, 0}, {8, 0}, {9, 1}, {120, 1}, {121, 2}, {5000, 2}, {5001, 4}, {40000, 4}, {40001, 5}, {65536, 5},
                {65537, 6}, {LARGEST, 6}, {LARGEST + 1, 8}, {UINT64_MAX, 8}};
enum { LANES = 8 };

static int selection_body(struct launch_rank *self, void *argument)
{
    const struct comm_lane lanes[LANES] = {
        lane_of(&protocol_eager, 8), lane_of(&protocol_eager, 120), lane_of(&protocol_slot_ring, 5000),
        lane_of(&protocol_counted, 5000), lane_of(&protocol_pipelined, 40000), lane_of(&protocol_cooperative, 65536),
        lane_of(&protocol_release_gather, LARGEST), lane_of(&protocol_banked, LARGEST)};
    struct comm_config config = config_of(self, LANES, lanes);
    unsigned char *buffer = malloc(LARGEST);
    (void)argument;
    struct comm *comm;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    for (uint32_t i = 0; i < 3 * sizeof expected / sizeof *expected; i++) {
        uint64_t size = expected[i / 3].size;
        uint32_t before[LANES], lane = expected[i / 3].lane, root = i % PROCS;
        for (uint32_t k = 0; k < LANES; k++)
            before[k] = comm->lane[k].op;
        if (lane == LANES) {
            verify_fill(buffer, LARGEST, 77);
            EXPECT(self, comm_bcast(comm, buffer, size, root) == -EINVAL);
            EXPECT(self, verify_check(buffer, LARGEST, 77) < 0);
            EXPECT(self, comm_error_string(comm)[0] == 0 && comm_error_rank(comm) == -1);
        } else {
            EXPECT(self, moves(comm, self->rank, buffer, size, root, i));
        }
        for (uint32_t k = 0; k < LANES; k++)
            EXPECT(self, (comm->lane[k].op != before[k]) == (k == lane && size > 0));
    }
    EXPECT(self, moves(comm, self->rank, buffer, 100, 1, 1000));
    free(buffer);
    comm_destroy(comm);
    return 0;
}

static void a_message_takes_its_lane(void **state)
{
    (void)state;
    run(selection_body, NULL);
}

static int nothing_done_body(struct launch_rank *self, void *argument)
{
    struct comm_lane lane = lane_of(argument, 1000);
    struct comm_config config = config_of(self, 1, &lane);
    struct comm_data none = {0};
    unsigned char byte = 0;
    struct comm *comm;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    EXPECT(self, comm_bcast(comm, &byte, 1001, 0) == -EINVAL);
    EXPECT(self, comm_bcast(comm, &byte, 1, PROCS) == -EINVAL);
    EXPECT(self, comm_bcast(comm, NULL, 1, 0) == -EINVAL);
    EXPECT(self, comm_bcast(comm, NULL, 0, 0) == 0);
    EXPECT(self, comm_bcast_packed(comm, &none, 1, 0) == -EINVAL);
    for (uint32_t call = 0; call < 9; call++)
        EXPECT(self, moves(comm, self->rank, &byte, 1, call % PROCS, call));
    comm_destroy(comm);
    return 0;
}

static void refused_calls_do_nothing(void **state)
{
    (void)state;
    for (const struct protocol *const *p = protocol_table; *p; p++)
        if (*p != &protocol_eager)
            run(nothing_done_body, (void *)*p);
}

/* ---- what is refused when a communicator is made ---- */

enum fault { THRESHOLD, PROTOCOL, FRAGMENT, SLOTS, TREE, READERS, LANE_COUNT, AREA, START, AGREEMENTS,
             /* from here on all ranks do it */
             FALLING = AGREEMENTS, NO_LANES, TOO_MANY_LANES, NO_PROTOCOL, NO_FRAGMENT, EAGER_TOO_LONG, FAULTS };

static void spoil(struct comm_config *config, enum fault fault)
{
    struct comm_lane *lane = &config->lane[1];
    switch (fault) {
    case THRESHOLD: lane[-1].size_max_bytes--; break;
    case PROTOCOL: lane->protocol = &protocol_banked; break;
    case FRAGMENT: lane->fragment_bytes++; break;
    case SLOTS: lane->slots *= 2; break;
    case TREE: lane->tree.degree++; break;
    case READERS: lane->readers_most++; break;
    case LANE_COUNT: config->lanes--; break;
    case AREA: config->area_bytes++; break;
    case START: config->op_start++; break;
    case FALLING: lane->size_max_bytes = 1; break;
    case NO_LANES: config->lanes = 0; break;
    case TOO_MANY_LANES: config->lanes = COMM_LANES_MAX + 1; break;
    case NO_PROTOCOL: lane->protocol = NULL; break;
    case NO_FRAGMENT: lane->fragment_bytes = 0; break;
    case EAGER_TOO_LONG: config->lane[0].size_max_bytes = EAGER_PAYLOAD_BYTES + 1; break;
    case FAULTS: break;
    }
}

static int refusal_body(struct launch_rank *self, void *argument)
{
    enum fault fault = *(enum fault *)argument;
    const struct comm_lane lanes[] = {lane_of(&protocol_eager, 100), lane_of(&protocol_pipelined, UINT64_MAX)};
    struct comm_config config = config_of(self, 2, lanes);
    char reason[COMM_REASON_BYTES] = "";
    struct comm *comm = NULL;
    if (self->rank == 2 || fault >= AGREEMENTS)
        spoil(&config, fault);
    EXPECT(self, comm_create(&config, &self->bootstrap, &comm, reason) == -EINVAL);
    EXPECT(self, comm == NULL && strncmp(reason, "rank ", 5) == 0);
    EXPECT(self, fault >= AGREEMENTS || (strstr(reason, "rank 2") && strstr(reason, "differs")));
    return 0;
}

static void bad_lanes_are_refused(void **state)
{
    (void)state;
    struct leftovers before = leftovers_count();
    for (enum fault fault = 0; fault < FAULTS; fault++)
        run(refusal_body, &fault);
    assert_null(leftovers_find(before));
}

/* ---- areas ---- */

static int area_body(struct launch_rank *self, void *argument)
{
    const struct comm_lane lane = lane_of(argument, UINT64_MAX);
    struct comm_config config = config_of(self, 1, &lane);
    struct comm *comm;
    config.area_bytes = AREA_BYTES;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    unsigned char *area = comm_area(comm), *seen[PROCS];
    EXPECT(self, (uintptr_t)area % (uintptr_t)sysconf(_SC_PAGESIZE) == 0);
    verify_fill(area, AREA_BYTES, self->rank + 1);
    EXPECT(self, launcher_barrier(self) == 0);
    /* The others' areas, in this rank's mapping: apart from each other, and with what their ranks wrote. */
    for (uint32_t r = 0; r < PROCS; r++) {
        seen[r] = (unsigned char *)comm->base + segment_range_area(&comm->plan, r).offset;
        EXPECT(self, verify_check(seen[r], AREA_BYTES, r + 1) < 0);
        EXPECT(self, segment_range_area(&comm->plan, r).bytes >= AREA_BYTES);
    }
    EXPECT(self, seen[self->rank] == area);
    EXPECT(self, launcher_barrier(self) == 0);
    for (uint32_t call = 0; call < 4 * PROCS; call++) {
        uint32_t root = call % PROCS;
        uint64_t size = AREA_BYTES - call; /* ends with the area, begins anywhere */
        EXPECT(self, moves(comm, self->rank, area + call, size, root, call));
        EXPECT(self, launcher_barrier(self) == 0);
        for (uint32_t r = 0; r < PROCS; r++)
            EXPECT(self, verify_check(seen[r] + call, size, verify_key(call, root)) < 0);
        EXPECT(self, launcher_barrier(self) == 0);
    }
    comm_destroy(comm);
    return 0;
}

static void areas_are_seen_by_all(void **state)
{
    (void)state;
    for (const struct protocol *const *p = protocol_table; *p; p++)
        if (*p != &protocol_eager)
            run(area_body, (void *)*p);
}

/* What the root offers: the area is named as such, wherever each rank has it; anything else as private. */
static int offer_body(struct launch_rank *self, void *argument)
{
    const struct comm_lane lane = lane_of(&protocol_single_copy, UINT64_MAX);
    struct comm_config config = config_of(self, 1, &lane);
    unsigned char private[64];
    struct comm *comm;
    (void)argument;
    config.area_bytes = AREA_BYTES;
    int error = comm_create(&config, &self->bootstrap, &comm, self->message);
    if (error)
        return error;
    const uint64_t card_at = segment_word_offset(comm->lane[0].layout, WORD_OFFER, 1, 0) + PEER_CARD_OFFSET;
    const struct peer_card *card = (const struct peer_card *)(const void *)(comm->lane[0].base + card_at);
    EXPECT(self, moves(comm, self->rank, (unsigned char *)comm_area(comm) + 5, 1000, 1, 1));
    EXPECT(self, card->where == PEER_AREA && card->bytes == 1000);
    EXPECT(self, card->address == segment_range_area(&comm->plan, 1).offset + 5);
    EXPECT(self, launcher_barrier(self) == 0);
    EXPECT(self, moves(comm, self->rank, private, sizeof private, 1, 2));
    /* Where the kernel forbids to reach for it, it is not offered. */
    EXPECT(self, (card->where == PEER_PRIVATE && card->bytes == sizeof private) || comm_note(comm)[0]);
    EXPECT(self, launcher_barrier(self) == 0);
    comm_destroy(comm);
    return 0;
}

static void offers_say_where_buffers_are(void **state)
{
    (void)state;
    run(offer_body, NULL);
}

/* ---- several communicators ---- */

struct side {
    struct launch_rank *self;
    struct comm *comm;
    uint32_t first;
    int wrong;
};

static void *side_main(void *argument)
{
    struct side *side = argument;
    unsigned char *buffer = malloc(LARGEST);
    for (uint32_t call = side->first; call < side->first + 40 && buffer; call++)
        side->wrong |=
            !moves(side->comm, side->self->rank, buffer, (uint64_t)call * 7919 % LARGEST, (call * 5 + side->first) % PROCS, call);
    free(buffer);
    return NULL;
}

static int two_body(struct launch_rank *self, void *argument)
{
    const struct comm_lane lanes[] = {lane_of(argument, 20000), lane_of(&protocol_counted, UINT64_MAX)};
    struct comm_config config[2] = {config_of(self, 2, lanes), config_of(self, 1, lanes)};
    struct side side[2];
    pthread_t thread;
    config[1].lane[0].size_max_bytes = UINT64_MAX;
    config[1].area_bytes = 100;
    for (int i = 0; i < 2; i++) {
        side[i] = (struct side){.self = self, .first = (uint32_t)i * 1000};
        int error = comm_create(&config[i], &self->bootstrap, &side[i].comm, self->message);
        if (error)
            return error;
    }
    /* By turns in one thread, then at once in two; then one goes and the other goes on. */
    unsigned char buffer[30000];
    for (uint32_t call = 0; call < 20; call++)
        EXPECT(self, moves(side[call % 2].comm, self->rank, buffer, call * 1500, call % PROCS, call));
    EXPECT(self, pthread_create(&thread, NULL, side_main, &side[1]) == 0);
    side_main(&side[0]);
    pthread_join(thread, NULL);
    EXPECT(self, !side[0].wrong && !side[1].wrong);
    comm_destroy(side[0].comm);
    side_main(&side[1]);
    EXPECT(self, !side[1].wrong);
    comm_destroy(side[1].comm);
    return 0;
}

static void two_communicators_at_once(void **state)
{
    (void)state;
    for (const struct protocol *const *p = protocol_table; *p; p++)
        if (*p != &protocol_eager)
            run(two_body, (void *)*p);
}

/* Argument: whether ranks are processes, where nobody else maps or opens anything meanwhile. */
static int loop_body(struct launch_rank *self, void *argument)
{
    struct leftovers before = {0};
    for (uint32_t i = 0; i < LOOPS; i++) {
        const struct comm_lane lanes[] = {lane_of(&protocol_eager, 100), lane_of(&protocol_single_copy, 5000),
                                          lane_of(&protocol_pipelined, UINT64_MAX)};
        struct comm_config config = config_of(self, 3, lanes);
        unsigned char buffer[6000];
        struct comm *comm = NULL;
        config.area_bytes = i % 3 * 5000;
        config.huge_pages = i % 7 == 3;
        if (i % 5 == 4) /* refused at once, or when all have told */
            spoil(&config, i % 2 ? FALLING : self->rank == 1 ? AREA : FAULTS);
        int error = comm_create(&config, &self->bootstrap, &comm, self->message);
        EXPECT(self, (error != 0) == (i % 5 == 4));
        EXPECT(self, error || moves(comm, self->rank, buffer, i * 100, i % PROCS, i));
        comm_destroy(comm);
        if (i == LOOPS / 2) /* by then the C library has what it wants */
            before = leftovers_count();
    }
    EXPECT(self, !argument || leftovers_find(before) == NULL);
    return 0;
}

static void nothing_is_lost_in_a_loop(void **state)
{
    (void)state;
    struct leftovers before = leftovers_count();
    run_on(PROCS, BACKEND_PROCS, loop_body, &before);
    run_on(PROCS, BACKEND_THREADS, loop_body, NULL);
    assert_null(leftovers_find(before));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_takes_its_lane), cmocka_unit_test(refused_calls_do_nothing),
        cmocka_unit_test(bad_lanes_are_refused), cmocka_unit_test(areas_are_seen_by_all),
        cmocka_unit_test(offers_say_where_buffers_are), cmocka_unit_test(two_communicators_at_once),
        cmocka_unit_test(nothing_is_lost_in_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

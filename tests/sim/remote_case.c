#include "tests/sim/remote_case.h"
#include "tests/model/cmocka_all.h"

const struct nic *remote_tianhe(void)
{
    const struct nic *nic = nic_find("tianhe");
    assert_non_null(nic);
    return nic;
}

struct sim_remote_question remote_question(const struct nic *nic, const char *layer, const struct channel_kind *kind,
                                           uint32_t procs)
{
    struct sim_remote_question q = {.kind = kind, .procs = procs};
    assert_non_null(nic_layer_find(nic, layer));
    q.costs = nic_ps_of(nic, nic_layer_find(nic, layer));
    assert_int_equal(channel_shape_remote(kind, 8192, 8, &q.shape), 0);
    return q;
}

uint64_t remote_time_ps(const struct sim_remote_question *q, enum p2p_pattern pattern, uint64_t bytes, uint32_t window)
{
    struct sim_remote s;
    struct job_p2p job = {bytes, pattern, window};
    struct sim_remote_program program = sim_remote_p2p(&job);
    uint64_t ps = 0;
    char reason[200] = "";
    assert_int_equal(sim_remote_create(&s, q, reason, sizeof reason), 0);
    for (int call = 0; call < 2; call++)
        if (sim_remote_call(&s, &program, NULL, &ps, reason, sizeof reason))
            fail_msg("%s, %llu bytes: %s", q->kind->name, (unsigned long long)bytes, reason);
    assert_true(sim_remote_sound(&s));
    sim_remote_destroy(&s);
    return sim_remote_p2p_time_ps(&job, ps);
}

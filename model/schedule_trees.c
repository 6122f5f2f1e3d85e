#include "model/schedule_trees.h"

#include "model/schedule/modular.h"

#include <stddef.h>

enum { CHAINS = 4 };

const struct schedule_algorithm *const schedule_trees[] = {&schedule_linear, &schedule_chains, &schedule_binary,
                                                           &schedule_binomial_near, NULL};

static uint32_t log2_down(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

/* What a tree is made of, ranks counting from the root. */
struct schedule_tree {
    uint32_t (*children)(uint32_t procs, uint32_t u);
    uint32_t (*child)(uint32_t procs, uint32_t u, uint32_t i);
    uint32_t (*parent)(uint32_t procs, uint32_t u); /* u > 0 */
    uint32_t (*round)(uint32_t procs, uint32_t u);  /* in which u > 0 receives */
};

/* ---- linear ---- */

static uint32_t linear_children(uint32_t procs, uint32_t u)
{
    return u ? 0 : procs - 1;
}

static uint32_t linear_child(uint32_t procs, uint32_t u, uint32_t i)
{
    (void)procs;
    return u + 1 + i;
}

static uint32_t linear_parent(uint32_t procs, uint32_t u)
{
    (void)procs, (void)u;
    return 0;
}

static uint32_t linear_round(uint32_t procs, uint32_t u)
{
    (void)procs;
    return u - 1;
}

/* ---- chains: the first ones are longer by one where procs - 1 is no multiple of their number ---- */

static uint32_t chain_begin(uint32_t procs, uint32_t i)
{
    uint32_t length = (procs - 1) / CHAINS, longer = (procs - 1) % CHAINS;
    return 1 + i * length + (i < longer ? i : longer);
}

static uint32_t chain_of(uint32_t procs, uint32_t u)
{
    uint32_t i = 0;
    while (i + 1 < CHAINS && chain_begin(procs, i + 1) <= u)
        i++;
    return i;
}

static uint32_t chains_children(uint32_t procs, uint32_t u)
{
    if (u == 0)
        return procs - 1 < CHAINS ? procs - 1 : CHAINS;
    return u + 1 < procs && chain_of(procs, u + 1) == chain_of(procs, u);
}

static uint32_t chains_child(uint32_t procs, uint32_t u, uint32_t i)
{
    return u ? u + 1 : chain_begin(procs, i);
}

static uint32_t chains_parent(uint32_t procs, uint32_t u)
{
    return u == chain_begin(procs, chain_of(procs, u)) ? 0 : u - 1;
}

static uint32_t chains_round(uint32_t procs, uint32_t u)
{
    uint32_t i = chain_of(procs, u);
    return i + u - chain_begin(procs, i);
}

/* ---- binary: level l begins at 2^l - 1 ---- */

static uint32_t binary_child(uint32_t procs, uint32_t u, uint32_t i)
{
    uint64_t child = u + ((uint64_t)(i + 1) << log2_down(u + 1));
    return child < procs ? (uint32_t)child : procs;
}

static uint32_t binary_children(uint32_t procs, uint32_t u)
{
    return (binary_child(procs, u, 0) < procs) + (binary_child(procs, u, 1) < procs);
}

static uint32_t binary_parent(uint32_t procs, uint32_t u)
{
    (void)procs;
    uint32_t above = 1u << (log2_down(u + 1) - 1);
    return u - above < 2 * above - 1 ? u - above : u - 2 * above;
}

static uint32_t binary_round(uint32_t procs, uint32_t u)
{
    uint32_t round = 0;
    for (; u > 0; u = binary_parent(procs, u))
        round += 1 + (binary_child(procs, binary_parent(procs, u), 1) == u);
    return round - 1;
}

/* ---- binomial, the nearest first ---- */

static uint32_t near_first(uint32_t u)
{
    return u ? log2_down(u) + 1 : 0;
}

static uint32_t near_children(uint32_t procs, uint32_t u)
{
    uint32_t n = 0;
    while (u + (UINT64_C(1) << (near_first(u) + n)) < procs)
        n++;
    return n;
}

static uint32_t near_child(uint32_t procs, uint32_t u, uint32_t i)
{
    (void)procs;
    return u + (1u << (near_first(u) + i));
}

static uint32_t near_parent(uint32_t procs, uint32_t u)
{
    (void)procs;
    return u - (1u << log2_down(u));
}

static uint32_t near_round(uint32_t procs, uint32_t u)
{
    (void)procs;
    return log2_down(u);
}

/* ---- what they have in common ---- */

static uint32_t tree_steps(const struct schedule *s, const struct schedule_tree *tree, uint32_t rank)
{
    uint32_t u = modular_subtract(s->procs, rank, s->root);
    return (u > 0) + tree->children(s->procs, u);
}

static void tree_step(const struct schedule *s, const struct schedule_tree *tree, uint32_t rank, uint32_t k,
                      struct schedule_step *out)
{
    uint32_t u = modular_subtract(s->procs, rank, s->root);
    struct schedule_blocks all = modular_blocks(0, s->procs);
    if (u > 0 && k == 0) {
        out->receive_from = modular_add(s->procs, tree->parent(s->procs, u), s->root);
        out->receive = all;
        out->round = tree->round(s->procs, u);
        return;
    }
    uint32_t child = tree->child(s->procs, u, k - (u > 0));
    out->send_to = modular_add(s->procs, child, s->root);
    out->send = all;
    out->round = tree->round(s->procs, child);
}

/* Someone receives in the last round: the last rank of a level, of a chain, or of all. */
static uint32_t tree_rounds(const struct schedule *s, const struct schedule_tree *tree)
{
    uint32_t rounds = 0;
    for (uint32_t u = 1; u < s->procs; u++) {
        uint32_t round = tree->round(s->procs, u) + 1;
        rounds = round > rounds ? round : rounds;
    }
    return rounds;
}

#define TREE(NAME, TEXT, CHILDREN, CHILD, PARENT, ROUND)                                                                         \
    static const struct schedule_tree NAME##_tree = {CHILDREN, CHILD, PARENT, ROUND};                                            \
    static uint32_t NAME##_rounds(const struct schedule *s)                                                                      \
    {                                                                                                                            \
        return tree_rounds(s, &NAME##_tree);                                                                                     \
    }                                                                                                                            \
    static uint32_t NAME##_steps(const struct schedule *s, uint32_t rank)                                                        \
    {                                                                                                                            \
        return tree_steps(s, &NAME##_tree, rank);                                                                                \
    }                                                                                                                            \
    static void NAME##_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)                      \
    {                                                                                                                            \
        tree_step(s, &NAME##_tree, rank, k, out);                                                                                \
    }                                                                                                                            \
    const struct schedule_algorithm schedule_##NAME = {.name = #NAME,                                                            \
                                                       .summary = TEXT,                                                          \
                                                       .kind = SCHEDULE_BCAST,                                                   \
                                                       .rounds = NAME##_rounds,                                                  \
                                                       .steps = NAME##_steps,                                                    \
                                                       .step = NAME##_step};

TREE(linear, "the root sends to everyone; procs - 1 rounds", linear_children, linear_child, linear_parent, linear_round)
TREE(chains, "down four chains", chains_children, chains_child, chains_parent, chains_round)
TREE(binary, "down a binary tree, numbered level by level", binary_children, binary_child, binary_parent, binary_round)
TREE(binomial_near, "down a binomial tree, to the nearest first", near_children, near_child, near_parent, near_round)

int schedule_is_tree(const struct schedule *s)
{
    for (uint32_t r = 0; r < s->procs; r++)
        for (uint32_t k = 0; k < schedule_steps(s, r); k++) {
            struct schedule_step step;
            schedule_step(s, r, k, &step);
            if ((step.receive_from != SCHEDULE_NONE) != (k == 0 && r != s->root))
                return 0;
        }
    return s->algorithm->kind == SCHEDULE_BCAST;
}

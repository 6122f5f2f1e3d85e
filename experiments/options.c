#include "experiments/options.h"
#include "experiments/option_parsers.h"
#include "model/allgather_model.h"
#include "model/channel.h"

#include <assert.h>
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EVALUATE "model sim run compare"
#define SCENARIO EVALUATE " calibrate" /* calibrate: with --from */
#define AT(field) offsetof(struct settings, field)

const struct option_row option_table[] = {
    {"node", 0, "NODE", "host, a preset, a node file (YAML), an hwloc XML file or synthetic:DESC (default: host; of map none, "
     "places of a node are alike)",
     EVALUATE " topo calibrate figure map",
     "host paper nehalem-2x4 broadwell-2x8 haswell-2x14 skylake-2x12 cascadelake-2x24 icelake-2x32 epyc7742-2x64 kunpeng920-2x64 "
     "thunderx2-2x32 FILE", parse_text, AT(node)},
    {"procs", 'n', "N", "number of ranks (list; default: 2, of map with --matrix as many as that has)", SCENARIO " export map",
     NULL, parse_positive_list, AT(procs)},
    {"size", 's', "BYTES",
     "message size, of allgather a rank's block: 64K, a list 64K,1M or a doubling range 1K..16M (default: 1M)",
     EVALUATE " export map", NULL, parse_size_list, AT(size)},
    {"fragment", 'f', "BYTES", "fragment size f (list)", SCENARIO, NULL, parse_positive_list, AT(fragment)},
    {"slots", 0, "N", "fragment buffers of a queue s (list)", SCENARIO, NULL, parse_positive_list, AT(slots)},
    {"sets", 0, "N", "sets of buffers q, which divide s (list; default: 1, or the protocol's own)", SCENARIO, NULL,
     parse_positive_list, AT(sets)},
    {"buffer", 'b', "BYTES", "bytes of a queue b = f*s; given two of f, s and b the third follows (list)", EVALUATE, NULL,
     parse_positive_list, AT(buffer)},
    {"tree", 't', "TREE",
     "flat, chain, kary:K, knomial:K, or joined:K, a kary:K in each NUMA domain (list; default: flat, or the protocol's own)",
     SCENARIO, "flat chain kary:2 kary:4 knomial:2 joined:2", parse_tree_list, AT(tree)},
    {"protocol", 0, "NAME",
     "auto, best or one of the protocols below; best: what the node's costs say is fastest, with its parameters; auto: best if "
     "nothing of a queue or tree is given, else pipelined; of allgather: direct_line up to 120 bytes, shared_source for shared "
     "buffers, direct (default: auto)",
     SCENARIO,
     "auto best pipelined eager counted single_copy cooperative shared_source slot_ring banked release_gather direct direct_line",
     parse_protocol, AT(protocol)},
    {"algorithm", 0, "NAME",
     "allgather: direct, by --protocol; ring, recursive_doubling, bruck, neighbour_exchange, sparbit or locality_bruck, by "
     "messages over --channel; best, "
     "the fastest by the node's costs, of the schedules if --channel is given; or all that the ranks allow (list; default: "
     "direct, with --network bruck); bcast with --network: binomial, scatter_allgather or scatter_doubling (default: binomial)",
     EVALUATE,
     "all best direct ring recursive_doubling bruck neighbour_exchange sparbit locality_bruck binomial scatter_allgather "
     "scatter_doubling",
     parse_algorithm_list, AT(algorithm)},
    {"mapping", 0, "FILE",
     "allgather by a schedule: the virtual rank that each rank plays (text: 'ranks N', then a line for each rank)",
     EVALUATE " export",
     "FILE",
     parse_text, AT(mapping)},
    {"remap", 0, "HOW",
     "with --mapping: exch, ranks exchange their blocks beforehand, so that all come to where they belong; or reorder, every "
     "rank moves the blocks it has at the end; or auto, what takes less by the extended model (default: reorder)",
     EVALUATE " export", "exch reorder auto", parse_remap, AT(remap)},
    {"channel", 0, "NAME",
     "what messages go over, of p2p, of allgather by a schedule, and with --network of any: mp, er, sr, zc or combined; or all "
     "of them (list; default: er; with --network the network's costs alone, but of p2p; between nodes only)",
     EVALUATE, "all mp er sr zc combined", parse_channel_list, AT(channel)},
    {"pattern", 0, "NAME",
     "p2p: pingpong, half of there and back; or stream, --window messages one after the other and an answer, the time of one of "
     "them (default: pingpong)",
     EVALUATE, "pingpong stream", parse_pattern, AT(pattern)},
    {"window", 0, "N", "p2p: messages of a stream (default: 64)", EVALUATE, NULL, parse_positive_uint32, AT(window)},
    {"in-place", 0, NULL, "allgather: every rank's block is where it belongs before", EVALUATE, NULL, parse_flag, AT(in_place)},
    {"readers-most", 0, "N", "single_copy: so many ranks read from the root at one time (default: 0, all)", EVALUATE, NULL,
     parse_uint32, AT(readers_most)},
    {"network", 0, "NETWORK",
     "nodes are joined by it: a preset (topo --list), PRESET:LAYER, a network file (YAML; topo --network prints one), or "
     "parameters: loggp:L=TIME,o=TIME,g=TIME,G=TIME,gr=TIME without contention, G of a byte, gr the receiver's gap, or "
     "switch:... with shared NICs (default: none, all ranks on one node; of the parameters: 2500ns, 1500ns, 1000ns, 6ns, as g)",
     "model sim topo map", "loggp loggp: switch: tianhe infiniband-ddr gigabit infiniband-hdr FILE", parse_text, AT(network)},
    {"ppn", 0, "N",
     "ranks of a node of the network, rank after rank (default: 1; of map as many as --node has cores); of export for "
     "locality_bruck", "model sim map export", NULL, parse_positive_uint32, AT(ppn)},
    {"levels", 0, "N",
     "2: of every node one rank exchanges messages by --algorithm, before and after shared memory is used, by --protocol; 1: all "
     "ranks exchange messages, within a node over exclusive rings (default: 1)",
     "model sim", "1 2", parse_positive_uint32, AT(levels)},
    {"root", 'r', "N", "rank that has the message (default: 0)", EVALUATE " export", NULL, parse_uint32, AT(root)},
    {"goal", 0, "FILE",
     "what ranks do, as a GOAL program (LogGOPSim's text) instead of a collective, each on a node of the --network (default: "
     "loggp), or --ppn of them on one --node; options of ranks and messages are not for it", "sim", "FILE", parse_text, AT(goal)},
    {"place", 0, "HOW", "compact, scatter or list:A,B,... of cores (default: compact)", SCENARIO " map",
     "compact scatter list:", parse_text, AT(place)},
    {"buffers", 0, "STATE", "cold or warm user buffers (default: cold)", SCENARIO, "cold warm", parse_buffers, AT(buffers)},
    {"buffer-memory", 0, "KIND",
     "user buffers are private memory of each rank, or shared: allocated in the segment (default: private)", SCENARIO,
     "private shared", parse_buffer_memory, AT(buffer_memory)},
    {"buffer-domain", 0, "DOMAIN", "user buffers on this NUMA domain, or local (default: local)", EVALUATE, "local",
     parse_buffer_domain, AT(buffer_domain)},
    {"root-shift", 0, NULL, "the root moves by one each repetition", "run compare", NULL, parse_flag, AT(root_shift)},
    {"skew", 0, "TIME", "ranks start uniformly late by up to TIME, such as 10us (default: 0us)", "sim run compare", NULL,
     parse_skew, AT(skew_s)},
    {"slice", 0, "TIME",
     "ranks that share a core take turns of TIME, and spin to their ends (default: 0us, who waits yields at once)", "sim", NULL,
     parse_duration, AT(slice_s)},
    {"noise", 0, "RATIO", "relative standard deviation of every simulated cost (default: 0)", "sim compare", NULL, parse_ratio,
     AT(noise)},
    {"backend", 0, "KIND", "ranks are procs or threads (default: procs)", "run compare", "procs threads", parse_backend,
     AT(backend)},
    {"variant", 0, "NAME",
     "paper (the form as printed) or extended (default: paper on a contention-free node, else extended); with --network the "
     "closed form, or extended: where an allgather has none, the sum of its rounds",
     "model compare", "paper extended", parse_variant, AT(variant)},
    {"reps", 0, "N", "most repetitions (default: 1000)", "run compare", NULL, parse_positive_uint32, AT(reps)},
    {"warmup", 0, "N", "repetitions before those that count (default: 5)", "run compare", NULL, parse_uint32, AT(warmup)},
    {"time-limit", 0, "TIME", "stop repeating after this long (default: 1s a point)", "run compare calibrate", NULL,
     parse_duration, AT(time_limit_s)},
    {"stall-report", 0, "TIME", "say on standard error who waits for whom when a wait lasts longer (default: never)", "run", NULL,
     parse_duration, AT(stall_report_s)},
    {"huge-pages", 0, NULL, "ask for huge pages in the segment", "run compare", NULL, parse_flag, AT(huge_pages)},
    {"copy-in", 0, "ROUTINE", "copy into the queue by memcpy, past the caches (nontemporal), or as suits (default: auto)",
     "run compare",
     "auto memcpy nontemporal", parse_copying, AT(copy_in)},
    {"copy-out", 0, "ROUTINE", "copy to the user's buffers by memcpy, nontemporal or auto (default: auto)", "run compare",
     "auto memcpy nontemporal", parse_copying, AT(copy_out)},
    {"control-pages", 0, NULL, "a page for every control block, as in the paper, instead of a line", "run compare", NULL,
     parse_flag, AT(control_pages)},
    {"no-verify", 0, NULL, "do not check the bytes", "run compare", NULL, parse_flag, AT(no_verify)},
    {"per-rank", 0, "FILE",
     "write there as csv where the time of every rank went: working, copying, waiting, by the network, by contention",
     "sim", "FILE", parse_text, AT(per_rank)},
    {"trace", 0, "FILE", "write the steps as a trace that ui.perfetto.dev opens", "sim", "FILE", parse_text, AT(trace)},
    {"regret", 0, NULL, "measure again what each evaluator would choose, against the best; with --protocol best: its choice "
                        "against all protocols", "compare", NULL, parse_flag,
     AT(regret)},
    {"list", 0, NULL, "list what there is", "topo figure", NULL, parse_flag, AT(list)},
    {"large", 0, NULL, "partition_time: the graph of a million vertices by METIS too, which takes its time", "figure", NULL,
     parse_flag, AT(large)},
    {"jobs", 'j', "N", "simulations beside each other where there are several (default: as many as there are cpus)", "sim", NULL,
     parse_positive_uint32, AT(jobs)},
    {"seed", 0, "N", "seed of everything random (default: 1)", EVALUATE " calibrate map", NULL, parse_uint64, AT(seed)},
    {"format", 0, "FORMAT", "table, csv or jsonl (default: table)", EVALUATE " doctor topo report map", "table csv jsonl",
     parse_format, AT(format)},
    {"algorithm", 0, "NAME",
     "the schedule: ring, recursive_doubling, bruck, neighbour_exchange, sparbit or locality_bruck of allgather (default: "
     "bruck); binomial, scatter_allgather or scatter_doubling of bcast (default: binomial); binomial_scatter of scatter",
     "export",
     "ring recursive_doubling bruck neighbour_exchange sparbit locality_bruck binomial scatter_allgather scatter_doubling "
     "binomial_scatter",
     parse_text, AT(schedule)},
    {"format", 0, "FORMAT",
     "goal; ti, all ranks' traces in one file; or ti-list, a file each, FILE.0 and so on, and FILE with their names (default: "
     "goal)",
     "export", "goal ti ti-list", parse_export_format, AT(export_format)},
    {"algorithm", 0, "NAME",
     "whose messages are mapped: ring, recursive_doubling, bruck, neighbour_exchange, sparbit or locality_bruck (default: bruck)",
     "map",
     "ring recursive_doubling bruck neighbour_exchange sparbit locality_bruck", parse_text, AT(schedule)},
    {"matrix", 0, "FILE",
     "instead, an application's: bytes from rank to rank as dense CSV, Matrix Market or lines \"FROM TO BYTES\", ranks from 0",
     "map",
     "FILE", parse_text, AT(matrix)},
    {"directed", 0, NULL,
     "the matrix need not be symmetric. Cut and J add up both directions in any case; without this, a difference is taken for a "
     "mistake",
     "map", NULL, parse_flag, AT(directed)},
    {"parts", 0, "N", "number of nodes, with ranks shared out alike", "map", NULL, parse_positive_uint32, AT(parts)},
    {"sizes", 0, "A,B,...", "ranks of every node", "map", NULL, parse_size_list, AT(sizes)},
    {"partitioner", 0, "NAME",
     "auto, block, cyclic, strided, closed, metis-kway, metis-rb or scotch (list, or all; default: auto, of all the best)", "map",
     "all auto block cyclic strided closed metis-kway metis-rb scotch", parse_partitioner_list, AT(partitioner)},
    {"to", 0, "FORMAT",
     "what -o writes: mapping, a file for --mapping; for launchers where each rank goes: rankfile of Open MPI, options of mpich "
     "or slurm, hostfile; without -o to standard output, and no rows (default: mapping)",
     "map", "mapping rankfile mpich slurm hostfile", parse_text, AT(to)},
    {"hosts", 0, "A,B,...", "names of the nodes, in the order of the parts; node[1-8] stands for eight", "map", NULL, parse_text,
     AT(hosts)},
    {"dot", 0, "FILE", "write there the graph with its parts for Graphviz (up to 512 ranks)", "map", "FILE", parse_text, AT(dot)},
    {"output", 'o', "FILE", "write there instead of standard output; figure: the directory (default: out); map: the mapping",
     EVALUATE " doctor topo calibrate figure export report map", "FILE", parse_text, AT(output)},
    {"from", 0, "FILE",
     "fit the costs of --node to times that others measured there: our rows as CSV (procs, size_bytes and time_s at least), "
     "or what OSU's or Intel's benchmarks print; - is standard input", "calibrate", "FILE", parse_text, AT(from)},
    {"collective", 0, "NAME", "with --from: what was timed (default: bcast)", "calibrate", "bcast", parse_text, AT(collective)},
    {"fit-procs", 0, "N", "with --from: fit to rows of these numbers of ranks, predict the others (list; default: all)",
     "calibrate", NULL, parse_positive_list, AT(fit_procs)},
    {"mean", 0, NULL, "with --from: times are means over ranks, as OSU's are, not the last rank's", "calibrate", NULL, parse_flag,
     AT(mean)},
    {"late", 0, "TIME",
     "with --from: of means, the others come out of the benchmark's barrier so much after the root (default: fitted)",
     "calibrate", NULL, parse_duration, AT(late_s)},
    {"no-fit", 0, NULL, "with --from: take the node as it is, only compare", "calibrate", NULL, parse_flag, AT(no_fit)},
    {"rows", 0, "FILE", "beside what is printed, write the rows there: as csv, or as jsonl if the name ends so", EVALUATE " map",
     "FILE", parse_text, AT(rows)},
    {"verbose", 'v', NULL, "say more on standard error", "*", NULL, parse_louder, AT(verbosity)},
    {"quiet", 'q', NULL, "say nothing on standard error but errors", "*", NULL, parse_quiet, AT(verbosity)},
    {NULL, 0, NULL, NULL, NULL, NULL, NULL, 0},
};
static_assert(sizeof option_table / sizeof *option_table <= OPTION_ROWS_MAX, "settings.given has room for every row");

/* Whether it is one of words with a blank between. */
static int is_word_of(const char *word, const char *words)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return 1;
    return 0;
}

int option_applies(const struct option_row *option, const char *command)
{
    return strcmp(option->commands, "*") == 0 || is_word_of(command, option->commands);
}

const char *settings_given_beside(const struct settings *settings, const char *names)
{
    for (size_t i = 0; option_table[i].name; i++)
        if (settings->given[i] && !is_word_of(option_table[i].name, names))
            return option_table[i].name;
    return NULL;
}

int settings_given(const struct settings *settings, const char *name)
{
    for (size_t i = 0; option_table[i].name; i++)
        if (strcmp(option_table[i].name, name) == 0)
            return settings->given[i];
    return 0;
}

static void settings_init(struct settings *out, const char *command)
{
    int map = strcmp(command, "map") == 0;
    *out = (struct settings){.command = command, .node = map ? NULL : "host", .place = "compact", .protocol = "auto",
                             .export_format = "goal"};
    /* which take it from what they read */
    out->procs = (struct size_list){.value = {2}, .count = !map && strcmp(command, "calibrate")};
    out->size = (struct size_list){.value = {1 << 20}, .count = 1};
    out->buffer_domain = -1;
    out->ppn = !map;
    out->levels = 1;
    out->late_s = NAN;
    out->window = 64;
    out->seed = 1;
    out->reps = 1000;
    out->warmup = 5;
    out->time_limit_s = 1;
}

enum job_kind settings_collective(const struct settings *s)
{
    const char *name = s->positional_count > 0 ? s->positional[0] : "bcast";
    return strcmp(name, "p2p") == 0 ? JOB_P2P : strcmp(name, "allgather") == 0 ? JOB_ALLGATHER : JOB_BCAST;
}

const struct protocol *settings_protocol(const struct settings *s)
{
    if (settings_collective(s) == JOB_BCAST)
        return protocol_find(s->protocol);
    if (strcmp(s->protocol, "auto") == 0 || strcmp(s->protocol, "best") == 0)
        return s->buffer_memory == BUFFER_MEMORY_SHARED ? &protocol_shared_blocks : &protocol_direct;
    return protocol_allgather_find(s->protocol);
}

int settings_by_messages(const struct settings *s, const char *algorithm)
{
    enum job_kind kind = settings_collective(s);
    return kind == JOB_P2P || (kind == JOB_ALLGATHER && algorithm && strcmp(algorithm, "direct"));
}

struct protocol_preset settings_preset(const struct settings *s, const char *algorithm)
{
    const struct protocol *protocol = settings_protocol(s);
    if (settings_by_messages(s, algorithm))
        return (struct protocol_preset){ALLGATHER_MODEL_FRAGMENT_BYTES, ALLGATHER_MODEL_SLOTS, 1, {TREE_FLAT, 0}};
    if (protocol && protocol->preset.fragment_bytes)
        return protocol->preset;
    return (struct protocol_preset){.sets = 1, .tree = {TREE_FLAT, 0}};
}

/* Ranks that a schedule is for. */
static uint32_t exchanging(const struct settings *s, uint32_t procs)
{
    return s->network && s->levels == 2 ? (procs - 1) / s->ppn + 1 : procs;
}

/* Instead of "all": what every number of ranks asked for allows. A network and a mapping are of schedules only. */
static void expand_algorithms(struct settings *s)
{
    struct name_list *list = &s->algorithm;
    enum schedule_kind kind = settings_collective(s) == JOB_BCAST ? SCHEDULE_BCAST : SCHEDULE_ALLGATHER;
    *list = (struct name_list){.name = {"direct"}, .count = s->network || s->mapping ? 0 : 1};
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++) {
        int valid = (*a)->kind == kind;
        for (size_t i = 0; i < s->procs.count; i++)
            valid = valid && schedule_valid(*a, exchanging(s, (uint32_t)s->procs.value[i]));
        if (valid && list->count < NAME_LIST_MAX)
            list->name[list->count++] = (*a)->name;
    }
}

/* What was not given, where it does not depend on the scenario. */
static void settings_complete(struct settings *s)
{
    if (s->tree.count == 0)
        s->tree = (struct tree_list){.shape = {settings_preset(s, NULL).tree}, .count = 1};
    if (s->algorithm.count && strcmp(s->algorithm.name[0], "all") == 0)
        expand_algorithms(s);
}

enum { OPTION_MAX = 48, CODE_HELP = 1000, CODE_ROW = 1001 };

/* What getopt reads: --help and every row of the command, found again by its code. */
static void getopt_tables(const char *command, struct option *longs, char *letters)
{
    size_t n = 0, l = 0;
    letters[l++] = ':'; /* tells a missing argument from an unknown option */
    letters[l++] = 'h';
    longs[n++] = (struct option){"help", no_argument, NULL, CODE_HELP};
    for (int i = 0; option_table[i].name && n < OPTION_MAX - 1; i++) {
        const struct option_row *row = &option_table[i];
        if (!option_applies(row, command))
            continue;
        longs[n++] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL, CODE_ROW + i};
        if (row->letter)
            letters[l++] = row->letter;
        if (row->letter && row->argument)
            letters[l++] = ':';
    }
    longs[n] = (struct option){NULL, 0, NULL, 0};
    letters[l] = 0;
}

static const struct option_row *row_of_code(int code)
{
    if (code >= CODE_ROW)
        return &option_table[code - CODE_ROW];
    for (const struct option_row *row = option_table; row->name; row++)
        if (row->letter && row->letter == code)
            return row;
    return NULL;
}

/* The word getopt stumbled over. */
static int tell_bad_word(int code, char **argv, const char *command)
{
    const char *word = argv[optind - 1];
    char letter[3] = {'-', (char)optopt, 0};
    if (optopt > 0 && optopt < 128)
        word = letter;
    if (code == ':')
        return talk_fail(EXIT_USAGE, "%s needs an argument: see shmcoll %s --help", word, command);
    return talk_fail(EXIT_USAGE, "unknown option %s for %s: see shmcoll %s --help", word, command, command);
}

int options_parse(int argc, char **argv, struct settings *out)
{
    struct option longs[OPTION_MAX];
    char letters[2 * OPTION_MAX], reason[256];
    const char *command = argv[0];
    int code;
    settings_init(out, command);
    getopt_tables(command, longs, letters);
    opterr = 0;
    optind = 0; /* glibc: start afresh, with permutation */
    while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (code == 'h' || code == CODE_HELP) {
            options_print_help(stdout, command_find(command));
            return EXIT_DONE;
        }
        const struct option_row *row = code == '?' || code == ':' ? NULL : row_of_code(code);
        if (!row)
            return tell_bad_word(code, argv, command);
        if (row->parse(optarg, (char *)out + row->offset, reason, sizeof reason))
            return talk_fail(EXIT_USAGE, "--%s: %s", row->name, reason);
        out->given[row - option_table] = 1;
    }
    for (; optind < argc; optind++) {
        if (out->positional_count == POSITIONAL_MAX)
            return talk_fail(EXIT_USAGE, "too many words after %s: see shmcoll %s --help", command, command);
        out->positional[out->positional_count++] = argv[optind];
    }
    settings_complete(out);
    return settings_check_paths(out);
}

/* TopoMPI's last figure (S3): a message within a node and between two, over sizes, on both of its clusters. */
#include "experiments/figure_cluster.h"

static const struct {
    const char *network;
    uint64_t least_bytes, most_bytes;
} panels[] = {{"gigabit", 1 << 4, 1 << 22}, {"infiniband-ddr", 1 << 12, 1 << 23}};

static int write_panel(FILE *csv, size_t i)
{
    struct cluster cluster;
    int code = cluster_create(&cluster, panels[i].network);
    if (code)
        return code;
    for (int between = 0; between < 2; between++)
        for (uint64_t bytes = panels[i].least_bytes; bytes <= panels[i].most_bytes && !code; bytes *= 2) {
            double time_s;
            code = cluster_message(&cluster, between, bytes, &time_s);
            fprintf(csv, "%s,%s,%llu,%.9g\n", panels[i].network, between ? "network" : "memory", (unsigned long long)bytes,
                    time_s);
        }
    cluster_destroy(&cluster);
    return code;
}

int figure_levels(FILE *csv, const struct settings *settings)
{
    (void)settings;
    fputs("network,through,size_bytes,time_s\n", csv);
    int code = write_panel(csv, 0);
    return code ? code : write_panel(csv, 1);
}

#include "experiments/command.h"

#include <stddef.h>
#include <string.h>

#define COLLECTIVES "bcast|allgather|p2p"

const struct command command_table[] = {
    {"model", command_model, COLLECTIVES, "predict a collective by the closed form, with the best fragment and queue"},
    {"sim", command_sim, COLLECTIVES, "simulate a collective event by event on a described node"},
    {"run", command_run, COLLECTIVES, "the real thing on this host, timed and every byte checked"},
    {"compare", command_compare, COLLECTIVES, "the evaluators side by side over sizes and fragments, with errors against run"},
    {"calibrate", command_calibrate, "",
     "measure this host's parameters, or fit a node's to measured times; intervals, a node file"},
    {"export", command_export, "allgather|bcast|scatter",
     "a schedule for other simulators: GOAL for LogGOPSim, traces for SimGrid"},
    {"map", command_map, "[allgather]",
     "who plays which rank, so that little crosses between nodes: cut, bound and J, for launchers too"},
    {"figure", command_figure, "NAME...",
     "a figure or table of the source paper, as data, script, pdf, svg and png; all, --list"},
    {"report", command_report, "s1|s2|s3", "what a source paper's figures say beside what is simulated, with causes"},
    {"topo", command_topo, "", "show a node: domains, cores, caches, distances, and every known cost with its source"},
    {"doctor", command_doctor, "", "what on this host spoils measurements or features, with remedies; changes nothing"},
    {NULL, NULL, NULL, NULL},
};

const struct command *command_find(const char *name)
{
    for (const struct command *c = command_table; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

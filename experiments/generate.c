/* --help, the manual page and the bash completion, from the tables of commands and options. */
#include "experiments/options.h"
#include "model/formats/launch_write.h"
#include "partition/partitioner.h"

#include <errno.h>
#include <string.h>

static void option_label(const struct option_row *row, char *label, size_t bytes)
{
    char letter[8] = "";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(label, bytes, "%s--%s%s%s", letter, row->name, row->argument ? " " : "", row->argument ? row->argument : "");
}

static int takes(const char *option, const char *command)
{
    for (const struct option_row *row = option_table; row->name; row++)
        if (strcmp(row->name, option) == 0)
            return option_applies(row, command);
    return 0;
}

static void print_protocol(FILE *out, const struct protocol *p)
{
    char tree[32];
    fprintf(out, "  %-24s %s\n", p->name, p->summary);
    if (!p->preset.fragment_bytes)
        return;
    fprintf(out, "  %-24s (f %u, s %u, q %u", "", p->preset.fragment_bytes, p->preset.slots, p->preset.sets);
    if (!(p->uses & PROTOCOL_ALLGATHER))
        fprintf(out, ", tree %s", tree_shape_format(p->preset.tree, tree, sizeof tree));
    fputs(")\n", out);
}

/* Every protocol, with the parameters it comes with. */
static void print_protocols(FILE *out)
{
    fprintf(out, "\nProtocols, with the parameters they take where none are given:\n");
    for (size_t i = 0; protocol_table[i]; i++)
        print_protocol(out, protocol_table[i]);
    fprintf(out, "of allgather:\n");
    for (size_t i = 0; protocol_allgather_table[i]; i++)
        print_protocol(out, protocol_allgather_table[i]);
}

/* What strategies and formats there are, and what the numbers are. */
static void print_map_terms(FILE *out)
{
    fputs("\nPartitioners:\n", out);
    for (const struct partitioner *const *p = partitioner_table; *p; p++)
        fprintf(out, "  %-24s %s\n", (*p)->name, (*p)->summary);
    fputs("\nFormats of --to:\n", out);
    fprintf(out, "  %-24s %s\n", "mapping", "the virtual rank of each rank, a line each");
    for (const struct launch_format *f = launch_format_table; f->name; f++)
        fprintf(out, "  %-24s %s\n", f->name, f->summary);
    fputs("\nColumns, both directions of a pair added:\n"
          "  cut                      what crosses between nodes, in blocks or bytes; of a single node, between its sockets\n"
          "  bound                    what must, whatever the mapping; gap: how far above it the cut is\n"
          "  optimal                  no mapping has a smaller cut\n"
          "  J                        sum of bytes times distance over all pairs\n"
          "  distance time            seconds that a byte keeps busy what it passes while all ranks send: two copies "
          "within a node,\n"
          "                           more from another domain; between nodes beside them the port, shared by a node's "
          "ranks, and\n"
          "                           the links of switches, shared by those below\n"
          "  distance levels          levels crossed, where such costs of --node or --network are unknown; J in blocks or bytes\n"
          "  busiest                  most that goes into and out of one node\n"
          "  time                     what finding the mapping took\n",
          out);
}

void options_print_help(FILE *out, const struct command *command)
{
    fprintf(out, "Usage: shmcoll %s %s%s[options]\n%s.\n\n", command->name, command->arguments, *command->arguments ? " " : "",
            command->summary);
    for (const struct option_row *row = option_table; row->name; row++) {
        char label[64];
        if (!option_applies(row, command->name))
            continue;
        option_label(row, label, sizeof label);
        fprintf(out, "  %-24s %s\n", label, row->help);
    }
    fprintf(out, "  %-24s %s\n", "-h, --help", "this help");
    if (takes("protocol", command->name))
        print_protocols(out);
    if (takes("partitioner", command->name))
        print_map_terms(out);
}

static void print_general_help(FILE *out)
{
    fprintf(out, "Usage: shmcoll COMMAND [options]\nHow should a collective over shared memory be configured, what will it cost, "
                 "and is that true?\n\n");
    for (const struct command *c = command_table; c->name; c++)
        fprintf(out, "  %-10s %s\n", c->name, c->summary);
    fprintf(out, "\nshmcoll COMMAND --help lists the options of a command; shmcoll --version tells the version.\n");
}

/* Text for roff: a hyphen that is typed, no line that starts a request. */
static void print_roff(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
    }
}

static void print_man_option(FILE *out, const struct option_row *row)
{
    fputs(".TP\n", out);
    if (row->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
    fputs("\\fB\\-\\-", out);
    print_roff(out, row->name);
    fputs("\\fR", out);
    if (row->argument)
        fprintf(out, " \\fI%s\\fR", row->argument);
    fputc('\n', out);
    print_roff(out, row->help);
    if (strcmp(row->commands, "*")) {
        fputs("\n(", out);
        print_roff(out, row->commands);
        fputc(')', out);
    }
    fputs(".\n", out);
}

static void print_man(FILE *out)
{
    static const char *const exits[][2] = {{"0", "done"},
                                           {"1", "failed"},
                                           {"2", "usage: a wrong option, value or input file"},
                                           {"3", "verification found wrong data"},
                                           {"4", "this environment cannot do it"},
                                           {"5", "regression"}};
    fprintf(out, ".TH SHMCOLL 1 \"\" \"shmcoll %s\" \"User Commands\"\n.SH NAME\n", SHMCOLL_VERSION);
    fputs("shmcoll \\- cost model, simulator and kernels for collectives over shared memory\n.SH SYNOPSIS\n", out);
    fputs("\\fBshmcoll\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
          "Predicts, simulates and runs the pipelined broadcast over the shared memory of a node, side by side; "
          "runs allgathers.\n"
          ".SH COMMANDS\n",
          out);
    for (const struct command *c = command_table; c->name; c++) {
        fprintf(out, ".TP\n\\fB%s\\fR %s\n", c->name, c->arguments);
        print_roff(out, c->summary);
        fputs(".\n", out);
    }
    fputs(".SH OPTIONS\n", out);
    for (const struct option_row *row = option_table; row->name; row++)
        print_man_option(out, row);
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nList the options of a command (*).\n.SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof exits / sizeof *exits; i++)
        fprintf(out, ".TP\n\\fB%s\\fR\n%s.\n", exits[i][0], exits[i][1]);
    fputs(".SH ENVIRONMENT\n.TP\n\\fBSHMCOLL_PLOTS\\fR\nDirectory of the gnuplot scripts.\n"
          ".TP\n\\fBNO_COLOR\\fR\nNo colour, whatever the terminal.\n"
          ".SH EXAMPLES\n.nf\nshmcoll model bcast \\-\\-node paper \\-\\-size 16M \\-\\-buffer 4M\n"
          "shmcoll run bcast \\-\\-size 1K..16M \\-\\-fragment 8K \\-\\-slots 64 \\-\\-format jsonl\n"
          "shmcoll run allgather \\-\\-procs 4 \\-\\-size 8..1M\n.fi\n",
          out);
}

/* The words to choose from, each after a blank. */
static void print_words(FILE *out, const char *arguments)
{
    for (const char *at = arguments; strchr(arguments, '|') && *at; at++) {
        if (at == arguments)
            fputc(' ', out);
        fputc(*at == '|' ? ' ' : *at, out);
    }
}

static void print_bash(FILE *out)
{
    fputs("# bash completion for shmcoll; generated from its option table\n_shmcoll() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
          "    local words=\n    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"",
          out);
    for (const struct command *c = command_table; c->name; c++)
        fprintf(out, "%s ", c->name);
    fputs("--help --version\"\n        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n        return\n    fi\n    case $prev "
          "in\n",
          out);
    for (const struct option_row *row = option_table; row->name; row++) {
        if (!row->argument)
            continue;
        fprintf(out, "    --%s) words=\"%s\" ;;\n", row->name, row->values ? row->values : "");
    }
    fputs("    *)\n        case $command in\n", out);
    for (const struct command *c = command_table; c->name; c++) {
        fprintf(out, "        %s) words=\"", c->name);
        for (const struct option_row *row = option_table; row->name; row++)
            if (option_applies(row, c->name))
                fprintf(out, "--%s ", row->name);
        fputs("--help", out);
        print_words(out, c->arguments);
        fputs("\" ;;\n", out);
    }
    fputs("        esac\n        ;;\n    esac\n"
          "    if [[ $words == *FILE* ]]; then\n        compopt -o filenames 2>/dev/null\n"
          "        COMPREPLY=($(compgen -W \"${words/FILE/}\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
          "    else\n        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n    fi\n}\ncomplete -F _shmcoll shmcoll\n",
          out);
}

int options_generate(FILE *out, const char *what)
{
    if (strcmp(what, "help") == 0)
        print_general_help(out);
    else if (strcmp(what, "man") == 0)
        print_man(out);
    else if (strcmp(what, "bash") == 0)
        print_bash(out);
    else
        return -EINVAL;
    return 0;
}

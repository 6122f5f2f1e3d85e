/* shmcoll: one command, its subcommands in a table. */
#include "experiments/command.h"
#include "experiments/options.h"

#include <stdio.h>
#include <string.h>

/* Output that could not be written is a failure, not a success with less output. */
static int finish(int code)
{
    int broken = fflush(stdout) || ferror(stdout);
    if (code == EXIT_DONE && broken)
        return talk_fail(EXIT_FAILED, "cannot write to standard output: is the disk full or the reader gone?");
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        options_generate(stderr, "help");
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return options_generate(stdout, "help"), finish(EXIT_DONE);
    if (strcmp(argv[1], "--version") == 0)
        return printf("shmcoll %s\n", SHMCOLL_VERSION), finish(EXIT_DONE);
    if (strcmp(argv[1], "--generate") == 0) {
        if (argc != 3 || options_generate(stdout, argv[2]))
            return talk_fail(EXIT_USAGE, "--generate needs one of help, man or bash");
        return finish(EXIT_DONE);
    }
    const struct command *command = command_find(argv[1]);
    if (!command)
        return talk_fail(EXIT_USAGE, "unknown command '%s': shmcoll --help lists them", argv[1]);
    return finish(command->function(argc - 1, argv + 1));
}

#include "experiments/options.h"

#include <string.h>

int settings_check_paths(const struct settings *s)
{
    const struct {
        const char *option, *path;
    } in[] = {{"matrix", s->matrix}, {"goal", s->goal}, {"mapping", s->mapping}, {"from", s->from}},
      out[] = {{"output", s->output}, {"rows", s->rows}, {"dot", s->dot}, {"trace", s->trace}, {"per-rank", s->per_rank}};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        const char *path = out[i].path;
        if (!path || strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0)
            continue;
        for (size_t k = 0; k < sizeof in / sizeof *in; k++)
            if (in[k].path && strcmp(in[k].path, path) == 0)
                return talk_fail(EXIT_USAGE, "--%s would write over '%s', which --%s reads: choose another path", out[i].option,
                                 path, in[k].option);
        for (size_t k = 0; k < i; k++)
            if (out[k].path && strcmp(out[k].path, path) == 0)
                return talk_fail(EXIT_USAGE, "--%s and --%s both write '%s': choose two paths", out[k].option, out[i].option,
                                 path);
    }
    return -1;
}

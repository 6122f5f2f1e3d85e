/* Mappings: whatever comes in, a permutation or one line; what was read is written and read again the same. */
#include "model/formats/numbering_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(int condition)
{
    if (!condition)
        abort();
}

static void write_again(const struct numbering_file *file)
{
    struct numbering_file again;
    char reason[300], *text;
    size_t bytes;
    FILE *memory = open_memstream(&text, &bytes);
    must(memory && numbering_write(memory, file->procs, file->maker, file->virtual_of_rank) == 0);
    fclose(memory);
    must(numbering_read("again", text, bytes, &again, reason, sizeof reason) == 0);
    must(again.procs == file->procs && strcmp(again.maker, file->maker) == 0);
    must(memcmp(again.virtual_of_rank, file->virtual_of_rank, file->procs * sizeof *file->virtual_of_rank) == 0);
    numbering_file_destroy(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct numbering_file file;
    char reason[300] = "";
    if (numbering_read("fuzz", (const char *)data, bytes, &file, reason, sizeof reason)) {
        must(strncmp(reason, "fuzz:", 5) == 0 && !strchr(reason, '\n'));
        return 0;
    }
    struct numbering numbering = numbering_of_file(&file);
    must(numbering_check(&numbering, file.procs) == 0);
    write_again(&file);
    numbering_file_destroy(&file);
    return 0;
}

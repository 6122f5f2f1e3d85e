/* Stands in for the fuzzer where none is needed: hands each file named, and each in a folder named, to the target once. An
 * input's name is printed before its turn, so that the last one is who failed. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { BYTES_MOST = 1 << 20, PATH_BYTES = 1000 };

static int replay_file(const char *path)
{
    static uint8_t room[BYTES_MOST];
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    size_t bytes = fread(room, 1, sizeof room, file);
    fclose(file);
    puts(path);
    fflush(stdout);
    /* As large as the input, so that who reads past its end is seen. */
    uint8_t *data = malloc(bytes);
    if (bytes)
        memcpy(data, room, bytes);
    LLVMFuzzerTestOneInput(data, bytes);
    free(data);
    return 1;
}

static int replay(const char *path)
{
    char inside[PATH_BYTES];
    struct dirent *entry;
    DIR *folder = opendir(path);
    int count = 0;
    if (!folder)
        return replay_file(path);
    while ((entry = readdir(folder)))
        if (entry->d_name[0] != '.' && snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) < (int)sizeof inside)
            count += replay_file(inside);
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++)
        count += replay(argv[i]);
    return count ? 0 : 1;
}

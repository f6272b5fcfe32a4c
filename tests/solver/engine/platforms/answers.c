/* Load an engine's library and answer lines of standard input.

    answers LIBRARY < questions > answers

`policy LAYOUTS POSITIONS WORLDS LATE WORK`: how guesses are chosen from here on. `cell_net INPUTS UNITS
UNITS2 WEIGHTS...` and `judge ...`: the nets. `position ROWS COLS MINES CELLS`, a hidden cell as `#`: the logarithm of the number of layouts, the
risks of the hidden cells, and the guess. `game ROWS COLS FIRST CELLS`, a mine as `*`: the result of a
game that goes on after a loss. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

#if defined(_WIN32)
#include <windows.h>
#define OPEN(path) ((void *)LoadLibraryA(path))
#define FIND(library, name) ((void *)GetProcAddress((HMODULE)(library), name))
#else
#include <dlfcn.h>
#define OPEN(path) dlopen(path, RTLD_NOW)
#define FIND(library, name) dlsym(library, name)
#endif

enum { LINE = 1 << 18, WEIGHTS = 1 << 14 };

static char line[LINE], cells[LINE];
static int8_t tiles[LINE];
static uint8_t mined[LINE];
static double risk[LINE], cell_weights[WEIGHTS], judge_weights[WEIGHTS];
static Policy policy = {.kind = POLICY_DEEP};

static struct {
    Work *(*open)(const int32_t *, int32_t *, int64_t);
    int (*risks)(Work *, int, int, const int8_t *, int, int64_t, double *, double *);
    int (*decide)(Work *, int, int, const int8_t *, int, const Policy *, int, int, int,
                  const int32_t *, int, Guess *);
    int (*play)(Work *, int, int, int, const uint8_t *, const Policy *, uint64_t *, Played *);
} engine;

static void find(void *library, const char *name, void *entry) {
    void *found = FIND(library, name);
    if (!found) {
        fprintf(stderr, "The library has no %s.\n", name);
        exit(1);
    }
    memcpy(entry, &found, sizeof found);
}

/* Read a policy; false if the line is none. */
static bool read_policy(void) {
    Limits *limits = &policy.limits;
    long long counted;
    if (sscanf(line, "policy %d %d %d %lf %lld", &limits->layouts, &limits->positions,
               &limits->worlds, &limits->late, &counted) != 5)
        return false;
    limits->work = counted;
    return true;
}

/* Read a network, of which the line begins with `name`; false if it does not. */
static bool read_net(const char *name, Net *net, double *into) {
    size_t length = strlen(name);
    int read;
    if (strncmp(line, name, length) != 0) return false;
    if (sscanf(line + length, "%d %d %d%n", &net->inputs, &net->units, &net->units2, &read) != 3)
        return false;
    char *rest = line + length + read, *end;
    for (int at = 0; at < WEIGHTS; at++, rest = end) {
        into[at] = strtod(rest, &end);
        if (end == rest) break;
    }
    net->weights = into;
    return true;
}

static void answer_position(Work *work, int rows, int cols, int mines) {
    double layouts;
    Guess guess = {.cell = -1, .method = -1, .win = 0};
    bool safe = false;
    for (int cell = 0; cell < rows * cols; cell++)
        tiles[cell] = cells[cell] == '#' ? -1 : (int8_t)(cells[cell] - '0');
    int code = engine.risks(work, rows, cols, tiles, mines, INT64_MAX, risk, &layouts);
    printf("position %d %.17g", code, layouts);
    for (int cell = 0; cell < rows * cols; cell++) {
        if (cells[cell] != '#') continue;
        printf(" %.17g", risk[cell]);
        safe |= risk[cell] == 0.0;
    }
    if (!safe)
        code = engine.decide(work, rows, cols, tiles, mines, &policy, 0, 0, 0, NULL, 0, &guess);
    printf(" %d %d %d %.17g\n", code, guess.cell, guess.method, guess.win == guess.win ? guess.win : -1);
}

static void answer_game(Work *work, int rows, int cols, int first) {
    Played played;
    uint64_t random = 1;
    for (int cell = 0; cell < rows * cols; cell++) mined[cell] = cells[cell] == '*';
    int code = engine.play(work, rows, cols, first, mined, &policy, &random, &played);
    printf("game %d %d %d %d %.17g\n", code, played.won, played.guesses, played.opened, played.chance);
}

int main(int count, char **words) {
    int32_t stop = 0, progress[2] = {0, 0};
    void *library = count == 2 ? OPEN(words[1]) : NULL;
    if (!library) {
        fprintf(stderr, "The library cannot be loaded.\n");
        return 1;
    }
    find(library, "engine_open", &engine.open);
    find(library, "engine_risks", &engine.risks);
    find(library, "engine_decide", &engine.decide);
    find(library, "engine_play", &engine.play);
    Work *work = engine.open(&stop, progress, (int64_t)600 << 20);
    while (fgets(line, LINE, stdin)) {
        char kind[20];
        int rows, cols, number;
        if (read_policy() || read_net("cell_net", &policy.cells, cell_weights) ||
            read_net("judge", &policy.judge, judge_weights))
            continue;
        if (sscanf(line, "%19s %d %d %d %s", kind, &rows, &cols, &number, cells) != 5) return 1;
        if (strcmp(kind, "game") == 0)
            answer_game(work, rows, cols, number);
        else
            answer_position(work, rows, cols, number);
    }
    return 0;
}

/* The solver's core: counting layouts, drawing them, choosing guesses and playing games.

A *board* comes as int8 tiles, row by row: 0 to 8 open numbers, -1 to -3 covered (hidden, flag,
question mark), -4 and -5 known mines, -6 a known safe cell without a number, -7 an unknown cell: it
may be a mine, gets no risk, and nothing is decided while there is one. `mines` is the total on
the whole board, below 0 if it is unknown. Cells are named by `row * cols + col`.

Every entry works in a `Work` that the caller opened, and in arrays that the caller owns. It keeps
nothing else, so that each thread can have a work space of its own; two threads must not share one.
It returns one of the codes below. Whoever opened the work space may set `*stop` to 1 from another
thread: a running entry then ends within 0.1 s. Entries trust the sizes of arrays; `calls.py`
makes them. */

#ifndef ENGINE_H
#define ENGINE_H

#include <stdint.h>

#if defined(_WIN32)
#define ENTRY __declspec(dllexport)
#else
#define ENTRY __attribute__((visibility("default")))
#endif

enum {
    DONE = 0,
    NO_LAYOUT = 1,     /* no layout of mines fits the board */
    TOO_LARGE = 2,     /* more work or memory than is allowed */
    STOPPED = 3,       /* the caller set `stop` */
    OUT_OF_MEMORY = 4, /* the system gave no more */
    BAD_ARGUMENT = 5,  /* a size, a tile, a cell or a total that cannot be */
};

typedef struct Work Work;

/* Digest of the sources that the library was built from, "" if it was built by hand. */
ENTRY const char *engine_sources(void);

/* Open a work space of at most `bytes`; NULL if there is no memory. `stop` and `progress` must outlive it.
An entry that rolls out sets `progress[0]` to the worlds done, `progress[1]` to the most there may be. */
ENTRY Work *engine_open(const int32_t *stop, int32_t progress[2], int64_t bytes);
ENTRY void engine_close(Work *work);

/* ------------------------------------------------------------------------------ probabilities */

/* Fill `risk[cell]` with the chance of a mine (NaN on cells that are not covered), and
`*log_layouts` with the natural logarithm of the number of layouts. Risks are 0.0 or 1.0 exactly
where a cell is certain, and only there. Without a total, layouts of all totals are equally likely.
TOO_LARGE where more than `most_nodes` nodes would be counted. */
ENTRY int engine_risks(Work *work, int rows, int cols, const int8_t *tiles, int mines,
                       int64_t most_nodes, double *risk, double *log_layouts);

/* Fill `logs[total]`, for the totals from 0 to all cells, with the logarithm of the number of
layouts, less one constant for all; minus infinity where none fits. `density` is a likely share of
mines. */
ENTRY int engine_totals(Work *work, int rows, int cols, const int8_t *tiles, double density,
                        double *logs);

/* Draw `count` layouts, all equally likely, into `mined[layout][cell]`. `random` is one word of
state, which changes. */
ENTRY int engine_draw(Work *work, int rows, int cols, const int8_t *tiles, int mines, int count,
                      uint64_t *random, uint8_t *mined);

/* ------------------------------------------------------------------------------------- guesses */

/* A network of two hidden layers (see glance.c); `units` and `units2` are multiples of 16. `weights` is
one block of doubles: the first layer [inputs][units], its biases, the second layer [units][units2], its
biases, the output, its bias. */
typedef struct {
    int32_t inputs, units, units2;
    const double *weights;
} Net;

/* How much work a guess may take, counted in things done, never in seconds. */
typedef struct {
    int32_t layouts;    /* the endgame is searched from this many layouts on */
    int32_t positions;  /* positions that one search may visit */
    int32_t worlds;     /* worlds that a roll-out may try for each candidate; 0: none */
    double late;        /* natural logarithm of the layouts from which roll-outs begin */
    int64_t work;       /* nodes counted in one decision, after which no world is begun */
} Limits;

enum { POLICY_TANK, POLICY_GLANCE, POLICY_DEEP };

typedef struct {
    int32_t kind;
    Limits limits;
    Net cells, judge;
} Policy;

enum { METHOD_ENDGAME, METHOD_INDEPENDENT, METHOD_LOOK_AHEAD, METHOD_ROLL_OUTS, METHOD_LEAST_RISK };

enum { CANDIDATES = 32 }; /* most candidates in a guess */

/* A cell that may be opened: its chance to be safe, the chance to win with it (NaN where it was not
estimated), and the chances that it is safe and shows each number. */
typedef struct {
    int32_t cell;
    double safe, win, shows[9];
} Option;

/* The cell to open; the chance to win with it, exact by ENDGAME, an estimate by ROLL_OUTS, else NaN; and
the best cells, this one first. */
typedef struct {
    int32_t cell, method;
    double win;
    int32_t count;
    Option options[CANDIDATES];
} Guess;

/* Choose a guess where nothing is certainly safe. The total must be known. `compared` options are returned,
the first `estimated` of them with win chances, which are estimated in `sample` worlds unless known. The
`alsos` cells in `also`, which are hidden and not certain mines, are among the options. */
ENTRY int engine_decide(Work *work, int rows, int cols, const int8_t *tiles, int mines,
                        const Policy *policy, int compared, int estimated, int sample,
                        const int32_t *also, int alsos, Guess *guess);

enum { JUDGED = 39 }; /* numbers that the judge sees of a candidate */

/* What the nets learn from: up to `most` candidates of a position, the best by look-ahead and by the cell
net in turn. `described` [most][JUDGED] are the inputs of the judge, of which the first are those of the
cell net; `won` [most][worlds] is the chance to win in each world from the `first` one on. `*count` is
how many candidates there are. */
ENTRY int engine_worlds(Work *work, int rows, int cols, const int8_t *tiles, int mines,
                        const Policy *policy, int most, int first, int worlds, int32_t *cells,
                        double *described, double *won, int32_t *count);

/* Choose the first click of a small board by searching all games that may follow. `spared` is what the
first-click rule keeps free of mines: 0 nothing, 1 the cell, 2 its neighbours too. TOO_LARGE where
`limits` do not allow that search. */
ENTRY int engine_first(Work *work, int rows, int cols, int mines, int spared, const Limits *limits,
                       Guess *guess);

/* -------------------------------------------------------------------------------------- games */

typedef struct {
    int32_t won;     /* 1 if no guess hit a mine */
    int32_t guesses; /* until the game was lost or won */
    int32_t opened;  /* cells open then */
    double chance;   /* product of the chances to survive of all guesses */
} Played;

/* Play a whole game on the layout `mined[cell]`, after the first cell. With `random`, a game that is
lost goes on in another layout in which the guess was safe: `chance` then estimates the chance to win
with far less noise than counting wins. */
ENTRY int engine_play(Work *work, int rows, int cols, int first, const uint8_t *mined,
                      const Policy *policy, uint64_t *random, Played *played);

/* ----------------------------------------------------------------------------------- learning

What only training needs. These entries work on thousands of boards, or of windows, in one call: on
those from `first` to before `end`. They need no work space and cannot fail. None can be stopped; the
caller asks for so few at a time that a call is short: 55 ns a cell of a board, 0.1 ns a weight of a
window. */

enum { FIRST_NONE, FIRST_SAFE, FIRST_ZERO }; /* what the first click of a game is spared */
enum { PLAYING, WON, LOST };
enum { HIT = -1 };

/* Games of one size, played side by side; arrays begin with the board. The *report's game* is that of
the DQN report: a zero opens the zeros that touch it, but no numbers; before the first move, five draws
open zeros; the first move may hit a mine, so `rule` is FIRST_NONE. */
typedef struct {
    int32_t rows, cols, mines, rule, report_game;
    int8_t *tiles;    /* [board][cell]: 0 to 8, or -1 for a covered cell */
    uint8_t *mined;   /* [board][cell], of meaning once the board is laid */
    uint8_t *laid;    /* whether the mines lie */
    int32_t *left;    /* safe cells that are covered */
    int8_t *status;   /* PLAYING, WON or LOST */
    uint64_t *random; /* one word of state a board */
    int32_t *room;    /* 2 * rows * cols to work in */
} Boards;

/* Start a new game on the chosen boards. */
ENTRY void engine_deal(const Boards *boards, int first, int end, const uint8_t *chosen);

/* Open one cell on each board whose game goes on; cell -1 opens nothing. `opened[board]` becomes how
many cells it opened: 0 for one that was open, HIT for a mine. */
ENTRY void engine_open_cells(const Boards *boards, int first, int end, const int32_t *cells,
                             int32_t *opened);

/* Go on with the chosen lost games: open another cell that is safe, a random one beside an open cell,
or any where there is none. */
ENTRY void engine_survive(const Boards *boards, int first, int end, const uint8_t *chosen);

/* A net of one hidden layer of rectified units. Each tile it sees is one of `codes`. */
typedef struct {
    int32_t slots, codes, units, outputs;
    int32_t planes;        /* `slots` where each tile has a value beside its code, else 0 */
    const float *table;    /* [slot][code][unit]: what a tile adds to the hidden layer */
    const float *plane;    /* [slot][unit]: what is added times the value of a tile */
    const float *bias;     /* [unit] */
    const float *out;      /* [output][unit] */
    const float *out_bias; /* [output] */
} DenseNet;

/* Fill `values[window][output]` for the windows `codes[window][slot]` and `planes[window][slot]`.
Codes must be below `net->codes`. `room` has a float for each unit. */
ENTRY void engine_dense_values(const DenseNet *net, int first, int end, const int8_t *codes,
                               const float *planes, float *room, float *values);

#endif

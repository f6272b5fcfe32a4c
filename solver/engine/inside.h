/* What the files of the engine share. Read engine.h first. */

#ifndef INSIDE_H
#define INSIDE_H

#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

/* ------------------------------------------------------------------------------ work.c: memory

An arena of blocks. Everything that one entry needs is taken from it and given back at once, at a
mark or at the end of the entry. `longjmp` leaves an entry from any depth, since nothing lies
outside the arena. */

typedef struct Block Block;

typedef struct {
    Block *block;
    size_t used;
} Mark;

/* Room that grows and is used again: for what one count needs while it runs. */
typedef struct {
    void *data;
    int64_t size;
} Buffer;

enum { KEYS, NEXT_KEYS, NEXT_NODES, TABLE, BUFFERS };

struct Work {
    jmp_buf leave;
    int code;
    const volatile int32_t *stop;
    volatile int32_t *progress;
    Block *first, *block;
    Buffer buffers[BUFFERS];
    int64_t bytes, most_bytes;
    int64_t most_nodes; /* of one count of layouts */
    int64_t nodes;      /* counted so far: the work that was done */
};

/* Begin an entry. `leave_entry` comes back to here, from any depth, and the entry returns its code. */
#define BEGIN(work)    \
    begin_entry(work); \
    if (setjmp((work)->leave)) return (work)->code

void begin_entry(Work *work);
int end_entry(Work *work);
_Noreturn void leave_entry(Work *work, int code);
void *take(Work *work, size_t count, size_t size);      /* not cleared */
void *take_zeros(Work *work, size_t count, size_t size);
void *buffer(Work *work, int which, size_t count, size_t size); /* what it held is lost */
Mark mark_here(Work *work);
void release(Work *work, Mark mark);

/* Leave the entry if the caller wants it to stop. */
static inline void check_stop(Work *work) {
    if (*work->stop) leave_entry(work, STOPPED);
}

#define TAKE(work, type, count) ((type *)take(work, (size_t)(count), sizeof(type)))
#define TAKE_ZEROS(work, type, count) ((type *)take_zeros(work, (size_t)(count), sizeof(type)))

/* Chances differ in the last bits between machines: what is nearer than this is equal. */
#define NEARLY 1e-9

static inline int min_int(int a, int b) { return a < b ? a : b; }
static inline int max_int(int a, int b) { return a > b ? a : b; }

/* Take one more word into a hash. */
static inline uint64_t mix_in(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x2545F4914F6CDD1Du;
    return hash ^ hash >> 29;
}

/* ------------------------------------------------------------------------------ field.c: fields

A *field* is the board with a border of FREE cells, so that every cell has eight neighbours at
fixed steps. 0 to 8 are open numbers. */

enum {
    HIDDEN = -1,
    MINE = -2, /* a known mine */
    FREE = -3, /* known free, its number not seen; also the border */
};

#define UNKNOWN -7 /* the tile of a cell that may hold a mine and cannot be chosen */

typedef struct {
    int rows, cols, wide, size; /* wide: cols + 2; size: cells of the field */
    int near[8];                /* steps to the neighbours, in scan order */
    int hidden, mines;          /* cells that may be mines; mines not located, -1 for unknown */
    int waiting;                /* numbers in the queue */
    int8_t *field;
    int8_t *need, *around;      /* per open number: mines to be found, hidden cells beside it */
    uint8_t *mined;             /* the layout behind the game, if it is played */
    int32_t *queue;             /* numbers that a single-number rule may fit */
    int32_t *found, *stack;     /* room for lists of cells */
} State;

bool bad_size(int rows, int cols);
bool has_unknown(int rows, int cols, const int8_t *tiles);
bool bad_board(int rows, int cols, const int8_t *tiles, int mines);
State *begin_board(Work *work, int rows, int cols, const int8_t *tiles, int mines);
State *new_state(Work *work, int rows, int cols);
State *state_of_tiles(Work *work, int rows, int cols, const int8_t *tiles, int mines);
State *state_like(Work *work, const State *other);
void copy_state(State *state, const State *saved); /* all but the layout */
void count_around(State *state);
int apply_rules(State *state, int *located); /* cells found free, -1 where numbers disagree */

static inline int place_of(const State *state, int cell) {
    return (cell / state->cols + 1) * state->wide + cell % state->cols + 1;
}
static inline int cell_of(const State *state, int place) {
    return (place / state->wide - 1) * state->cols + place % state->wide - 1;
}

/* ----------------------------------------------------------------- constraints.c: super-cells

`need[c]` mines lie on the super-cells `members[c][:width[c]]` of constraint c. Super-cell s has
`size[s]` cells and is part of the constraints `touch[s][:degree[s]]`. `super_cell[place]` is -1 for
a cell that is in none. */

enum { SLOTS = 16 }; /* open constraints that fit into one word of a key, four bits each */

typedef struct {
    int numbers, supers, components;
    int8_t *need, *width, *degree, *size;
    int32_t (*members)[8], (*touch)[8];
    int32_t *super_cell;
    int unconstrained; /* hidden cells that touch no number */
    /* The order of counting: component k takes `order[first[k]:first[k + 1]]`. */
    int32_t *order, *first;
    int32_t *slot; /* where in a key an open constraint stands */
    int words;     /* 64-bit words of a key */
} Constraints;

void build_constraints(Work *work, const State *state, Constraints *constraints);

/* -------------------------------------------------------------------------- counts of layouts */

typedef struct {
    int32_t low, high;   /* the fewest and the most mines counted so far */
    int16_t least, most; /* mines that the next super-cell may hold */
    int32_t edge;        /* where its edges start in `Level.edge`, one for each of these */
    int32_t tally;       /* where in `Level.tally` the weights of low to high mines start */
} Node;

typedef struct {
    Node *nodes;
    int32_t count, tallies;
    int32_t *edge; /* places of nodes of the next level */
    double *tally;
} Level;

typedef struct {
    int code; /* DONE, NO_LAYOUT or TOO_LARGE */
    Constraints constraints;
    Level *level; /* component k has levels first[k] + k to first[k + 1] + k */
    double weight[9][9]; /* [cells][mines] */
    bool total_known;
    int mines, most;            /* most: mines on the frontier */
    double *before, *after;     /* [components + 1][most + 1], see totals.c */
    double rest_risk;           /* risk of an unconstrained cell */
    double *risk;               /* risk of a cell of each super-cell */
    double log_layouts;
    int64_t nodes;
} Counts;

/* The level at the end of a component. It has one node. */
static inline const Level *end_of(const Counts *counts, int component) {
    return counts->level + counts->constraints.first[component + 1] + component;
}

static inline double risk_of(const Counts *counts, int place) {
    int super = counts->constraints.super_cell[place];
    return super < 0 ? counts->rest_risk : counts->risk[super];
}

/* ------------------------------------------------------------- forward.c: placements on the frontier */

/* Divide a row by its largest weight; return the natural logarithm of that weight. */
double scale(double *row, int count);

/* The weight of each number of mines on each number of cells. */
void fill_weights(double weight[9][9], double density);

/* Count all placements on the frontier; returns the logarithm of the scale of the weights. */
double count_forward(Work *work, Counts *counts);

/* ------------------------------------------------------------------- totals.c: the mine total */

/* Fill in `most`, and the fewest mines on the frontier. */
void count_most(Counts *counts, int *fewest);

/* Split the total between the components and the unconstrained cells. Returns the overlap of both
sides: near one if the density suits the total, tiny if weights may underflow. */
double split_total(Work *work, Counts *counts, double density, double *log_total);

/* ---------------------------------------------------------------------------- count.c: exact risks */

void count_layouts(Work *work, const State *state, Counts *counts);
void count_fitting(Work *work, const State *state, Counts *counts); /* leaves the entry if none fits */

/* ------------------------------------------------------------------------------ draw.c: layouts */

double draw_uniform(uint64_t *random);
void draw_layout(Work *work, const State *state, const Counts *counts, uint64_t *random,
                 uint8_t *mined);

/* -------------------------------------------------------------------------------- game.c: games */

/* Cells that counting proves free, and after them those that it proves to be mines. */
typedef struct {
    const int32_t *places;
    int32_t free, mines;
} Proven;

bool decide_cell(State *state, int place, int8_t code);
void open_cell(State *state, int place);
void open_by_rules(Work *work, State *state);
Proven list_proven(State *state, const Counts *counts); /* no mines where nothing is free */
void open_proven(State *state, Proven proven);
bool advance(Work *work, State *state, Counts *counts); /* open what is certain; whether won */
int safest_cell(const State *state, const Counts *counts);
void locate_mines(Work *work, State *state, Counts *counts); /* mark certain mines, count again */

/* ------------------------------------------------------------------------------ candidates */

typedef struct {
    int place;
    double safe;     /* chance to be safe */
    double raised;   /* the same, raised where the cell may be part of an unavoidable guess */
    double value;    /* worth of opening it by look-ahead, 0 if it was not looked at */
    double judged;   /* chance to win by the judge, as a share of the position's, less one constant */
    double shows[9]; /* chance to be safe and show each number */
    double after[9]; /* worth of the position after each number */
    double win;      /* estimated chance to win, NaN if there is none */
    bool dead;       /* it shows the same number wherever it is safe */
} Candidate;

/* ------------------------------------------------------------------------- glance.c: the nets */

int best_at_sight(Work *work, const Net *net, const State *state, const Counts *counts);

/* Describe candidates that were looked ahead, JUDGED numbers each; and fill in how they are judged. */
void describe_all(Work *work, const Net *cells, const State *state, const Counts *counts,
                  const Candidate *candidates, int count, double *into);
void judge_all(Work *work, const Policy *policy, const State *state, const Counts *counts,
               Candidate *candidates, int count);

/* ------------------------------------------------------------------- layouts.c: all layouts left */

/* The hidden cells: the frontier in the order of counting, then the others. */
int32_t *cells_in_order(Work *work, const State *state, const Counts *counts);

/* List all layouts over these cells, one byte a cell; returns how many, 0 if there are more than `most` or
finding them takes more than 1,000 steps for each of `most`. */
int list_layouts(Work *work, const State *state, const Counts *counts, const int32_t *cells, int most,
                 uint8_t *layouts);

/* ------------------------------------------------------------------- endgame.c: the exact search */

/* The best line of play: the place to open, -1 where the search takes more work than allowed. */
int search_endgame(Work *work, const State *state, const Counts *counts, const Limits *limits,
                   double *win);

/* ----------------------------------------------------------------- lookahead.c: what a guess shows */

/* Fill `candidates`, which has room for all hidden cells, with those worth a look, the best first; returns
how many. Those far from the best may lack a value; they come last. */
int look_ahead(Work *work, const State *state, const Counts *counts, const Policy *policy,
               Candidate *candidates);

/* Whether each count takes so long that few can be afforded. */
bool is_slow(const Counts *counts);

/* Fill in what a candidate shows, and its value as far as it may be above `to_beat`. */
void value_candidate(Work *work, State *state, const Counts *counts, Candidate *one, double to_beat);

bool search_candidates(Work *work, const State *state, const Counts *counts, const Limits *limits,
                       Candidate *candidates, int count);

/* ---------------------------------------------------------------------- world.c: drawn worlds */

typedef struct Worlds Worlds;

/* Get ready to try guesses in worlds that fit a state, about `tries` times in all. What is taken is given
back by the caller. */
Worlds *begin_worlds(Work *work, const State *state, const Counts *counts, const Net *net, int tries);

/* The chance to win that one world gives a candidate. */
double try_world(Worlds *worlds, const Candidate *one, int world);

/* ----------------------------------------------------------------------------- rollout.c: the race */

/* Try candidates, the best first, in at most `most` worlds each, until `until` nodes were counted, and
fill in their chances to win. Returns the place of the best in the list, -1 if winning is too unlikely for
a race. Without `race` none drops out, and the chances are plain means. */
int roll_out(Work *work, const State *state, const Counts *counts, Candidate *candidates, int count,
             int most, int64_t until, bool race, const Net *net);

/* ------------------------------------------------------------------------ decide.c: which guess */

/* A guess, how it was chosen, and the chance to win, NaN if it is not known. The candidates are those of
the look-ahead, NULL where there was none; they stay in the arena. */
typedef struct {
    int place, method, count;
    double win;
    Candidate *candidates;
} Chosen;

/* Choose a guess in a state where nothing is certain. */
Chosen choose_guess(Work *work, const State *state, const Counts *counts, const Policy *policy);

#endif

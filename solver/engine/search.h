/* The search of endgames: what its files share. Read endgame.c first. */

#ifndef SEARCH_H
#define SEARCH_H

#include "inside.h"

enum {
    SHOWN = 9,      /* numbers that a cell may show */
    MEMO = 1 << 12, /* values kept of sets of one word; a later one replaces an earlier one */
    POOL = 1 << 11, /* values kept of larger sets */
    NONE = -1,      /* no cell wins more than was to be beaten */
    ANY = -2,       /* any cell that is free in one layout */
};

typedef struct {
    uint64_t set;
    int32_t round; /* of loading: the same word means other layouts in another round */
    int16_t most, cell;
} Known;

typedef struct {
    const uint64_t *set;
    uint64_t hash;
    int32_t most, cell;
} KnownSet;

typedef struct {
    Work *work;
    int64_t spare; /* positions that may still be visited; below 0 the search is given up */
    /* All layouts, `words` words a set. */
    int cells, layouts, words;
    int32_t *places;   /* where on the field each cell lies */
    uint64_t *all;     /* the set of all layouts */
    int32_t *living;   /* all cells */
    uint64_t *free;    /* [cell][words]: where it is free */
    uint64_t *shows;   /* [cell][SHOWN][words]: where it shows each number */
    KnownSet *memo;    /* a hash table; its sets lie in `pool` */
    uint64_t *pool;
    int memos;
    /* The layouts of one part, as bits of one word. */
    int near_cells, round;
    int32_t *near_cell;
    uint64_t *near_free, (*near_shows)[SHOWN];
    int8_t *near_kinds;
    Known *known;
} Search;

static inline int bits_of(uint64_t set) { return __builtin_popcountll(set); }

static inline int size_of(const uint64_t *set, int words) {
    int size = 0;
    for (int word = 0; word < words; word++) size += bits_of(set[word]);
    return size;
}

/* ------------------------------------------------------- search_few.c, search_many.c: the search

A result that is not above `to_beat` is an upper bound; `*cell` is then NONE. `live[:lives]` are the cells
that may show two numbers. */

/* The layouts of a set of at most 64 that the best line wins. */
int win_few(Search *search, const uint64_t *set, int size, const int32_t *live, int lives, int to_beat,
            int *cell);

/* The layouts of any set that the best line wins. */
int win_set(Search *search, const uint64_t *set, int size, const int32_t *live, int lives, int to_beat,
            int *cell);

/* The layouts of all that are won after a cell is opened. */
int win_after(Search *search, int cell);

#endif

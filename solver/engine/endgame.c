/* Endgame search: the best line of play over all layouts left, and how many of them it wins.

A position is the set of layouts that are still possible in it: the cells opened so far are free in
all of these, and show the same. Opening a cell keeps the layouts in which it is free, and splits them
by the number that it shows. A cell that is free in all layouts costs nothing.

- If A is free wherever B is, B need not be tried before A: A is certain once B is open, and opening A
  first leaves the choice of B. So of linked cells, free in just the same layouts, one is tried.
- A *dead* cell, which shows one number wherever it is free, teaches nothing. It is opened at the end.
- A choice is not searched where it cannot win more layouts than one known already: it wins at most
  the layouts in which it is free, and each part at most those in which its safest cell is free.

A set has one bit a layout. A part of at most 64 layouts is searched as one word. */

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

static int size_of(const uint64_t *set, int words) {
    int size = 0;
    for (int word = 0; word < words; word++) size += bits_of(set[word]);
    return size;
}

/* --------------------------------------------------------------------------- sets of one word */

static Known *known_of(const Search *search, uint64_t set) {
    return search->known + ((set * 0x9E3779B97F4A7C15u) >> 52);
}

/* Whether a cell may show two numbers or more in the layouts of `free`. */
static bool tells(const Search *search, int at, uint64_t free) {
    for (int kind = 0; kind < search->near_kinds[at]; kind++) {
        uint64_t part = search->near_shows[at][kind] & free;
        if (part) return part != free;
    }
    return false;
}

/* The most that a set may win: what is known; else the sum over the parts that a certain cell leaves,
or what the safest guess leaves. */
static int bound_word(const Search *search, uint64_t set) {
    Known *known = known_of(search, set);
    if (known->set == set && known->round == search->round) return known->most;
    int most = 1, size = bits_of(set);
    for (int at = 0; at < search->near_cells; at++) {
        uint64_t free = search->near_free[at] & set;
        int safe = bits_of(free);
        if (safe <= most || !tells(search, at, free)) continue;
        most = safe;
        if (safe < size) continue;
        most = 0;
        for (int kind = 0; kind < search->near_kinds[at]; kind++) {
            uint64_t part = search->near_shows[at][kind] & set;
            if (part) most += part & (part - 1) ? bound_word(search, part) : 1;
        }
        break;
    }
    *known = (Known){set, search->round, (int16_t)most, NONE};
    return most;
}

static int win_word(Search *search, uint64_t set, int to_beat);

/* What opening a cell wins; not above `best` if it cannot win more. */
static int try_word(Search *search, uint64_t set, int at, int safe, int best) {
    int total = safe, upper[SHOWN], kinds = search->near_kinds[at];
    for (int kind = 0; kind < kinds; kind++) {
        uint64_t part = search->near_shows[at][kind] & set;
        upper[kind] = 0;
        if (!part || total <= best) continue;
        upper[kind] = bound_word(search, part);
        total += upper[kind] - bits_of(part);
    }
    for (int kind = 0; kind < kinds && total > best; kind++) {
        if (upper[kind] <= 1) continue;
        int need = max_int(0, best - total + upper[kind]);
        total += win_word(search, search->near_shows[at][kind] & set, need) - upper[kind];
    }
    return total;
}

/* The layouts of `set` that the best line wins. A result that is not above `to_beat` is an upper bound;
the cell of `known` is then NONE. */
static int win_word(Search *search, uint64_t set, int to_beat) {
    Known *known = known_of(search, set);
    if (known->set == set && known->round == search->round &&
        (known->cell != NONE || known->most <= to_beat))
        return known->most;
    if (--search->spare < 0) return to_beat;
    check_stop(search->work);
    Mark mark = mark_here(search->work);
    int best = to_beat, cell = NONE, count = 0, size = bits_of(set);
    if (best < 1) {
        best = 1;
        cell = ANY;
    }
    int8_t *safe = TAKE(search->work, int8_t, search->near_cells);
    uint64_t *tried = TAKE(search->work, uint64_t, search->near_cells);
    for (int at = 0; at < search->near_cells; at++) {
        uint64_t free = search->near_free[at] & set;
        int most = bits_of(free);
        safe[at] = most > best && tells(search, at, free) ? (int8_t)most : 0;
    }
    for (;;) {
        int at = -1, most = best;
        for (int other = 0; other < search->near_cells; other++)
            if (safe[other] > most) {
                at = other;
                most = safe[other];
            }
        if (at < 0) break;
        safe[at] = 0;
        uint64_t free = search->near_free[at] & set;
        bool dominated = false;
        for (int one = 0; one < count && !dominated; one++) dominated = !(free & ~tried[one]);
        if (dominated) continue;
        tried[count++] = free;
        int total = try_word(search, set, at, most, best);
        if (total > best) {
            best = total;
            cell = at;
        }
        if (most == size || search->spare < 0) break; /* a certain cell ends the choice */
    }
    release(search->work, mark);
    known = known_of(search, set);
    if (search->spare >= 0)
        *known = (Known){set, search->round, (int16_t)best, (int16_t)cell};
    return best;
}

/* Take in the layouts of a set of at most 64, and the cells that may show two numbers in them. */
static void load_word(Search *search, const uint64_t *set, int size, const int32_t *live,
                      int lives) {
    search->round++;
    search->near_cells = 0;
    int32_t layouts[64];
    for (int word = 0, count = 0; word < search->words; word++)
        for (uint64_t rest = set[word]; rest && count < size; rest &= rest - 1)
            layouts[count++] = 64 * word + __builtin_ctzll(rest);
    for (int one = 0; one < lives; one++) {
        int at = search->near_cells, kinds = 0;
        const uint64_t *shows = search->shows + (size_t)live[one] * SHOWN * (size_t)search->words;
        uint64_t free = 0;
        for (int number = 0; number < SHOWN; number++, shows += search->words) {
            uint64_t part = 0;
            for (int layout = 0; layout < size; layout++)
                part |= (shows[layouts[layout] / 64] >> (layouts[layout] % 64) & 1) << layout;
            if (!part) continue;
            search->near_shows[at][kinds++] = part;
            free |= part;
        }
        if (kinds < 2) continue;
        search->near_cell[at] = live[one];
        search->near_free[at] = free;
        search->near_kinds[at] = (int8_t)kinds;
        search->near_cells++;
    }
}

/* ------------------------------------------------------------------------------- larger sets */

static uint64_t hash_of(const uint64_t *set, int words) {
    uint64_t mixed = 0;
    for (int word = 0; word < words; word++) {
        mixed = (mixed ^ set[word]) * 0x2545F4914F6CDD1Du;
        mixed ^= mixed >> 29;
    }
    return mixed;
}

/* The place of a set in the memo, or the empty one where it is to go. */
static KnownSet *memo_of(const Search *search, const uint64_t *set) {
    uint64_t hash = hash_of(set, search->words);
    for (int place = (int)(hash & (2 * POOL - 1));; place = (place + 1) & (2 * POOL - 1)) {
        KnownSet *known = search->memo + place;
        if (!known->set) {
            known->hash = hash;
            return known;
        }
        if (known->hash == hash &&
            memcmp(known->set, set, (size_t)search->words * sizeof(uint64_t)) == 0)
            return known;
    }
}

/* Keep a value. `set` lies in the arena and may be given back: it is copied into the pool. */
static void remember(Search *search, const uint64_t *set, int most, int cell) {
    KnownSet *known = memo_of(search, set);
    if (!known->set) {
        if (search->memos == POOL) return;
        uint64_t *kept = search->pool + (size_t)search->memos++ * (size_t)search->words;
        memcpy(kept, set, (size_t)search->words * sizeof(uint64_t));
        known->set = kept;
    }
    known->most = most;
    known->cell = cell;
}

typedef struct {
    uint64_t *free; /* [words] */
    int32_t cell, safe;
} Choice;

/* List the living cells of `live` as choices; returns how many. */
static int list_choices(Search *search, const uint64_t *set, const int32_t *live, int lives,
                        Choice *choices) {
    int count = 0, words = search->words;
    for (int one = 0; one < lives; one++) {
        const uint64_t *free = search->free + (size_t)live[one] * (size_t)words;
        const uint64_t *shows = search->shows + (size_t)live[one] * SHOWN * (size_t)words;
        int kinds = 0;
        for (int number = 0; number < SHOWN && kinds < 2; number++, shows += words) {
            uint64_t any = 0;
            for (int word = 0; word < words; word++) any |= shows[word] & set[word];
            kinds += any != 0;
        }
        if (kinds < 2) continue;
        Choice *choice = choices + count++;
        choice->cell = live[one];
        choice->free = TAKE(search->work, uint64_t, words);
        for (int word = 0; word < words; word++) choice->free[word] = free[word] & set[word];
        choice->safe = size_of(choice->free, words);
    }
    return count;
}

static bool is_within(const uint64_t *one, const uint64_t *other, int words) {
    for (int word = 0; word < words; word++)
        if (one[word] & ~other[word]) return false;
    return true;
}

static int win_set(Search *search, const uint64_t *set, int size, const int32_t *live, int lives,
                   int to_beat, int *cell);

/* The most that a larger set may win: what is known, or what the safest guess leaves. */
static int bound_set(Search *search, const uint64_t *set, int size, const int32_t *live,
                     int lives) {
    const KnownSet *known = memo_of(search, set);
    if (known->set) return known->most;
    Mark mark = mark_here(search->work);
    Choice *choices = TAKE(search->work, Choice, lives);
    int count = list_choices(search, set, live, lives, choices), most = 1;
    for (int one = 0; one < count && most < size; one++) most = max_int(most, choices[one].safe);
    release(search->work, mark);
    return most;
}

/* What opening a cell wins; not above `best` if it cannot win more. */
static int try_cell(Search *search, const uint64_t *set, const Choice *choice, const int32_t *live,
                    int lives, int best) {
    int words = search->words, total = choice->safe, sizes[SHOWN], cell;
    uint64_t *parts = TAKE(search->work, uint64_t, SHOWN * words);
    const uint64_t *shows = search->shows + (size_t)choice->cell * SHOWN * (size_t)words;
    for (int at = 0; at < SHOWN * words; at++) parts[at] = shows[at] & set[at % words];
    for (int number = 0; number < SHOWN; number++) {
        sizes[number] = size_of(parts + number * words, words);
        if (sizes[number] < 2) continue;
        int most = bound_set(search, parts + number * words, sizes[number], live, lives);
        total += most - sizes[number];
        sizes[number] = most;
    }
    for (int number = 0; number < SHOWN && total > best; number++) {
        if (sizes[number] < 2) continue;
        int need = max_int(0, best - total + sizes[number]);
        const uint64_t *part = parts + number * words;
        total += win_set(search, part, size_of(part, words), live, lives, need, &cell) -
                 sizes[number];
    }
    return total;
}

/* The layouts of `set` that the best line wins, as `win_word`. */
static int win_set(Search *search, const uint64_t *set, int size, const int32_t *live, int lives,
                   int to_beat, int *cell) {
    *cell = NONE;
    if (size == 1) return 1;
    const KnownSet *known = memo_of(search, set);
    if (known->set && (known->cell != NONE || known->most <= to_beat)) {
        *cell = known->cell;
        return known->most;
    }
    if (--search->spare < 0) return to_beat;
    check_stop(search->work);
    int best = to_beat;
    if (size <= 64) {
        load_word(search, set, size, live, lives);
        best = win_word(search, ~(uint64_t)0 >> (64 - size), to_beat);
        int at = known_of(search, ~(uint64_t)0 >> (64 - size))->cell;
        *cell = at < 0 ? at : search->near_cell[at];
        if (search->spare >= 0) remember(search, set, best, *cell);
        return best;
    }
    Mark mark = mark_here(search->work);
    if (best < 1) {
        best = 1;
        *cell = ANY;
    }
    Choice *choices = TAKE(search->work, Choice, lives);
    int32_t *left = TAKE(search->work, int32_t, lives);
    const uint64_t **tried = TAKE(search->work, const uint64_t *, lives);
    int count = list_choices(search, set, live, lives, choices), tries = 0;
    for (int one = 0; one < count; one++) left[one] = choices[one].cell;
    while (search->spare >= 0) {
        Choice *next = NULL;
        for (int one = 0; one < count; one++)
            if (choices[one].safe > (next ? next->safe : best)) next = choices + one;
        if (!next) break;
        int safe = next->safe;
        bool dominated = false;
        for (int one = 0; one < tries && !dominated; one++)
            dominated = is_within(next->free, tried[one], search->words);
        if (!dominated) {
            tried[tries++] = next->free;
            Mark inner = mark_here(search->work);
            int total = try_cell(search, set, next, left, count, best);
            release(search->work, inner);
            if (total > best) {
                best = total;
                *cell = next->cell;
            }
        }
        next->safe = 0;
        if (safe == size) break; /* a certain cell ends the choice */
    }
    release(search->work, mark);
    if (search->spare >= 0) remember(search, set, best, *cell);
    return best;
}

/* ------------------------------------------------------------------------- what the layouts show */

/* Fill `free` and `shows`: what each cell shows in each layout. */
static void fill_sets(Search *search, const State *state, const int32_t *cells,
                      const uint8_t *layouts) {
    int hidden = search->cells, words = search->words;
    int32_t *at_place = TAKE(search->work, int32_t, state->size);
    memset(at_place, -1, (size_t)state->size * sizeof(int32_t));
    for (int at = 0; at < hidden; at++) at_place[cells[at]] = at;
    for (int at = 0; at < hidden; at++) {
        int base = 0, beside = 0, near[8];
        for (int step = 0; step < 8; step++) {
            int other = cells[at] + state->near[step];
            base += state->field[other] == MINE;
            if (at_place[other] >= 0) near[beside++] = at_place[other];
        }
        for (int layout = 0; layout < search->layouts; layout++) {
            const uint8_t *mined = layouts + (size_t)layout * (size_t)hidden;
            if (mined[at]) continue;
            int number = base;
            for (int one = 0; one < beside; one++) number += mined[near[one]];
            size_t word = (size_t)layout / 64;
            uint64_t bit = (uint64_t)1 << (layout % 64);
            search->free[(size_t)at * (size_t)words + word] |= bit;
            search->shows[((size_t)at * SHOWN + (size_t)number) * (size_t)words + word] |= bit;
        }
    }
}

static void make_room(Search *search) {
    Work *work = search->work;
    int cells = search->cells, words = search->words;
    search->free = TAKE_ZEROS(work, uint64_t, (size_t)cells * (size_t)words);
    search->shows = TAKE_ZEROS(work, uint64_t, (size_t)cells * SHOWN * (size_t)words);
    search->memo = TAKE_ZEROS(work, KnownSet, 2 * POOL);
    search->pool = TAKE(work, uint64_t, (size_t)POOL * (size_t)words);
    search->near_cell = TAKE(work, int32_t, cells);
    search->near_free = TAKE(work, uint64_t, cells);
    search->near_shows = take(work, (size_t)cells, sizeof *search->near_shows);
    search->near_kinds = TAKE(work, int8_t, cells);
    search->known = TAKE_ZEROS(work, Known, MEMO);
}

/* List all layouts of a state; false if they are more than `limits` allow. */
static bool begin_search(Work *work, const State *state, const Counts *counts,
                         const Limits *limits, Search *search) {
    int most = (int)fmin(exp(counts->log_layouts) * 1.001 + 2.0, limits->layouts);
    int32_t *places = cells_in_order(work, state, counts);
    uint8_t *layouts = TAKE(work, uint8_t, (size_t)most * (size_t)state->hidden);
    int count = list_layouts(work, state, counts, places, most, layouts);
    *search = (Search){.work = work, .spare = limits->positions, .cells = state->hidden,
                       .layouts = count, .words = (count + 63) / 64, .places = places};
    if (count == 0) return false;
    make_room(search);
    fill_sets(search, state, places, layouts);
    search->all = TAKE_ZEROS(work, uint64_t, search->words);
    search->living = TAKE(work, int32_t, search->cells);
    for (int layout = 0; layout < count; layout++)
        search->all[layout / 64] |= (uint64_t)1 << (layout % 64);
    for (int at = 0; at < search->cells; at++) search->living[at] = at;
    return true;
}

/* The cell that is free in most layouts of all. */
static int safest_of(const Search *search) {
    int best = 0, most = -1;
    for (int at = 0; at < search->cells; at++) {
        int size = size_of(search->free + (size_t)at * (size_t)search->words, search->words);
        if (size <= most) continue;
        best = at;
        most = size;
    }
    return best;
}

int search_endgame(Work *work, const State *state, const Counts *counts, const Limits *limits,
                   double *win) {
    Mark mark = mark_here(work);
    Search search;
    int place = -1;
    if (begin_search(work, state, counts, limits, &search)) {
        int cell;
        int won = win_set(&search, search.all, search.layouts, search.living, search.cells, 0,
                          &cell);
        if (search.spare >= 0) {
            place = search.places[cell >= 0 ? cell : safest_of(&search)];
            *win = (double)won / search.layouts;
        }
    }
    release(work, mark);
    return place;
}

/* Fill in what each candidate wins; false where that takes more work than allowed. */
bool search_candidates(Work *work, const State *state, const Counts *counts, const Limits *limits,
                       Candidate *candidates, int count) {
    Mark mark = mark_here(work);
    Search search;
    bool done = begin_search(work, state, counts, limits, &search);
    for (int at = 0; done && at < search.cells; at++)
        for (int one = 0; done && one < count; one++) {
            if (candidates[one].place != search.places[at]) continue;
            const uint64_t *free = search.free + (size_t)at * (size_t)search.words;
            Choice choice = {NULL, at, size_of(free, search.words)};
            Mark inner = mark_here(work);
            search.spare = limits->positions;
            int won = try_cell(&search, search.all, &choice, search.living, search.cells, -1);
            release(work, inner);
            done = search.spare >= 0;
            if (done) candidates[one].win = (double)won / search.layouts;
        }
    release(work, mark);
    return done;
}

/* --------------------------------------------------------------------------- the first click */

/* Whether a cell comes first of all that a turn or reflection of the board puts on it. */
static bool is_first_image(const State *state, int place) {
    int row = place / state->wide - 1, col = place % state->wide - 1;
    return 2 * row < state->rows && 2 * col < state->cols &&
           (state->rows != state->cols || row <= col);
}

/* The layouts won once a first cell is open that shows less than `last`; an upper bound where they are
not above `to_beat`. */
static int win_first(Search *search, int at, int last, int to_beat) {
    int words = search->words, most = 0, cell;
    const uint64_t *shows = search->shows + (size_t)at * SHOWN * (size_t)words;
    for (int number = 0; number < last; number++) most += size_of(shows + number * words, words);
    for (int number = 0; number < last && most > to_beat; number++) {
        const uint64_t *part = shows + number * words;
        int size = size_of(part, words);
        if (size < 2) continue;
        most += win_set(search, part, size, search->living, search->cells,
                        max_int(0, to_beat - most + size), &cell) - size;
    }
    return most;
}

int engine_first(Work *work, int rows, int cols, int mines, int spared, const Limits *limits,
                 Guess *guess) {
    if (bad_size(rows, cols) || mines < 0 || mines > rows * cols) return BAD_ARGUMENT;
    BEGIN(work);
    int8_t *tiles = TAKE(work, int8_t, rows * cols);
    memset(tiles, HIDDEN, (size_t)(rows * cols));
    State *state = begin_board(work, rows, cols, tiles, mines);
    Counts counts;
    Search search;
    count_layouts(work, state, &counts);
    *guess = (Guess){.cell = -1, .method = METHOD_ENDGAME, .win = 0.0};
    if (!begin_search(work, state, &counts, limits, &search)) leave_entry(work, TOO_LARGE);
    for (int at = 0; at < search.cells; at++) {
        if (!is_first_image(state, search.places[at])) continue;
        int words = search.words, last = SHOWN, among = search.layouts;
        const uint64_t *shows = search.shows + (size_t)at * SHOWN * (size_t)words;
        int zeros = size_of(shows, words);
        if (spared == 2 && zeros > 0) last = 1; /* a zero where there is room for one */
        if (spared > 0)
            among = last == 1 ? zeros : size_of(search.free + (size_t)at * (size_t)words, words);
        if (among == 0) continue;
        int won = win_first(&search, at, last, (int)(guess->win * among));
        if (search.spare < 0) leave_entry(work, TOO_LARGE);
        if (guess->cell >= 0 && won <= guess->win * among) continue;
        guess->cell = cell_of(state, search.places[at]);
        guess->win = (double)won / among;
    }
    return end_entry(work);
}

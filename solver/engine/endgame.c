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

#include "search.h"

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
            search.spare = limits->positions;
            int won = win_after(&search, at);
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

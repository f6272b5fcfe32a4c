/* How good a guess looks: the cell net, at a glance, and the judge, after the look-ahead.

Both are small networks. The cell net sees what lies around a cell and a few numbers of the position,
without counting layouts again; it takes a microsecond a cell, and plays the roll-outs. The judge sees
that, too, and what the look-ahead found. Both were fitted to the differences between the guesses of a
position, tried in the same drawn worlds: the judge by solver/arena/judge.py, the cell net by a like
program of version 0.1.0. */

#include "inside.h"

enum {
    AROUND = 25,        /* numbers that describe a cell */
    SEEN = AROUND + 5,  /* with those that describe the position: inputs of the cell net */
};

#define REACH 0.1 /* how much above the least the risk of a guess may be */

/* What is the same for all cells of a position. */
typedef struct {
    double least;       /* the least risk of a hidden cell */
    int located;        /* certain mines that are not marked */
    int8_t *close;      /* per cell: open numbers above 0 at most two cells away */
    int8_t *around;     /* per number: hidden cells beside it, certain mines excluded */
    double *risk;       /* per hidden cell */
} Survey;

/* Fill `close`. Whole rows in passes, which compilers turn into vector instructions; cells of the border
hold what means nothing. */
static void count_close(Work *work, const State *state, int8_t *restrict close) {
    const int8_t *field = state->field;
    int wide = state->wide, size = state->size;
    int8_t *restrict five = TAKE_ZEROS(work, int8_t, size + 2 * wide); /* in a row, from row -1 on */
    for (int at = 2; at < size - 2; at++)
        five[at + wide] = (int8_t)((field[at - 2] > 0) + (field[at - 1] > 0) + (field[at] > 0) +
                                   (field[at + 1] > 0) + (field[at + 2] > 0));
    for (int at = wide; at < size - wide; at++)
        close[at] = (int8_t)(five[at - wide] + five[at] + five[at + wide] + five[at + 2 * wide] +
                             five[at + 3 * wide]);
}

static Survey survey(Work *work, const State *state, const Counts *counts) {
    Survey seen = {2.0, 0, TAKE(work, int8_t, state->size), TAKE(work, int8_t, state->size),
                   TAKE(work, double, state->size)};
    count_close(work, state, seen.close);
    memcpy(seen.around, state->around, (size_t)state->size);
    for (int place = 0; place < state->size; place++) {
        if (state->field[place] != HIDDEN) continue;
        double risk = seen.risk[place] = risk_of(counts, place);
        if (risk < seen.least) seen.least = risk;
        if (risk < 1.0) continue;
        seen.located++;
        for (int step = 0; step < 8; step++) seen.around[place + state->near[step]]--;
    }
    return seen;
}

static int edges_at(const State *state, int place) {
    int row = place / state->wide, col = place % state->wide;
    return min_int(2, (row == 1) + (row == state->rows) + (col == 1) + (col == state->cols));
}

/* List the hidden cells whose risk is at most `reach` above the least. Of cells far from every number,
which look alike, only one in a corner, one at an edge and one elsewhere; certain mines only where all
hidden cells are mines. */
static int cells_to_rate(const State *state, const Survey *seen, double reach, int32_t *cells) {
    double most = seen->least + reach;
    if (seen->least < 1.0 && most > 1.0 - 0x1p-53) most = 1.0 - 0x1p-53;
    bool met[3] = {false, false, false};
    int count = 0;
    for (int place = 0; place < state->size; place++) {
        if (state->field[place] != HIDDEN || seen->risk[place] > most) continue;
        if (seen->close[place] == 0) {
            int edges = edges_at(state, place);
            if (met[edges]) continue;
            met[edges] = true;
        }
        cells[count++] = place;
    }
    return count;
}

/* Fill the last of the SEEN numbers: they describe the position. */
static void describe_position(const State *state, const Counts *counts, const Survey *seen,
                              double *into) {
    double risk = counts->rest_risk;
    int rest = risk < 1.0 ? counts->constraints.unconstrained : 0;
    into[AROUND] = rest / 240.0;
    into[AROUND + 1] = fmin(counts->log_layouts, 300.0) / 100.0;
    into[AROUND + 2] = 4.0 * seen->least;
    into[AROUND + 3] = rest > 0 ? 4.0 * risk : 1.0;
    into[AROUND + 4] = 4.0 * (state->mines - seen->located) /
                       max_int(1, state->hidden - seen->located);
}

/* Fill the first AROUND numbers: they describe a hidden cell and its neighbours. An *open question* is
a hidden neighbour whose risk is neither 0 nor 1. A certain mine counts as marked. */
static void describe_cell(const State *state, const Counts *counts, const Survey *seen, int cell,
                          double *into) {
    const int32_t *super_cell = counts->constraints.super_cell;
    int hidden = 0, frontier = 0, numbers = 0, settled = 0, pairs = 0, low = 0, questions = 0;
    double none = 1.0, all_mines = 1.0, spread = 0.0, lowest = 1.0, highest = 0.0;
    for (int step = 0; step < 8; step++) {
        int other = cell + state->near[step], code = state->field[other];
        if (code == HIDDEN && seen->risk[other] < 1.0) {
            double risk = seen->risk[other];
            hidden++;
            frontier += super_cell[other] >= 0;
            none *= 1.0 - risk;
            all_mines *= risk;
            spread += risk * (1.0 - risk);
            if (risk > 0.0) {
                questions++;
                low += risk < seen->least + 0.05;
                lowest = fmin(lowest, risk);
                highest = fmax(highest, risk);
            }
        } else if (code == HIDDEN || code == MINE) {
            none = 0.0;
        } else if (code > 0) {
            numbers++;
            settled += state->around[other] - state->need[other] == 1;
            pairs += seen->around[other] == 2;
        }
    }
    int edges = edges_at(state, cell);
    bool rest = super_cell[cell] < 0;
    into[0] = none; /* about how likely the cell shows that no mine is beside it */
    into[1] = sqrt(none);
    into[2] = hidden > 0 ? all_mines : 0.0;
    into[3] = spread;
    into[4] = lowest;
    into[5] = highest;
    into[6] = low / 4.0;
    into[7] = hidden / 8.0;
    into[8] = frontier / 8.0;
    into[9] = questions / 8.0;
    into[10] = questions == 0;
    into[11] = questions == 1;
    into[12] = questions == 2;
    into[13] = rest;
    into[14] = rest && frontier > 0;
    into[15] = !rest && hidden > frontier;
    into[16] = rest ? 0.0 : counts->constraints.size[super_cell[cell]] / 4.0;
    into[17] = numbers / 4.0;
    into[18] = (seen->close[cell] - numbers) / 8.0;
    into[19] = settled / 2.0; /* numbers whose other hidden cells are mines if this one is none */
    into[20] = settled > 0;
    into[21] = pairs / 2.0;
    into[22] = edges / 2.0;
    into[23] = edges == 2;
    into[24] = 10.0 * (seen->risk[cell] - seen->least);
}

enum { LANES = 16 }; /* units summed at once, in registers; layers are multiples of it */

/* Add the inputs times their weights to each of `units` sums. `used` has room for all inputs: those of 0
are left out. */
static void add_layer(const double *inputs, int count, const double *weights, int units, double *sums,
                      int32_t *used) {
    int uses = 0;
    for (int at = 0; at < count; at++) {
        used[uses] = at;
        uses += inputs[at] != 0.0;
    }
    for (int first = 0; first < units; first += LANES) {
        double own[LANES];
        memcpy(own, sums + first, sizeof own);
        for (int at = 0; at < uses; at++) {
            const double *row = weights + used[at] * units + first, input = inputs[used[at]];
            for (int unit = 0; unit < LANES; unit++) own[unit] += input * row[unit];
        }
        memcpy(sums + first, own, sizeof own);
    }
}

static void rectify(double *values, int count) {
    for (int at = 0; at < count; at++) values[at] = values[at] > 0.0 ? values[at] : 0.0;
}

/* The output of a net: two hidden layers of rectified units. */
static double net_value(Work *work, const Net *net, const double *inputs) {
    Mark mark = mark_here(work);
    int count = net->inputs, units = net->units, units2 = net->units2;
    const double *first = net->weights, *first_bias = first + count * units;
    const double *second = first_bias + units, *second_bias = second + units * units2;
    const double *out = second_bias + units2;
    double *inner = TAKE(work, double, units), *middle = TAKE(work, double, units2);
    int32_t *used = TAKE(work, int32_t, max_int(count, units));
    memcpy(inner, first_bias, (size_t)units * sizeof(double));
    memcpy(middle, second_bias, (size_t)units2 * sizeof(double));
    add_layer(inputs, count, first, units, inner, used);
    rectify(inner, units);
    add_layer(inner, units, second, units2, middle, used);
    rectify(middle, units2);
    double total = out[units2];
    for (int at = 0; at < units2; at++) total += middle[at] * out[at];
    release(work, mark);
    return total;
}

/* The cell of the highest rating; of equal ones the first. A rating is the chance to be safe times the
output of the net: the difference of two is that of the chances to win with the two guesses, as a share
of the position's chance. */
int best_at_sight(Work *work, const Net *net, const State *state, const Counts *counts) {
    Mark mark = mark_here(work);
    Survey seen = survey(work, state, counts);
    int32_t *cells = TAKE(work, int32_t, state->size);
    double inputs[SEEN];
    int count = cells_to_rate(state, &seen, REACH, cells), best = cells[0];
    double highest = -INFINITY;
    describe_position(state, counts, &seen, inputs);
    for (int at = 0; at < count; at++) {
        describe_cell(state, counts, &seen, cells[at], inputs);
        double rating = (1.0 - seen.risk[cells[at]]) * net_value(work, net, inputs);
        if (rating <= highest + NEARLY) continue;
        best = cells[at];
        highest = rating;
    }
    release(work, mark);
    return best;
}

/* Fill the inputs of the judge for a candidate that was looked ahead; `rating` is the cell net's. */
static void describe_candidate(const Candidate *one, double rating, double *into) {
    double certain = 0.0, next = 0.0, squares = 0.0, kinds = 0.0;
    for (int number = 0; number < 9; number++) {
        double share = one->shows[number] / one->safe;
        certain += one->after[number] > 1.0 ? share : 0.0;
        next += share * fmin(one->after[number], 1.0);
        squares += share * share;
        kinds += share > NEARLY;
    }
    into[0] = rating;
    into[1] = log(fmax(one->value, 1e-3));
    into[2] = one->safe;
    into[3] = one->raised;
    into[4] = one->shows[0] / one->safe;
    into[5] = certain; /* chance that something certain follows */
    into[6] = next;    /* how safe the move after it is */
    into[7] = squares; /* how little information the number gives */
    into[8] = kinds;
}

void describe_all(Work *work, const Net *cells, const State *state, const Counts *counts,
                 const Candidate *candidates, int count, double *into) {
    Mark mark = mark_here(work);
    Survey seen = survey(work, state, counts);
    for (int at = 0; at < count; at++, into += JUDGED) {
        int place = candidates[at].place;
        describe_position(state, counts, &seen, into);
        describe_cell(state, counts, &seen, place, into);
        double rating = (1.0 - seen.risk[place]) * net_value(work, cells, into);
        describe_candidate(candidates + at, rating, into + SEEN);
    }
    release(work, mark);
}

void judge_all(Work *work, const Policy *policy, const State *state, const Counts *counts,
               Candidate *candidates, int count) {
    Mark mark = mark_here(work);
    const Net *judge = &policy->judge;
    double *inputs = TAKE(work, double, JUDGED * count);
    describe_all(work, &policy->cells, state, counts, candidates, count, inputs);
    for (int at = 0; at < count; at++)
        candidates[at].judged = net_value(work, judge, inputs + JUDGED * at);
    release(work, mark);
}

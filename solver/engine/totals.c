/* The mine total: how it is split between the components of the frontier and the unconstrained cells. */

#include "inside.h"

/* ln(n!) by Stirling's series; `lgamma` writes a global, so that threads would race. */
static double log_factorial(double n) {
    double sum = 0.0;
    for (; n < 16.0; n++) sum -= log(n + 1.0);
    double square = 1.0 / (n * n);
    return sum + n * log(n) - n + 0.5 * log(2.0 * 3.14159265358979323846 * n) +
           (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) / n;
}

/* Fill `row[n]` with the weight of `mines - n` mines on the unconstrained cells, scaled to a largest
weight of one; return the logarithm of the scale. */
static double weigh_unconstrained(const Counts *counts, double *row, double density) {
    int rest = counts->constraints.unconstrained, mines = counts->mines;
    if (!counts->total_known) {
        row[0] = 1.0;
        return 0.0;
    }
    int first = max_int(0, mines - rest), last = min_int(mines, counts->most);
    if (first > last) return 0.0;
    /* Start at the likeliest count and step outwards: C(2500, 500) itself would overflow. */
    int peak = min_int(max_int(mines - (int)(rest * density), first), last);
    double off = mines - peak, odds = density / (1.0 - density);
    row[peak] = 1.0;
    for (int n = peak + 1; n <= last; n++) {
        double held = mines - n + 1;
        row[n] = row[n - 1] * held / ((rest - held + 1) * odds);
    }
    for (int n = peak - 1; n >= first; n--) {
        double held = mines - n;
        row[n] = row[n + 1] * (rest - held + 1) * odds / held;
    }
    return log_factorial(rest) - log_factorial(off) - log_factorial(rest - off) +
           off * log(density) + (rest - off) * log1p(-density) + scale(row, counts->most + 1);
}

void count_most(Counts *counts, int *fewest) {
    *fewest = counts->most = 0;
    for (int component = 0; component < counts->constraints.components; component++) {
        const Node *end = end_of(counts, component)->nodes;
        *fewest += end->low;
        counts->most += end->high;
    }
}

/* Fill `before`: `before[k][n]` is the weight of n mines on the components before k. */
static void fill_before(Work *work, Counts *counts) {
    int components = counts->constraints.components, width = counts->most + 1, low = 0, high = 0;
    counts->before = TAKE_ZEROS(work, double, (size_t)(components + 1) * (size_t)width);
    counts->before[0] = 1.0;
    for (int component = 0; component < components; component++) {
        const Level *level = end_of(counts, component);
        const Node *end = level->nodes;
        double *row = counts->before + (size_t)component * (size_t)width, *next = row + width;
        for (int n = low; n <= high; n++)
            for (int own = end->low; own <= end->high; own++)
                next[n + own] += row[n] * level->tally[own - end->low];
        low += end->low;
        high += end->high;
        scale(next, width);
    }
}

/* Fill `after`: `after[k][n]` is the weight of all placements on component k, those after it and the
unconstrained cells, if n mines lie on the components before k. Returns the logarithm of the scale. */
static double fill_after(Work *work, Counts *counts, double density) {
    int components = counts->constraints.components, width = counts->most + 1;
    int low, high = counts->most;
    count_most(counts, &low);
    counts->after = TAKE_ZEROS(work, double, (size_t)(components + 1) * (size_t)width);
    double log_scale =
        weigh_unconstrained(counts, counts->after + (size_t)components * (size_t)width, density);
    for (int component = components - 1; component >= 0; component--) {
        const Level *level = end_of(counts, component);
        const Node *end = level->nodes;
        double *row = counts->after + (size_t)component * (size_t)width, *next = row + width;
        low -= end->low;
        high -= end->high;
        for (int n = low; n <= high; n++)
            for (int own = end->low; own <= end->high; own++)
                row[n] += next[n + own] * level->tally[own - end->low];
        log_scale += scale(row, width);
    }
    return log_scale;
}

double split_total(Work *work, Counts *counts, double density, double *log_total) {
    fill_before(work, counts);
    *log_total += fill_after(work, counts, density);
    size_t last = (size_t)counts->constraints.components * (size_t)(counts->most + 1);
    double overlap = 0.0, rest = 0.0;
    for (int n = 0; n <= counts->most; n++) {
        double part = counts->before[last + (size_t)n] * counts->after[last + (size_t)n];
        overlap += part;
        rest += part * (counts->mines - n);
    }
    counts->rest_risk = 0.0;
    if (counts->constraints.unconstrained > 0 && overlap > 0.0)
        counts->rest_risk =
            counts->total_known ? rest / (overlap * counts->constraints.unconstrained) : 0.5;
    return overlap;
}

static double log_add(double one, double other) {
    if (one < other) return log_add(other, one);
    return other == -INFINITY ? one : one + log1p(exp(other - one));
}

int engine_totals(Work *work, int rows, int cols, const int8_t *tiles, double density,
                  double *logs) {
    if (bad_board(rows, cols, tiles, -1) || !(density > 0.0 && density < 1.0))
        return BAD_ARGUMENT;
    BEGIN(work);
    State *state = begin_board(work, rows, cols, tiles, -1);
    int known = 0;
    for (int place = 0; place < state->size; place++) known += state->field[place] == MINE;
    Counts counts = {.total_known = true};
    build_constraints(work, state, &counts.constraints);
    fill_weights(counts.weight, density);
    count_forward(work, &counts);
    if (counts.code != DONE) leave_entry(work, counts.code);
    int fewest, rest = counts.constraints.unconstrained;
    count_most(&counts, &fewest);
    fill_before(work, &counts);
    const double *frontier =
        counts.before + (size_t)counts.constraints.components * (size_t)(counts.most + 1);
    for (int total = 0; total <= rows * cols; total++) logs[total] = -INFINITY;
    for (int on = 0; on <= counts.most; on++) {
        if (frontier[on] == 0.0) continue;
        /* A mine on the frontier weighs `density`, a safe cell the rest: take that off again. */
        double ways = log(frontier[on]) - on * (log(density) - log1p(-density));
        for (int off = 0; off <= rest; off++) {
            if (off > 0) ways += log((rest - off + 1.0) / off);
            logs[known + on + off] = log_add(logs[known + on + off], ways);
        }
        check_stop(work);
    }
    return end_entry(work);
}

/* Exact risks of any position: a forward pass, the mine total, a backward pass. */

#include "inside.h"

#define TINY 1e-100 /* overlap of weights below which another density is tried */

/* ---------------------------------------------------------------------------- the backward pass */

/* Fill `future` for the end of a component: the weight of all else, for each mine count on it. */
static void weigh_end(const Counts *counts, int component, double *future) {
    const Node *end = end_of(counts, component)->nodes;
    size_t width = (size_t)counts->most + 1;
    const double *before = counts->before + (size_t)component * width;
    const double *after = counts->after + (size_t)(component + 1) * width;
    for (int own = end->low; own <= end->high; own++) {
        double chance = 0.0;
        for (int n = 0; n + own <= counts->most; n++) chance += before[n] * after[n + own];
        future[own - end->low] = chance;
    }
}

/* Go back over one super-cell: its risk, and `past`, the future of the level before it. */
static double step_back(const Counts *counts, const Level *from, const Level *to, int size,
                        const double *future, double *past) {
    double mined = 0.0, clear = 0.0;
    for (int at = 0; at < from->count; at++) {
        const Node *node = from->nodes + at;
        int span = node->high - node->low + 1;
        double *sum = past + node->tally;
        const double *tally = from->tally + node->tally;
        memset(sum, 0, (size_t)span * sizeof(double));
        for (int mines = node->least; mines <= node->most; mines++) {
            const Node *next =
                to->nodes + from->edge[node->edge + mines - node->least];
            int more = counts->total_known ? mines : 0;
            const double *source = future + next->tally + node->low + more - next->low;
            double weight = counts->weight[size][mines], mass = 0.0;
            for (int k = 0; k < span; k++) {
                sum[k] += weight * source[k];
                mass += tally[k] * source[k];
            }
            mined += mines * weight * mass;
            clear += (size - mines) * weight * mass;
        }
    }
    double risk = mined / (mined + clear);
    return clear > 0.0 && risk == 1.0 ? 1.0 - 0x1p-53 : risk;
}

/* Fill `risk`: 0.0 or 1.0 exactly where a super-cell is certain, and only there. */
static void count_backward(Work *work, Counts *counts) {
    const Constraints *all = &counts->constraints;
    int32_t widest = 1;
    for (int at = 0; at < all->supers + all->components; at++)
        widest = max_int(widest, counts->level[at].tallies);
    counts->risk = TAKE(work, double, all->supers);
    double *future = TAKE(work, double, widest), *past = TAKE(work, double, widest);
    for (int component = 0; component < all->components; component++) {
        weigh_end(counts, component, future);
        for (int at = all->first[component + 1] - 1; at >= all->first[component]; at--) {
            const Level *from = counts->level + at + component;
            int super = all->order[at];
            counts->risk[super] =
                step_back(counts, from, from + 1, all->size[super], future, past);
            if (at % 16 == 0) scale(past, from->tallies);
            double *swap = future;
            future = past;
            past = swap;
            check_stop(work);
        }
    }
}

/* ------------------------------------------------------------------------------ all of a position */

void count_layouts(Work *work, const State *state, Counts *counts) {
    Constraints *all = &counts->constraints;
    build_constraints(work, state, all);
    counts->mines = state->mines;
    counts->total_known = state->mines >= 0;
    counts->log_layouts = -INFINITY;
    counts->rest_risk = 0.0;
    double likely = counts->total_known ? (state->mines + 0.5) / (state->hidden + 1.0) : 0.5;
    double odds = likely / (1.0 - likely), density = likely, log_total = 0.0;
    for (int attempt = 1; attempt < 42; attempt++) {
        Mark mark = mark_here(work);
        fill_weights(counts->weight, density);
        log_total = count_forward(work, counts);
        if (counts->code != DONE) return;
        int fewest;
        count_most(counts, &fewest);
        if (counts->total_known &&
            (state->mines < fewest || state->mines > counts->most + all->unconstrained)) {
            counts->code = NO_LAYOUT;
            return;
        }
        if (split_total(work, counts, density, &log_total) >= TINY) break;
        if (attempt == 41) {
            counts->code = NO_LAYOUT;
            return;
        }
        /* Too many or too few mines for this frontier, so that weights may underflow: multiply the
        odds of a mine by factors further and further from one. */
        double factor = pow(4.0, attempt % 2 ? (attempt + 1) / 2 : -(attempt / 2));
        density = odds * factor / (1.0 + odds * factor);
        release(work, mark);
    }
    count_backward(work, counts);
    counts->log_layouts = log_total - state->hidden * log1p(-density);
    if (counts->total_known)
        counts->log_layouts -= state->mines * (log(density) - log1p(-density));
    if (fabs(counts->log_layouts) < NEARLY) counts->log_layouts = 0.0; /* one layout */
}

void count_fitting(Work *work, const State *state, Counts *counts) {
    count_layouts(work, state, counts);
    if (counts->code != DONE) leave_entry(work, counts->code);
}

int engine_risks(Work *work, int rows, int cols, const int8_t *tiles, int mines,
                 int64_t most_nodes, double *risk, double *log_layouts) {
    if (bad_board(rows, cols, tiles, mines)) return BAD_ARGUMENT;
    BEGIN(work);
    work->most_nodes = most_nodes;
    const State *state = begin_board(work, rows, cols, tiles, mines);
    Counts counts;
    count_fitting(work, state, &counts);
    for (int row = 0, cell = 0; row < rows; row++) {
        int place = (row + 1) * state->wide + 1;
        for (int col = 0; col < cols; col++, cell++, place++) {
            if (tiles[cell] >= 0 || tiles[cell] < -3)
                risk[cell] = NAN;
            else if (state->field[place] == HIDDEN)
                risk[cell] = risk_of(&counts, place);
            else
                risk[cell] = state->field[place] == MINE;
        }
    }
    *log_layouts = counts.log_layouts;
    return end_entry(work);
}

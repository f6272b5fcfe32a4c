/* Layouts drawn at random: all that fit the board are equally likely.

The forward pass holds the weights. Each component's mine count is drawn first, then its path through
the levels backwards, then the cells within each super-cell. */

#include "inside.h"

/* A number in [0, 1) by splitmix64 (Steele, Lea and Flood, 2014). */
double draw_uniform(uint64_t *random) {
    uint64_t mixed = *random += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    mixed ^= mixed >> 31;
    return (double)(mixed >> 11) * 0x1p-53;
}

/* The weight that reaches node `target`, with `mines` found, from a node; `*more` are the mines that
the edge between them stands for. Different numbers of mines lead to different nodes. */
static double weight_from(const Counts *counts, const Level *from, const Node *node, int size,
                          int target, int mines, int *more) {
    for (int held = node->least; held <= node->most; held++) {
        if (from->edge[node->edge + held - node->least] != target) continue;
        int at = mines - node->low - (counts->total_known ? held : 0);
        *more = held;
        if (at < 0 || at > node->high - node->low) return 0.0;
        return counts->weight[size][held] * from->tally[node->tally + at];
    }
    return 0.0;
}

/* Draw a path through one component that ends with `mines` found; fill `held` per super-cell. */
static void draw_path(const Counts *counts, int component, int mines, uint64_t *random,
                      int8_t *held) {
    const Constraints *all = &counts->constraints;
    int target = 0;
    for (int at = all->first[component + 1] - 1; at >= all->first[component]; at--) {
        const Level *from = counts->level + at + component;
        int super = all->order[at], size = all->size[super], chosen = 0, taken = 0, more = 0;
        double total = 0.0;
        if (from->count > 1) {
            for (int past = 0; past < from->count; past++)
                total += weight_from(counts, from, from->nodes + past, size, target,
                                     mines, &more);
        }
        double mark = total > 0.0 ? draw_uniform(random) * total : -1.0;
        for (int past = 0; past < from->count; past++) {
            double arrival = weight_from(counts, from, from->nodes + past, size, target,
                                         mines, &more);
            if (arrival <= 0.0) continue;
            chosen = past;
            taken = more;
            mark -= arrival;
            if (mark < 0.0) break;
        }
        held[super] = (int8_t)taken;
        if (counts->total_known) mines -= taken;
        target = chosen;
    }
}

/* Draw the mines of each super-cell into `held`; return how many lie off the frontier. */
static int draw_counts(const Counts *counts, uint64_t *random, int8_t *held) {
    int found = 0, rest = 0;
    for (int component = 0; component < counts->constraints.components; component++) {
        const Level *level = end_of(counts, component);
        const Node *end = level->nodes;
        const double *after =
            counts->after + (size_t)(component + 1) * (size_t)(counts->most + 1) + found;
        double total = 0.0;
        for (int own = end->low; own <= end->high; own++)
            total += level->tally[own - end->low] * after[own];
        double mark = draw_uniform(random) * total;
        int chosen = end->low;
        for (int own = end->low; own <= end->high; own++) {
            double part = level->tally[own - end->low] * after[own];
            if (part <= 0.0) continue;
            chosen = own;
            mark -= part;
            if (mark < 0.0) break;
        }
        draw_path(counts, component, chosen, random, held);
        found += chosen;
    }
    if (counts->total_known) return counts->mines - found;
    for (int cell = 0; cell < counts->constraints.unconstrained; cell++)
        rest += draw_uniform(random) < 0.5;
    return rest;
}

void draw_layout(Work *work, const State *state, const Counts *counts, uint64_t *random,
                 uint8_t *mined) {
    const Constraints *all = &counts->constraints;
    Mark mark = mark_here(work);
    int8_t *held = TAKE(work, int8_t, all->supers), *left = TAKE(work, int8_t, all->supers);
    memcpy(left, all->size, (size_t)all->supers);
    int rest = draw_counts(counts, random, held), unconstrained = all->unconstrained;
    for (int place = 0; place < state->size; place++) {
        mined[place] = state->field[place] == MINE;
        if (state->field[place] != HIDDEN) continue;
        int super = all->super_cell[place];
        if (super < 0) {
            mined[place] = draw_uniform(random) * unconstrained < rest;
            rest -= mined[place];
            unconstrained--;
        } else {
            mined[place] = held[super] == left[super] ||
                           (held[super] > 0 && draw_uniform(random) * left[super] < held[super]);
            held[super] = (int8_t)(held[super] - mined[place]);
            left[super]--;
        }
    }
    release(work, mark);
}

int engine_draw(Work *work, int rows, int cols, const int8_t *tiles, int mines, int count,
                uint64_t *random, uint8_t *mined) {
    if (bad_board(rows, cols, tiles, mines)) return BAD_ARGUMENT;
    BEGIN(work);
    const State *state = begin_board(work, rows, cols, tiles, mines);
    Counts counts;
    count_fitting(work, state, &counts);
    uint8_t *layout = TAKE(work, uint8_t, state->size);
    for (int one = 0; one < count; one++, mined += rows * cols) {
        draw_layout(work, state, &counts, random, layout);
        for (int cell = 0; cell < rows * cols; cell++) mined[cell] = layout[place_of(state, cell)];
        check_stop(work);
    }
    return end_entry(work);
}

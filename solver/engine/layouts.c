/* All layouts that fit a position, listed one by one where there are few: a depth-first search over the
hidden cells, component by component, within the fewest and the most mines that the rest may hold. */

#include "inside.h"

int32_t *cells_in_order(Work *work, const State *state, const Counts *counts) {
    const Constraints *all = &counts->constraints;
    int32_t *start = TAKE(work, int32_t, all->supers), count = 0;
    for (int at = 0; at < all->supers; at++) {
        start[all->order[at]] = count;
        count += all->size[all->order[at]];
    }
    int32_t *cells = TAKE(work, int32_t, state->hidden);
    for (int place = 0; place < state->size; place++) {
        if (state->field[place] != HIDDEN) continue;
        int super = all->super_cell[place];
        cells[super < 0 ? count++ : start[super]++] = place;
    }
    return cells;
}

/* The fewest and the most mines on `cells[at:]`, for every `at`. */
static void bound_rest(const Counts *counts, int hidden, int32_t *fewest, int32_t *most) {
    const Constraints *all = &counts->constraints;
    int at = hidden;
    fewest[at] = most[at] = 0;
    for (int rest = all->unconstrained; rest > 0; rest--, at--) {
        fewest[at - 1] = 0;
        most[at - 1] = most[at] + 1;
    }
    for (int component = all->components - 1; component >= 0; component--) {
        const Node *end = end_of(counts, component)->nodes;
        int later_fewest = fewest[at], later_most = most[at];
        for (int step = all->first[component]; step < all->first[component + 1]; step++)
            for (int one = all->size[all->order[step]]; one > 0; one--) {
                at--;
                fewest[at] = later_fewest;
                most[at] = later_most + end->high;
            }
        fewest[at] = later_fewest + end->low;
    }
}

/* Give the cell at `at` a mine or none, or take that back (`sign` -1); whether the numbers still fit. */
static bool place_mine(State *state, int place, int mine, int sign) {
    bool fits = true;
    for (int step = 0; step < 8; step++) {
        int number = place + state->near[step];
        if (state->field[number] < 0) continue;
        state->around[number] = (int8_t)(state->around[number] - sign);
        state->need[number] = (int8_t)(state->need[number] - sign * mine);
        fits &= state->need[number] >= 0 && state->need[number] <= state->around[number];
    }
    return fits;
}

int list_layouts(Work *work, const State *given, const Counts *counts, const int32_t *cells,
                        int most, uint8_t *layouts) {
    State *state = state_like(work, given);
    int hidden = state->hidden, count = 0, at = 0, left = counts->mines;
    int32_t *fewest = TAKE(work, int32_t, hidden + 1), *largest = TAKE(work, int32_t, hidden + 1);
    int8_t *choice = TAKE(work, int8_t, hidden + 1);
    bound_rest(counts, hidden, fewest, largest);
    memset(choice, -1, (size_t)hidden + 1);
    for (int64_t steps = 0; at >= 0; steps++) {
        if (steps > 1000 * (int64_t)most) return 0;
        if ((steps & 1023) == 1023) check_stop(work);
        if (at == hidden) {
            if (count == most) return 0;
            memcpy(layouts + (size_t)count++ * (size_t)hidden, choice, (size_t)hidden);
            at--;
            continue;
        }
        if (choice[at] >= 0) {
            left += choice[at];
            place_mine(state, cells[at], choice[at], -1);
        }
        if (++choice[at] == 2) {
            choice[at--] = -1;
            continue;
        }
        left -= choice[at];
        bool fits = place_mine(state, cells[at], choice[at], 1);
        if (fits && left >= fewest[at + 1] && left <= largest[at + 1]) at++;
    }
    return count;
}

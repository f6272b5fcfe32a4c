/* Games as they are played inside the engine: opening cells, and all that is certain. */

#include "inside.h"

/* Queue an open number that a single-number rule may fit now. */
static void queue_number(State *state, int number) {
    int need = state->need[number], around = state->around[number];
    if (around > 0 && (need <= 0 || need >= around)) state->queue[state->waiting++] = number;
}

/* Take a hidden cell out of the numbers around it, as a mine or as a free cell. False where it is the
other already, or where a number or the total cannot be right then. */
bool decide_cell(State *state, int place, int8_t code) {
    if (state->field[place] != HIDDEN) return state->field[place] == code;
    bool fits = true;
    state->field[place] = code;
    state->hidden--;
    state->mines -= code == MINE;
    for (int step = 0; step < 8; step++) {
        int number = place + state->near[step];
        if (state->field[number] < 0) continue;
        int need = state->need[number] - (code == MINE), around = state->around[number] - 1;
        state->need[number] = (int8_t)need;
        state->around[number] = (int8_t)around;
        fits &= need >= 0 && need <= around;
        queue_number(state, number);
    }
    return fits && state->mines >= 0;
}

/* Open a safe cell, and the area around a zero. */
void open_cell(State *state, int first) {
    if (state->field[first] == HIDDEN) decide_cell(state, first, FREE);
    int32_t *stack = state->stack;
    int waiting = 1;
    stack[0] = first;
    while (waiting > 0) {
        int place = stack[--waiting];
        if (state->field[place] >= 0) continue;
        int number = 0, located = 0, around = 0;
        for (int step = 0; step < 8; step++) {
            int other = place + state->near[step];
            number += state->mined[other];
            around += state->field[other] == HIDDEN;
            located += state->field[other] == MINE;
        }
        state->field[place] = (int8_t)number;
        state->need[place] = (int8_t)(number - located);
        state->around[place] = (int8_t)around;
        if (number > 0) {
            queue_number(state, place);
            continue;
        }
        for (int step = 0; step < 8; step++) {
            int other = place + state->near[step];
            if (state->field[other] != HIDDEN) continue;
            decide_cell(state, other, FREE);
            stack[waiting++] = other;
        }
    }
}

/* Open all that the single-number rules prove free, until they prove no more. */
void open_by_rules(Work *work, State *state) {
    while (state->waiting > 0) {
        int located, found = apply_rules(state, &located);
        if (found < 0) leave_entry(work, NO_LAYOUT);
        for (int at = 0; at < found; at++) open_cell(state, state->found[at]);
    }
}

static bool any_free(const Counts *counts) {
    bool free = counts->constraints.unconstrained > 0 && counts->rest_risk == 0.0;
    for (int super = 0; super < counts->constraints.supers; super++)
        free |= counts->risk[super] == 0.0;
    return free;
}

/* List in `found` the cells of risk 0, and then, if there are any, those of risk 1. */
Proven list_proven(State *state, const Counts *counts) {
    Proven proven = {state->found, 0, 0};
    if (!any_free(counts)) return proven;
    for (int place = 0; place < state->size; place++)
        if (state->field[place] == HIDDEN && risk_of(counts, place) == 0.0)
            state->found[proven.free++] = place;
    for (int place = 0; place < state->size; place++)
        if (state->field[place] == HIDDEN && risk_of(counts, place) == 1.0)
            state->found[proven.free + proven.mines++] = place;
    return proven;
}

void open_proven(State *state, Proven proven) {
    for (int at = 0; at < proven.mines; at++) decide_cell(state, proven.places[proven.free + at], MINE);
    for (int at = 0; at < proven.free; at++) open_cell(state, proven.places[at]);
}

/* Open all that is certain. True if the game is won then; else `counts` are those of the state. What
the caller took before stays; the counts are the last thing taken. */
bool advance(Work *work, State *state, Counts *counts) {
    Mark mark = mark_here(work);
    for (;;) {
        check_stop(work);
        open_by_rules(work, state);
        if (state->hidden == state->mines) return true;
        release(work, mark);
        count_fitting(work, state, counts);
        Proven proven = list_proven(state, counts);
        if (proven.free == 0) return false;
        open_proven(state, proven);
    }
}

/* The cell of least risk; of equals one beside a number, which the next numbers may decide, then the
one with the fewest hidden neighbours. The same choice as `least_risk` in solver/agents/tank.py. */
int safest_cell(const State *state, const Counts *counts) {
    int best = -1, fewest = 99;
    double least = 2.0;
    for (int place = 0; place < state->size; place++) {
        if (state->field[place] != HIDDEN) continue;
        double risk = risk_of(counts, place);
        if (risk > least + NEARLY) continue;
        int hidden = counts->constraints.super_cell[place] < 0 ? 9 : 0;
        for (int step = 0; step < 8; step++) {
            int other = place + state->near[step];
            hidden += state->field[other] == HIDDEN && risk_of(counts, other) < 1.0;
        }
        if (risk < least - NEARLY || hidden < fewest) {
            best = place;
            least = risk;
            fewest = hidden;
        }
    }
    return best;
}

/* Mark the certain mines of a state, and count again. */
void locate_mines(Work *work, State *state, Counts *counts) {
    int located = 0;
    for (int place = 0; place < state->size; place++)
        if (state->field[place] == HIDDEN && risk_of(counts, place) == 1.0)
            state->found[located++] = place;
    if (located == 0 || located == state->hidden) return;
    for (int at = 0; at < located; at++) decide_cell(state, state->found[at], MINE);
    count_layouts(work, state, counts);
}

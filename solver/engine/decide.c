/* Choose a guess by the chance to win. Three methods are tried in this order: where few layouts are
left, the endgame search; an *independent guess*, which nothing learned elsewhere can make better; else
the look-ahead, and roll-outs of its best candidates. */

#include "inside.h"

/* A cell of the first pair that stays a guess of 50:50 for ever, or -1. A number says that one of the
two is a mine, and no number will ever say which: beside just one of them there is no open number and no
hidden cell, which may show one later. */
static int find_fifty_fifty(const State *state) {
    for (int number = state->wide; number < state->size - state->wide; number++) {
        if (state->field[number] <= 0 || state->need[number] != 1 || state->around[number] != 2)
            continue;
        int pair[2], count = 0;
        for (int step = 0; step < 8; step++)
            if (state->field[number + state->near[step]] == HIDDEN)
                pair[count++] = number + state->near[step];
        bool told = false;
        for (int one = 0; one < 2; one++)
            for (int step = 0; step < 8; step++) {
                int cell = pair[one] + state->near[step], away = cell - pair[1 - one];
                bool both = away == 0;
                for (int other = 0; other < 8; other++) both |= state->near[other] == away;
                told |= !both && (state->field[cell] == HIDDEN || state->field[cell] >= 0);
            }
        if (!told) return pair[0];
    }
    return -1;
}

/* A state of one component alone; NULL if other hidden cells touch it. */
static State *cut_out(Work *work, const State *state, const Counts *counts, int component,
                      int mines) {
    const Constraints *all = &counts->constraints;
    uint8_t *within = TAKE_ZEROS(work, uint8_t, all->supers);
    for (int at = all->first[component]; at < all->first[component + 1]; at++)
        within[all->order[at]] = 1;
    State *region = new_state(work, state->rows, state->cols);
    memset(region->field, FREE, (size_t)region->size);
    for (int place = 0; place < state->size; place++) {
        int super = all->super_cell[place];
        if (state->field[place] != HIDDEN || super < 0 || !within[super]) continue;
        region->field[place] = HIDDEN;
        region->hidden++;
        for (int step = 0; step < 8; step++) {
            int other = place + state->near[step], beside = all->super_cell[other];
            if (state->field[other] >= 0)
                region->field[other] = state->need[other];
            else if (state->field[other] == HIDDEN && (beside < 0 || !within[beside]))
                return NULL;
        }
    }
    region->mines = mines;
    count_around(region);
    return region;
}

/* The best cell of a closed region: a component that touches no other hidden cell and whose number of
mines is known; -1 if there is none. To wait makes it no better, and what it shows may help elsewhere. */
static int search_closed_region(Work *work, const State *state, const Counts *counts,
                                const Limits *limits) {
    const Constraints *all = &counts->constraints;
    for (int component = 0; component < all->components; component++) {
        Mark mark = mark_here(work);
        const Level *level = counts->level + all->first[component + 1] + component;
        const Node *end = node_at(counts, level, 0);
        State *region =
            end->low == end->high ? cut_out(work, state, counts, component, end->low) : NULL;
        int place = -1;
        if (region) {
            Counts inside;
            double win;
            count_layouts(work, region, &inside);
            if (inside.code == DONE && inside.log_layouts > NEARLY &&
                inside.log_layouts <= log(limits->layouts))
                place = search_endgame(work, region, &inside, limits->layouts, limits->positions,
                                       &win);
        }
        release(work, mark);
        if (place >= 0) return place;
    }
    return -1;
}

int choose_guess(Work *work, const State *state, const Counts *counts, const Limits *limits,
                 const CellNet *net, Guess *guess) {
    (void)net;
    guess->win = NAN;
    if (counts->log_layouts <= log(limits->layouts)) {
        int place = search_endgame(work, state, counts, limits->layouts, limits->positions,
                                   &guess->win);
        guess->method = METHOD_ENDGAME;
        if (place >= 0) return place;
    }
    guess->method = METHOD_INDEPENDENT;
    int place = find_fifty_fifty(state);
    if (place >= 0) return place;
    place = search_closed_region(work, state, counts, limits);
    if (place >= 0) return place;
    guess->method = METHOD_LOOK_AHEAD;
    Mark mark = mark_here(work);
    Candidate *candidates = TAKE(work, Candidate, state->hidden);
    int best;
    look_ahead(work, state, counts, candidates, &best, 1.0);
    place = candidates[best].place;
    release(work, mark);
    return place;
}

/* Mark the certain mines of a state, unless no other cell is hidden, and count again. */
static void locate_mines(Work *work, State *state, Counts *counts) {
    int located = 0;
    for (int place = 0; place < state->size; place++)
        if (state->field[place] == HIDDEN && risk_of(counts, place) == 1.0)
            state->found[located++] = place;
    if (located == 0 || located == state->hidden) return;
    for (int at = 0; at < located; at++) mark_mine(state, state->found[at]);
    count_layouts(work, state, counts);
}

/* Games in which the engine chooses every move. */

typedef struct {
    Work *work;
    State *state;
    const Policy *policy;
    uint64_t *random;
} Play;

static int choose(Play *play, Counts *counts) {
    Guess guess;
    const Policy *policy = play->policy;
    if (policy->kind == POLICY_TANK) return safest_cell(play->state, counts);
    if (policy->kind == POLICY_GLANCE)
        return best_at_sight(play->work, &policy->net, play->state, counts);
    locate_mines(play->work, play->state, counts);
    return choose_guess(play->work, play->state, counts, &policy->limits, &policy->net, &guess);
}

int engine_play(Work *work, int rows, int cols, int first, const uint8_t *mined,
                const Policy *policy, uint64_t *random, Played *played) {
    if (rows < 1 || cols < 1 || rows > 400 || cols > 400 || first < 0 || first >= rows * cols ||
        mined[first])
        return BAD_ARGUMENT;
    BEGIN(work);
    work->most_nodes = INT64_MAX;
    State *state = new_state(work, rows, cols);
    memset(state->field, FREE, (size_t)state->size);
    for (int cell = 0; cell < rows * cols; cell++) {
        int place = place_of(state, cell);
        state->field[place] = HIDDEN;
        state->mined[place] = mined[cell];
        state->mines += mined[cell];
    }
    state->hidden = rows * cols;
    count_around(state);
    open_cell(state, place_of(state, first));
    Play play = {work, state, policy, random};
    *played = (Played){.won = 1, .chance = 1.0};
    for (;;) {
        Mark mark = mark_here(work);
        Counts counts;
        if (advance(work, state, &counts)) break;
        int place = choose(&play, &counts);
        played->chance *= 1.0 - risk_of(&counts, place);
        played->guesses += played->won;
        if (state->mined[place]) {
            if (played->won)
                for (int at = 0; at < state->size; at++) played->opened += state->field[at] >= 0;
            played->won = 0;
            if (!random) break;
            while (state->mined[place])
                draw_layout(work, state, &counts, random, state->mined);
        }
        open_cell(state, place);
        release(work, mark);
    }
    if (played->won) played->opened = rows * cols - state->mines;
    return end_entry(work);
}

int engine_decide(Work *work, int rows, int cols, const int8_t *tiles, int mines,
                  const Policy *policy, Guess *guess) {
    if (bad_board(rows, cols, tiles, mines) || mines < 0) return BAD_ARGUMENT;
    BEGIN(work);
    work->most_nodes = INT64_MAX;
    State *state = begin_board(work, rows, cols, tiles, mines);
    Counts counts;
    count_layouts(work, state, &counts);
    if (counts.code != DONE) leave_entry(work, counts.code);
    if (state->hidden == 0) leave_entry(work, BAD_ARGUMENT);
    Play play = {work, state, policy, NULL};
    locate_mines(work, state, &counts);
    (void)play;
    int place = choose_guess(work, state, &counts, &policy->limits, &policy->net, guess);
    guess->cell = cell_of(state, place);
    return end_entry(work);
}

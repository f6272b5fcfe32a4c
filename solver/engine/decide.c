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
        bool decidable = false;
        for (int one = 0; one < 2; one++)
            for (int step = 0; step < 8; step++) {
                int cell = pair[one] + state->near[step], away = cell - pair[1 - one];
                bool both = away == 0;
                for (int other = 0; other < 8; other++) both |= state->near[other] == away;
                decidable |= !both && (state->field[cell] == HIDDEN || state->field[cell] >= 0);
            }
        if (!decidable) return pair[0];
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
        const Node *end = end_of(counts, component)->nodes;
        State *region =
            end->low == end->high ? cut_out(work, state, counts, component, end->low) : NULL;
        int place = -1;
        if (region) {
            Counts inside;
            double win;
            count_layouts(work, region, &inside);
            if (inside.code == DONE && inside.log_layouts > NEARLY &&
                inside.log_layouts <= log(limits->layouts) + NEARLY)
                place = search_endgame(work, region, &inside, limits, &win);
        }
        release(work, mark);
        if (place >= 0) return place;
    }
    return -1;
}

#define WORTHY 0.03 /* how far behind the best the judge may put a candidate that is rolled out */

enum { RACERS = 8 }; /* most candidates that are rolled out */

/* Choose the best candidate by the judge, and by roll-outs where they are due. */
static void compare_candidates(Work *work, const State *state, const Counts *counts,
                               const Policy *policy, Chosen *chosen) {
    const Limits *limits = &policy->limits;
    int64_t until = work->nodes + limits->work;
    bool due = limits->worlds > 0 && counts->log_layouts <= limits->late && !is_slow(counts);
    Candidate *candidates = chosen->candidates = TAKE(work, Candidate, state->hidden);
    int count = chosen->count = look_ahead(work, state, counts, policy, candidates), worthy = 1;
    chosen->place = candidates[0].place;
    chosen->method = METHOD_LOOK_AHEAD;
    while (due && worthy < min_int(count, RACERS) && !candidates[worthy].dead &&
           candidates[worthy].value > 0.0 &&
           candidates[worthy].judged >= candidates[0].judged - WORTHY)
        worthy++;
    if (worthy == 1) return;
    int best =
        roll_out(work, state, counts, candidates, worthy, limits->worlds, until, true, &policy->cells);
    if (best < 0) return;
    chosen->place = candidates[best].place;
    chosen->method = METHOD_ROLL_OUTS;
    chosen->win = candidates[best].win;
}

/* Whether a guess needs no comparison: the endgame is searched, or it is independent of all else. */
static bool settle_guess(Work *work, const State *state, const Counts *counts, const Limits *limits,
                         Chosen *chosen) {
    chosen->method = METHOD_ENDGAME;
    if (counts->log_layouts <= log(limits->layouts) + NEARLY) {
        chosen->place = search_endgame(work, state, counts, limits, &chosen->win);
        if (chosen->place >= 0) return true;
    }
    chosen->method = METHOD_INDEPENDENT;
    chosen->place = find_fifty_fifty(state);
    if (chosen->place < 0) chosen->place = search_closed_region(work, state, counts, limits);
    return chosen->place >= 0;
}

Chosen choose_guess(Work *work, const State *state, const Counts *counts, const Policy *policy) {
    Chosen chosen = {.method = METHOD_LEAST_RISK, .win = NAN};
    if (policy->kind == POLICY_TANK)
        chosen.place = safest_cell(state, counts);
    else if (policy->kind == POLICY_GLANCE)
        chosen.place = best_at_sight(work, &policy->cells, state, counts);
    else if (!settle_guess(work, state, counts, &policy->limits, &chosen))
        compare_candidates(work, state, counts, policy, &chosen);
    return chosen;
}

int engine_play(Work *work, int rows, int cols, int first, const uint8_t *mined,
                const Policy *policy, uint64_t *random, Played *played) {
    if (bad_size(rows, cols) || first < 0 || first >= rows * cols || mined[first])
        return BAD_ARGUMENT;
    BEGIN(work);
    State *state = new_state(work, rows, cols);
    memset(state->field, FREE, (size_t)state->size);
    for (int cell = 0; cell < rows * cols; cell++) {
        int place = place_of(state, cell);
        state->field[place] = HIDDEN;
        state->mined[place] = mined[cell];
        state->mines += mined[cell];
    }
    state->hidden = rows * cols;
    const int safe = rows * cols - state->mines;
    count_around(state);
    open_cell(state, place_of(state, first));
    *played = (Played){.won = 1, .chance = 1.0};
    for (;;) {
        Mark mark = mark_here(work);
        Counts counts;
        if (advance(work, state, &counts)) break;
        if (policy->kind == POLICY_DEEP) locate_mines(work, state, &counts);
        int place = choose_guess(work, state, &counts, policy).place;
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
    if (played->won) played->opened = safe;
    return end_entry(work);
}

/* ------------------------------------------------------------------------- a guess and its rivals */

/* Fill in the chances to win of candidates: exact where the endgame is searched, else by roll-outs. The
first is the chosen one; `win` is the chance with it that is known already, or NaN. It is the best, so
that a rival that was luckier in the worlds of its own wins no more. */
static void estimate_wins(Work *work, const State *state, const Counts *counts, const Policy *policy,
                          Candidate *candidates, int count, int sample, double win) {
    int known = !isnan(win);
    candidates[0].win = win;
    if (count == known) return;
    if (counts->log_layouts <= log(policy->limits.layouts) + NEARLY &&
        search_candidates(work, state, counts, &policy->limits, candidates, count))
        return;
    if (sample > 0 && !is_slow(counts))
        roll_out(work, state, counts, candidates + known, count - known, sample, INT64_MAX, false,
                 &policy->cells);
    for (int at = 1; at < count; at++)
        if (candidates[at].win > candidates[0].win) candidates[at].win = candidates[0].win;
}

/* Which options are reported, and how their win chances are estimated. */
typedef struct {
    int compared, estimated, sample, alsos;
    const int32_t *also;
} Reported;

static bool is_listed(const Candidate *all, int count, int place) {
    for (int at = 0; at < count; at++)
        if (all[at].place == place) return true;
    return false;
}

/* List the chosen cell, those asked for, and the best rivals; returns how many. */
static int list_options(Work *work, State *state, const Counts *counts, const Policy *policy,
                        Chosen chosen, const Reported *reported, Candidate *all) {
    int kept = 0;
    if (!chosen.candidates) {
        chosen.candidates = TAKE(work, Candidate, state->hidden);
        chosen.count = look_ahead(work, state, counts, policy, chosen.candidates);
    }
    for (int at = -1; at < reported->alsos && kept < CANDIDATES; at++) {
        int asked = at < 0 ? chosen.place : place_of(state, reported->also[at]);
        if (state->field[asked] != HIDDEN || is_listed(all, kept, asked)) continue;
        double safe = 1.0 - risk_of(counts, asked);
        if (safe <= 0.0) continue;
        all[kept] = (Candidate){.place = asked, .safe = safe, .raised = safe, .win = NAN};
        value_candidate(work, state, counts, all + kept++, 0.0);
    }
    judge_all(work, policy, state, counts, all, kept);
    for (int at = 0; at < chosen.count && kept < min_int(reported->compared, CANDIDATES); at++) {
        if (is_listed(all, kept, chosen.candidates[at].place)) continue;
        all[kept] = chosen.candidates[at];
        all[kept++].win = NAN; /* only the requested win chances are reported */
    }
    return kept;
}

static void fill_options(Work *work, State *state, const Counts *counts, const Policy *policy,
                         Chosen chosen, const Reported *reported, Guess *guess) {
    Candidate *all = TAKE(work, Candidate, CANDIDATES);
    int count = list_options(work, state, counts, policy, chosen, reported, all);
    if (count > 0 && reported->estimated > 0)
        estimate_wins(work, state, counts, policy, all, min_int(count, reported->estimated),
                      reported->sample, guess->win);
    for (int at = 0; at < count; at++) {
        Option *one = guess->options + at;
        *one = (Option){cell_of(state, all[at].place), all[at].safe, all[at].win, {0}};
        memcpy(one->shows, all[at].shows, sizeof one->shows);
    }
    guess->count = count;
    if (count > 0 && isnan(guess->win)) guess->win = all[0].win;
}

int engine_decide(Work *work, int rows, int cols, const int8_t *tiles, int mines,
                  const Policy *policy, int compared, int estimated, int sample,
                  const int32_t *also, int alsos, Guess *guess) {
    if (bad_board(rows, cols, tiles, mines) || mines < 0) return BAD_ARGUMENT;
    if (has_unknown(rows, cols, tiles)) return BAD_ARGUMENT;
    for (int at = 0; at < alsos; at++)
        if (also[at] < 0 || also[at] >= rows * cols) return BAD_ARGUMENT;
    BEGIN(work);
    const Reported reported = {compared, estimated, sample, alsos, also};
    State *state = begin_board(work, rows, cols, tiles, mines);
    Counts counts;
    count_fitting(work, state, &counts);
    if (state->hidden == state->mines) leave_entry(work, BAD_ARGUMENT); /* nothing to open */
    if (policy->kind == POLICY_DEEP) locate_mines(work, state, &counts);
    Chosen chosen = choose_guess(work, state, &counts, policy);
    guess->cell = cell_of(state, chosen.place);
    guess->method = chosen.method;
    guess->win = chosen.win;
    guess->count = 0;
    if (compared > 0) fill_options(work, state, &counts, policy, chosen, &reported, guess);
    return end_entry(work);
}

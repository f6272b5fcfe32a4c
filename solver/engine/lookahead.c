/* Look-ahead: the worth of a guess, averaged over the numbers it may show.

For each number the layouts are counted again. The worth of what follows is how safe the next guess
will be, four parts of the safest cell and one of the second; a little more where something certain
follows. The method is that of D. N. Hill's programs, the strongest known. Of what is nearly the best so,
the judge (glance.c) then says which it is.

A group of cells that may become an unavoidable guess is better guessed now than later: two cells, or
the two diagonals of a square of four, that no number can distinguish once the cells around them that
could are mines. A layout in which that happens is half lost already, so a mine there costs less. */

#include "inside.h"

#define BLEND 0.8         /* weight of the safest cell after a guess; the rest is the second safest's */
#define PROGRESS 0.052    /* gain where something certain follows */
#define RAISED 0.9        /* how much of the layouts in which a group is unavoidable is given back */
#define LEAST_GROUP 0.004 /* chance, as a product of risks, from which a group is counted */
#define WITHIN 0.9        /* candidates have at least this share of the best safety */
#define NEAR 0.9          /* share of the best worth from which the judge looks at a candidate */
#define FEW_HIDDEN 4      /* unconstrained cells are candidates with so few hidden neighbours, */
#define FEW_REST 30       /* or where there are fewer than this in all */

/* ------------------------------------------------------------------------------- what may follow */

/* How a trial position stands: the safest cells, and whether anything is certainly safe. */
typedef struct {
    double worth;
    bool certain;
} Outlook;

static Outlook look_at(const State *state, const Counts *counts) {
    double best = 0.0, second = 0.0;
    const Constraints *all = &counts->constraints;
    for (int super = 0; super <= all->supers; super++) { /* the last are the unconstrained cells */
        bool rest = super == all->supers;
        int size = rest ? all->unconstrained : all->size[super];
        double safe = 1.0 - (rest ? counts->rest_risk : counts->risk[super]);
        if (size == 0 || safe <= second) continue;
        if (safe > best) {
            second = size > 1 ? safe : best;
            best = safe;
        } else {
            second = safe;
        }
    }
    if (state->hidden == state->mines || counts->log_layouts < NEARLY) best = second = 1.0;
    return (Outlook){BLEND * best + (1.0 - BLEND) * second, best == 1.0};
}

/* Begin the trial of a hidden cell: it counts as free. Returns the known mines beside it. */
static int begin_trial(State *state, int place, int *hidden) {
    int mines = 0;
    *hidden = 0;
    state->hidden--;
    for (int step = 0; step < 8; step++) {
        int other = place + state->near[step];
        mines += state->field[other] == MINE;
        *hidden += state->field[other] == HIDDEN;
        if (state->field[other] >= 0) state->around[other]--;
    }
    return mines;
}

static void end_trial(State *state, int place) {
    state->hidden++;
    state->field[place] = HIDDEN;
    for (int step = 0; step < 8; step++)
        if (state->field[place + state->near[step]] >= 0) state->around[place + state->near[step]]++;
}

void value_candidate(Work *work, State *state, const Counts *counts, Candidate *one,
                            double to_beat) {
    int hidden, mines = begin_trial(state, one->place, &hidden), kinds = 0;
    double share = one->raised / one->safe, left = one->safe;
    one->value = 0.0;
    memset(one->shows, 0, sizeof one->shows);
    memset(one->after, 0, sizeof one->after);
    for (int number = mines; number <= mines + hidden; number++) {
        if (share * (one->value + left * (1.0 + PROGRESS)) <= to_beat) break;
        Mark mark = mark_here(work);
        Counts after;
        state->field[one->place] = (int8_t)number;
        state->need[one->place] = (int8_t)(number - mines);
        state->around[one->place] = (int8_t)hidden;
        count_layouts(work, state, &after);
        if (after.code == TOO_LARGE) leave_entry(work, TOO_LARGE);
        if (after.code == DONE) {
            Outlook next = look_at(state, &after);
            double chance = exp(after.log_layouts - counts->log_layouts);
            double worth = next.worth * (next.certain ? 1.0 + PROGRESS : 1.0);
            kinds += chance > NEARLY;
            left -= chance;
            one->shows[number] = chance;
            one->after[number] = worth;
            one->value += chance * worth;
        }
        release(work, mark);
    }
    one->value *= share;
    one->dead = kinds == 1 && left < NEARLY;
    end_trial(state, one->place);
}

/* ------------------------------------------------------------------------------------- groups */

enum { MOST_GROUPS = 32 }; /* in 80 expert games no position had more than 21; dense boards have 250 */

/* Cells that may become an unavoidable guess: so they are where `mined` are mines and `free` are free. */
typedef struct {
    int mines, frees, first; /* first: the upper left cell */
    int mined[7], free[2];   /* the cells that could decide, then those of the group */
    int own;                 /* how many of `mined` are of the group: the last ones */
    double chance;           /* roughly, as a product of risks */
} Group;

typedef struct {
    Work *work;
    const State *state;
    const Counts *counts;
    const double *risk; /* per place; 1 unless the cell is hidden */
    State *trial;
    Group *list;
    int count;
} Groups;

static bool is_open(const Groups *groups, int place) { return groups->state->field[place] >= 0; }

/* Whether a cell is hidden and not certain. */
static bool in_doubt(const Groups *groups, int place) {
    return groups->state->field[place] == HIDDEN && groups->risk[place] > 0.0 &&
           groups->risk[place] < 1.0;
}

/* The share of layouts in which a group is unavoidable, with its mines in one of the two ways. */
static double share_of(Groups *groups, const Group *group) {
    Work *work = groups->work;
    State *trial = groups->trial;
    Mark mark = mark_here(work);
    bool fits = true;
    int located;
    double share = 0.0;
    copy_state(trial, groups->state);
    trial->waiting = 0;
    for (int at = 0; at < group->mines && fits; at++)
        fits = decide_cell(trial, group->mined[at], MINE);
    for (int at = 0; at < group->frees && fits; at++)
        fits = decide_cell(trial, group->free[at], FREE);
    if (fits && apply_rules(trial, &located) >= 0 && trial->mines >= 0 &&
        trial->mines <= trial->hidden) {
        Counts counts;
        count_layouts(work, trial, &counts);
        if (counts.code == DONE) share = exp(counts.log_layouts - groups->counts->log_layouts);
    }
    release(work, mark);
    return share;
}

/* List a group of `own` mines and as many free cells, unless a number already distinguishes them or the
chance is too small. `beside` are the cells that could decide: they must be mines. */
static void list_group(Groups *groups, const int *mined, const int *free, int own, const int *beside,
                       int count) {
    Group *group = groups->list + groups->count;
    *group = (Group){.own = own, .frees = own, .first = mined[0], .chance = 1.0};
    for (int at = 0; at < own; at++)
        group->chance *= groups->risk[mined[at]] * (1.0 - groups->risk[free[at]]);
    for (int at = 0; at < count; at++) {
        int place = beside[at];
        if (is_open(groups, place)) return;
        if (groups->state->field[place] != HIDDEN) continue; /* a mine, or off the board */
        group->chance *= groups->risk[place];
        if (group->chance < LEAST_GROUP) return;
        group->mined[group->mines++] = place;
    }
    if (group->chance < LEAST_GROUP) return;
    for (int at = 0; at < own; at++) {
        group->mined[group->mines++] = mined[at];
        group->free[at] = free[at];
    }
    groups->count++;
}

/* Two cells side by side, `step` apart. */
static void list_pair(Groups *groups, int first, int step) {
    int second = first + step, side = step == 1 ? groups->state->wide : 1;
    if (!in_doubt(groups, first) || !in_doubt(groups, second)) return;
    int beside[6] = {first - step,         first - step - side,  first - step + side,
                     second + step,        second + step - side, second + step + side};
    list_group(groups, &first, &second, 1, beside, 6);
}

/* A square of four, of which `first` is the upper left cell. */
static void list_square(Groups *groups, int first) {
    int wide = groups->state->wide;
    int one[2] = {first, first + wide + 1}, other[2] = {first + 1, first + wide};
    for (int at = 0; at < 2; at++)
        if (!in_doubt(groups, one[at]) || !in_doubt(groups, other[at])) return;
    int corners[4] = {first - wide - 1, first - wide + 2, first + 2 * wide - 1,
                      first + 2 * wide + 2};
    list_group(groups, one, other, 2, corners, 4);
}

static int by_chance(const void *one, const void *other) {
    const Group *a = one, *b = other;
    if (fabs(a->chance - b->chance) > NEARLY) return a->chance < b->chance ? 1 : -1;
    return a->first != b->first ? a->first - b->first : a->free[0] - b->free[0];
}

/* Fill `share` for all cells: per place, the layouts in which it is a mine of an unavoidable group. */
static void weigh_groups(Work *work, const State *state, const Counts *counts, const double *risk,
                         double *share) {
    /* Two pairs and a square begin at each hidden cell. */
    Group *list = TAKE(work, Group, 3 * state->hidden);
    Groups groups = {work, state, counts, risk, state_like(work, state), list, 0};
    for (int row = 1; row <= state->rows; row++)
        for (int col = 1; col <= state->cols; col++) {
            int place = row * state->wide + col;
            if (!in_doubt(&groups, place)) continue;
            if (col < state->cols) list_pair(&groups, place, 1);
            if (row < state->rows) list_pair(&groups, place, state->wide);
            if (col < state->cols && row < state->rows) list_square(&groups, place);
        }
    qsort(list, (size_t)groups.count, sizeof(Group), by_chance);
    for (int at = 0; at < min_int(groups.count, MOST_GROUPS); at++) {
        const Group *group = list + at;
        double weight = share_of(&groups, group);
        for (int own = 0; own < group->own; own++) {
            share[group->mined[group->mines - 1 - own]] += weight;
            share[group->free[own]] += weight;
        }
    }
}

/* ---------------------------------------------------------------------------------- candidates */

/* Whether an unconstrained cell is worth a look: two straight steps from a number, or nearly alone. */
static bool is_promising(const State *state, const Counts *counts, int place) {
    if (counts->constraints.unconstrained < FEW_REST) return true;
    int row = place / state->wide, col = place % state->wide, hidden = 0;
    for (int step = 0; step < 8; step++) hidden += state->field[place + state->near[step]] == HIDDEN;
    if (hidden <= FEW_HIDDEN) return true;
    return (row > 2 && state->field[place - 2 * state->wide] >= 0) ||
           (row < state->rows - 1 && state->field[place + 2 * state->wide] >= 0) ||
           (col > 2 && state->field[place - 2] >= 0) ||
           (col < state->cols - 1 && state->field[place + 2] >= 0);
}

static int by_raised(const void *one, const void *other) {
    const Candidate *a = one, *b = other;
    if (fabs(a->raised - b->raised) > NEARLY) return a->raised < b->raised ? 1 : -1;
    return a->place - b->place;
}

/* A count with more than SLOW nodes takes milliseconds; in 150 expert games no turn had more than 600.
Look-aheads with slow counts are kept to MOST_WORK nodes. */
enum { SLOW = 5000, MOST_WORK = 2000000 };

bool is_slow(const Counts *counts) { return counts->nodes > SLOW; }

/* List the cells that are nearly as safe as the safest, the safest first. */
static int list_candidates(Work *work, const State *state, const Counts *counts,
                           Candidate *candidates) {
    double *risk = TAKE(work, double, state->size), *share = TAKE_ZEROS(work, double, state->size);
    for (int place = 0; place < state->size; place++)
        risk[place] = state->field[place] == HIDDEN ? risk_of(counts, place) : 1.0;
    if (!is_slow(counts)) weigh_groups(work, state, counts, risk, share);
    double *raised = share, best = 0.0; /* the shares are not needed any more */
    for (int place = 0; place < state->size; place++) {
        raised[place] = fmin(1.0, 1.0 - risk[place] + RAISED * share[place]);
        if (risk[place] < 1.0) best = fmax(best, raised[place]);
    }
    int count = 0;
    for (int all = 0; all < 2 && count == 0; all++) /* all cells, if none is promising */
        for (int place = 0; place < state->size; place++) {
            if (risk[place] == 1.0 || raised[place] < WITHIN * best - NEARLY) continue;
            if (!all && counts->constraints.super_cell[place] < 0 &&
                !is_promising(state, counts, place))
                continue;
            candidates[count++] = (Candidate){.place = place, .safe = 1.0 - risk[place],
                                              .raised = raised[place], .win = NAN};
        }
    qsort(candidates, (size_t)count, sizeof(Candidate), by_raised);
    return count;
}

/* The best first; after them what was not looked at, and dead cells, since they teach nothing. */
static int by_judgement(const void *one, const void *other) {
    const Candidate *a = one, *b = other;
    int group_a = a->dead ? 2 : a->value == 0.0, group_b = b->dead ? 2 : b->value == 0.0;
    if (group_a != group_b) return group_a - group_b;
    if (fabs(a->judged - b->judged) > NEARLY) return a->judged < b->judged ? 1 : -1;
    return a->place - b->place;
}

int look_ahead(Work *work, const State *given, const Counts *counts, const Policy *policy,
               Candidate *candidates) {
    Mark mark = mark_here(work);
    State *state = state_like(work, given);
    int count = list_candidates(work, state, counts, candidates), looked = 0;
    double highest = 0.0;
    int64_t until = is_slow(counts) ? work->nodes + MOST_WORK : INT64_MAX;
    for (int at = 0; at < count && work->nodes < until; at++) {
        Candidate *one = candidates + at;
        if (one->raised * (1.0 + PROGRESS) <= NEAR * highest) continue;
        value_candidate(work, state, counts, one, NEAR * highest);
        if (!one->dead && one->value > highest) highest = one->value;
    }
    for (int at = 0; at < count; at++) { /* those that were looked at come first */
        if (candidates[at].value < NEAR * highest) candidates[at].value = 0.0;
        if (candidates[at].value == 0.0) continue;
        Candidate swap = candidates[looked];
        candidates[looked++] = candidates[at];
        candidates[at] = swap;
    }
    judge_all(work, policy, given, counts, candidates, looked);
    qsort(candidates, (size_t)count, sizeof(Candidate), by_judgement);
    release(work, mark);
    return count;
}

/* Roll-outs: the best candidates race, tried in drawn worlds that are played to the end.

All candidates meet the same worlds, in rounds that double; after each, those clearly behind the leader
drop out. Work is counted in worlds, never in seconds.

The judge's opinion of a candidate counts as much as PRIOR worlds.

A better guess gains a share of the chance to win, so the work is in proportion to it: where that chance is
below STAKE, fewer worlds are tried, and none where next to nothing can be won. On dense boards these
positions are most of a game. */

#include "inside.h"

#define PRIOR 60.0
#define STAKE 0.15     /* chance to win from which all worlds may be tried */
#define BEHIND 2.0     /* standard errors behind the leader at which a candidate drops out */

enum {
    FIRST_ROUND = 16, /* worlds before any candidate drops out */
    PROBE = 8,        /* worlds that say what a race is worth; there is none for fewer */
    GLIMPSE = 2,      /* worlds that say it where it is worth less than a tenth of that */
};

typedef struct {
    Candidate *one;
    double sum, *won; /* by world */
    double estimate;
} Racer;

/* Estimate each racer's chance to win after `worlds` worlds; return the leader. */
static int estimate_all(Racer *racers, int count, int worlds, double best) {
    double mean = 0.0, believed = worlds / (worlds + PRIOR);
    int leader = 0;
    for (int at = 0; at < count; at++) mean += racers[at].sum / worlds / count;
    for (int at = 0; at < count; at++) {
        double share = racers[at].one->judged - best;
        racers[at].estimate =
            believed * racers[at].sum / worlds + (1.0 - believed) * mean * (1.0 + share);
        if (racers[at].estimate > racers[leader].estimate + NEARLY) leader = at;
    }
    return leader;
}

/* Drop the racers that are clearly behind the leader; return how many are left. */
static int drop_behind(Racer *racers, int count, int worlds, int leader) {
    Racer first = racers[leader];
    int kept = 0;
    for (int at = 0; at < count; at++) {
        double sum = 0.0, squares = 0.0;
        for (int world = 0; world < worlds; world++) {
            double gap = racers[at].won[world] - first.won[world];
            sum += gap;
            squares += gap * gap;
        }
        double spread = sqrt(fmax(0.0, squares / worlds - sum / worlds * (sum / worlds)));
        double error = spread / sqrt(worlds + PRIOR);
        if (first.estimate - racers[at].estimate <= BEHIND * error + NEARLY)
            racers[kept++] = racers[at];
    }
    return kept;
}

/* How many of `most` worlds a race is worth. A race begins with the worlds that are tried here, and what
they met is remembered. */
static int worth_trying(Worlds *tried, const Candidate *best, int most) {
    double sum = 0.0, worth = 0.0;
    for (int world = 0; world < PROBE; world++) {
        sum += try_world(tried, best, world);
        worth = most * fmin(1.0, sum / (world + 1) / STAKE);
        if (world + 1 == GLIMPSE && worth < PROBE / 10.0) break;
    }
    return (int)worth;
}

int roll_out(Work *work, const State *state, const Counts *counts, Candidate *candidates, int count,
             int most, int64_t until, bool race, const Net *net) {
    Mark mark = mark_here(work);
    int racing = 0, worlds = 0, best = 0;
    Racer *racers = TAKE(work, Racer, count);
    for (int at = 0; at < count; at++)
        racers[racing++] = (Racer){candidates + at, 0.0, TAKE(work, double, most), 0.0};
    Worlds *tried = begin_worlds(work, state, counts, net, count * most);
    if (race && (most = worth_trying(tried, candidates, most)) < PROBE) {
        release(work, mark);
        return -1;
    }
    while (worlds < most && (racing > 1 || worlds == 0 || !race)) {
        int round = min_int(most, max_int(FIRST_ROUND, 2 * worlds));
        for (; worlds < round && (worlds == 0 || work->nodes < until); worlds++) {
            for (int at = 0; at < racing; at++) {
                double won = try_world(tried, racers[at].one, worlds);
                racers[at].won[worlds] = won;
                racers[at].sum += won;
            }
            work->progress[0] = worlds;
            work->progress[1] = most;
        }
        int leader = estimate_all(racers, racing, worlds, candidates[0].judged);
        for (int at = 0; at < racing; at++)
            racers[at].one->win = race ? racers[at].estimate : racers[at].sum / worlds;
        best = (int)(racers[leader].one - candidates);
        if (work->nodes >= until) break;
        if (race) racing = drop_behind(racers, racing, worlds, leader);
    }
    release(work, mark);
    return best;
}

/* ------------------------------------------------------------------- what the nets learn from */

/* Put the best candidates by look-ahead and by the cell net, in turn, first; `rating` is sorted along. */
static void alternate(Candidate *candidates, double *described, int count, int most) {
    for (int at = 0; at < min_int(count, most); at++) {
        int best = at;
        for (int other = at; other < count; other++) {
            double gap = at % 2 ? described[JUDGED * other + JUDGED - 9] -
                                      described[JUDGED * best + JUDGED - 9]
                                : candidates[other].value - candidates[best].value;
            if (gap > NEARLY) best = other;
        }
        Candidate swap = candidates[at];
        candidates[at] = candidates[best];
        candidates[best] = swap;
        for (int input = 0; input < JUDGED; input++) {
            double number = described[JUDGED * at + input];
            described[JUDGED * at + input] = described[JUDGED * best + input];
            described[JUDGED * best + input] = number;
        }
    }
}

int engine_worlds(Work *work, int rows, int cols, const int8_t *tiles, int mines,
                  const Policy *policy, int most, int first, int worlds, int32_t *cells,
                  double *described, double *won, int32_t *count) {
    if (bad_board(rows, cols, tiles, mines) || mines < 0 || most < 1) return BAD_ARGUMENT;
    if (has_unknown(rows, cols, tiles)) return BAD_ARGUMENT;
    BEGIN(work);
    State *state = begin_board(work, rows, cols, tiles, mines);
    Counts counts;
    count_fitting(work, state, &counts);
    if (state->hidden == state->mines) leave_entry(work, BAD_ARGUMENT);
    locate_mines(work, state, &counts);
    Candidate *candidates = TAKE(work, Candidate, state->hidden);
    int looked = look_ahead(work, state, &counts, policy, candidates);
    while (looked > 0 && (candidates[looked - 1].dead || candidates[looked - 1].value == 0.0))
        looked--;
    double *inputs = TAKE(work, double, JUDGED * looked);
    describe_all(work, &policy->cells, state, &counts, candidates, looked, inputs);
    alternate(candidates, inputs, looked, most);
    *count = min_int(looked, most);
    memcpy(described, inputs, (size_t)(*count * JUDGED) * sizeof(double));
    Worlds *tried = begin_worlds(work, state, &counts, &policy->cells, *count * worlds);
    for (int at = 0; at < *count; at++) {
        cells[at] = cell_of(state, candidates[at].place);
        for (int world = 0; world < worlds; world++)
            won[at * worlds + world] = try_world(tried, candidates + at, first + world);
    }
    return end_entry(work);
}

/* One world: a layout drawn among those that fit the board, played to the end after a guess.

The cell net plays on. A guess on the way that hits a mine does not end the world: its chance to survive
is multiplied in, and the world is drawn again with the guess safe. The product has far less noise than
wins and losses.

Worlds often lead to the same positions: of the counts of a race on an expert board, half would be
repeated. So what is to be done in a position is remembered by the hash of its field. */

#include "inside.h"

#define SPREAD 0xD1B54A32D192ED03u /* sets the seeds of neighbouring worlds far apart; not the step of
                                      the generator, else each world would draw that of the one before */
#define EXACT_FROM 60 /* layouts left from which a world is not played on, but searched */

enum {
    EXACT_POSITIONS = 2000,
    FEWEST_TURNS = 1 << 10, /* places in the table of what is remembered */
    MOST_TURNS = 1 << 18,
    ENDED = -1, /* the search says how it ends */
};

/* What is to be done in a position: open what is proven; else guess, or end. */
typedef struct {
    uint64_t hash; /* 0 in an empty place of the table */
    Proven proven;
    int32_t guess; /* a place, or ENDED */
    double chance; /* to survive the guess, or to win */
} Turn;

struct Worlds {
    Work *work;
    const State *state; /* before the guess */
    const Counts *counts;
    const Net *net;
    State *room; /* the world that is played */
    Turn *turns; /* a hash table, filled to a half at most */
    int size, filled;
};

Worlds *begin_worlds(Work *work, const State *state, const Counts *counts, const Net *net, int tries) {
    Worlds *worlds = TAKE(work, Worlds, 1);
    int size = FEWEST_TURNS;
    while (size < MOST_TURNS && size / 8 < tries) size *= 2;
    *worlds = (Worlds){work, state, counts, net, state_like(work, state),
                       TAKE_ZEROS(work, Turn, size), size, 0};
    return worlds;
}

static uint64_t hash_of_field(const State *state) {
    uint64_t hash = 0, eight;
    for (int at = 0; at < state->size; at += 8) {
        memcpy(&eight, state->field + min_int(at, state->size - 8), 8); /* a field has at least 9 cells */
        hash = mix_in(hash, eight);
    }
    return hash | 1;
}

/* Find out what is to be done in the position of `room`. */
static Turn think(Worlds *worlds) {
    const Limits exact = {.layouts = (int32_t)EXACT_FROM, .positions = EXACT_POSITIONS};
    Work *work = worlds->work;
    State *room = worlds->room;
    Mark mark = mark_here(work);
    Counts counts;
    count_fitting(work, room, &counts);
    Turn turn = {.proven = list_proven(room, &counts), .guess = ENDED};
    if (turn.proven.free == 0 &&
        (counts.log_layouts > log(EXACT_FROM) + NEARLY ||
         search_endgame(work, room, &counts, &exact, &turn.chance) < 0)) {
        turn.guess = best_at_sight(work, worlds->net, room, &counts);
        turn.chance = 1.0 - risk_of(&counts, turn.guess);
    }
    release(work, mark);
    return turn;
}

/* What is to be done in the position of `room`, by memory if it was met before. */
static Turn next_turn(Worlds *worlds) {
    uint64_t hash = hash_of_field(worlds->room);
    int mask = worlds->size - 1, at = (int)(hash >> 32) & mask;
    while (worlds->turns[at].hash && worlds->turns[at].hash != hash) at = (at + 1) & mask;
    Turn *known = worlds->turns + at;
    if (known->hash) return *known;
    Turn turn = think(worlds);
    if (worlds->filled == worlds->size / 2) return turn;
    worlds->filled++;
    int places = turn.proven.free + turn.proven.mines;
    int32_t *kept = TAKE(worlds->work, int32_t, places);
    memcpy(kept, turn.proven.places, (size_t)places * sizeof(int32_t));
    turn.proven.places = kept;
    turn.hash = hash;
    return *known = turn;
}

/* Draw `room` again, with a cell safe. */
static void draw_again(Worlds *worlds, int safe, uint64_t *random) {
    Mark mark = mark_here(worlds->work);
    Counts counts;
    count_fitting(worlds->work, worlds->room, &counts);
    do draw_layout(worlds->work, worlds->room, &counts, random, worlds->room->mined);
    while (worlds->room->mined[safe]);
    release(worlds->work, mark);
}

/* Play on to the end; return the chance to survive all guesses. */
static double play_on(Worlds *worlds, uint64_t *random) {
    State *room = worlds->room;
    double chance = 1.0;
    for (;;) {
        check_stop(worlds->work);
        open_by_rules(worlds->work, room);
        if (room->hidden == room->mines) return chance;
        Turn turn = next_turn(worlds);
        if (turn.proven.free > 0) {
            open_proven(room, turn.proven);
            continue;
        }
        chance *= turn.chance;
        if (turn.guess == ENDED) return chance;
        if (room->mined[turn.guess]) draw_again(worlds, turn.guess, random);
        open_cell(room, turn.guess);
    }
}

/* A world in which the candidate is a mine is drawn again, for this candidate alone. */
double try_world(Worlds *worlds, const Candidate *one, int world) {
    uint64_t random = (uint64_t)(world + 1) * SPREAD;
    State *room = worlds->room;
    copy_state(room, worlds->state);
    do draw_layout(worlds->work, worlds->state, worlds->counts, &random, room->mined);
    while (room->mined[one->place]);
    open_cell(room, one->place);
    return one->safe * play_on(worlds, &random);
}

/* From numbers to constraints over super-cells, and the order in which these are counted.

A constraint is *open* from its first counted super-cell to its last. The cost of the count grows
with the number of constraints that are open at once, so the order keeps them few: from a far end of
each component, always finish the open constraint that opens the fewest new ones. */

#include "inside.h"

/* The first of the super-cells `first` to `last` that has the same numbers as `last`. */
static int find_alike(const Constraints *all, int first, int last) {
    size_t bytes = (size_t)all->degree[last] * sizeof(int32_t);
    for (int other = first; other < last; other++)
        if (all->degree[other] == all->degree[last] &&
            memcmp(all->touch[other], all->touch[last], bytes) == 0)
            return other;
    return last;
}

static void join_super_cells(Work *work, const State *state, Constraints *all) {
    int wide = state->wide, size = state->size;
    int32_t *number_of = TAKE(work, int32_t, size);
    int32_t *places = TAKE(work, int32_t, size);
    memset(number_of, -1, (size_t)size * sizeof(int32_t));
    int numbers = 0;
    for (int place = wide; place < size - wide; place++) { /* without branches: twice as fast */
        bool counts = (state->field[place] >= 0) & (state->around[place] > 0);
        places[numbers] = place;
        number_of[place] = counts ? numbers : -1;
        numbers += counts;
    }
    int most = min_int(8 * numbers, size) + 1;
    all->numbers = numbers;
    all->need = TAKE(work, int8_t, numbers);
    all->width = TAKE_ZEROS(work, int8_t, numbers);
    all->members = take(work, (size_t)numbers, sizeof *all->members);
    all->touch = take(work, (size_t)most, sizeof *all->touch);
    all->degree = TAKE(work, int8_t, most);
    all->size = TAKE(work, int8_t, most);
    all->super_cell = TAKE(work, int32_t, size);
    memset(all->super_cell, -1, (size_t)size * sizeof(int32_t));
    int supers = 0, frontier = 0;
    for (int own = 0; own < numbers; own++) {
        all->need[own] = state->need[places[own]];
        int first = supers;
        for (int step = 0; step < 8; step++) {
            int target = places[own] + state->near[step];
            if (state->field[target] != HIDDEN || all->super_cell[target] >= 0) continue;
            /* Numbers come in scan order, and this is the first that touches `target`: an equal
            super-cell can only be among those made for this number. */
            int links = 0;
            for (int back = 0; back < 8; back++) {
                int other = number_of[target + state->near[back]];
                if (other >= 0) all->touch[supers][links++] = other;
            }
            all->degree[supers] = (int8_t)links;
            frontier++;
            int alike = find_alike(all, first, supers);
            all->super_cell[target] = alike;
            if (alike < supers) {
                all->size[alike]++;
                continue;
            }
            all->size[supers] = 1;
            for (int link = 0; link < links; link++) {
                int other = all->touch[supers][link];
                all->members[other][all->width[other]++] = supers;
            }
            supers++;
        }
    }
    all->supers = supers;
    all->unconstrained = state->hidden - frontier;
}

typedef struct {
    int8_t *left;      /* super-cells of a constraint that are not placed yet */
    int32_t *mark;     /* per constraint: who looked at it last */
    int32_t *open;     /* constraints that are open, or the queue of a search */
    uint8_t *placed;   /* per super-cell */
    uint8_t *busy;     /* per slot */
} Ordering;

/* A constraint far from `seed`: the last that a breadth-first search reaches. */
static int distant_number(const Constraints *all, Ordering *now, int seed) {
    int head = 0, tail = 1;
    now->open[0] = seed;
    now->mark[seed] = -2;
    while (head < tail) {
        int number = now->open[head++];
        for (int at = 0; at < all->width[number]; at++) {
            int super = all->members[number][at];
            for (int link = 0; link < all->degree[super]; link++) {
                int other = all->touch[super][link];
                if (now->mark[other] == -2) continue;
                now->mark[other] = -2;
                now->open[tail++] = other;
            }
        }
    }
    return now->open[tail - 1]; /* marks of -2 stay: each component is searched once */
}

/* The place in `open` of the constraint that opens the fewest new ones. */
static int cheapest_number(const Constraints *all, Ordering *now, int waiting, int32_t *stamp) {
    int best = 0, fewest = 1 << 30;
    for (int at = 0; at < waiting; at++) {
        int number = now->open[at], opened = 0;
        ++*stamp;
        for (int place = 0; place < all->width[number]; place++) {
            int super = all->members[number][place];
            if (now->placed[super]) continue;
            for (int link = 0; link < all->degree[super]; link++) {
                int other = all->touch[super][link];
                if (all->slot[other] < 0 && now->mark[other] != *stamp) {
                    now->mark[other] = *stamp;
                    opened++;
                }
            }
        }
        if (opened >= fewest) continue;
        best = at;
        fewest = opened;
        if (opened == 0) break;
    }
    return best;
}

static int take_slot(uint8_t *busy) {
    int slot = 0;
    while (busy[slot]) slot++;
    busy[slot] = 1;
    return slot;
}

/* Place what is left of a constraint's super-cells; constraints that begin here become open. */
static void place_number(Constraints *all, Ordering *now, int number, int *steps, int *waiting,
                         int *slots) {
    for (int at = 0; at < all->width[number]; at++) {
        int super = all->members[number][at];
        if (now->placed[super]) continue;
        now->placed[super] = 1;
        all->order[(*steps)++] = super;
        for (int link = 0; link < all->degree[super]; link++) {
            int other = all->touch[super][link];
            if (all->slot[other] < 0) {
                all->slot[other] = take_slot(now->busy);
                *slots = max_int(*slots, all->slot[other] + 1);
                now->open[(*waiting)++] = other;
            }
            now->left[other]--;
        }
        for (int link = 0; link < all->degree[super]; link++) {
            int other = all->touch[super][link];
            if (now->left[other] == 0) now->busy[all->slot[other]] = 0;
        }
    }
}

static void order_super_cells(Work *work, Constraints *all) {
    int numbers = all->numbers, steps = 0, slots = 0;
    int32_t stamp = 0;
    all->order = TAKE(work, int32_t, all->supers);
    all->first = TAKE_ZEROS(work, int32_t, numbers + 1);
    all->slot = TAKE(work, int32_t, numbers);
    memset(all->slot, -1, (size_t)numbers * sizeof(int32_t));
    Ordering now = {
        .left = TAKE(work, int8_t, numbers),
        .mark = TAKE_ZEROS(work, int32_t, numbers),
        .open = TAKE(work, int32_t, numbers + 1),
        .placed = TAKE_ZEROS(work, uint8_t, all->supers),
        .busy = TAKE_ZEROS(work, uint8_t, numbers + 1),
    };
    memcpy(now.left, all->width, (size_t)numbers);
    all->components = 0;
    for (int seed = 0; seed < numbers; seed++) {
        if (all->slot[seed] >= 0) continue;
        int start = distant_number(all, &now, seed), waiting = 1;
        all->slot[start] = take_slot(now.busy);
        slots = max_int(slots, all->slot[start] + 1);
        now.open[0] = start;
        while (waiting > 0) {
            int best = cheapest_number(all, &now, waiting, &stamp);
            place_number(all, &now, now.open[best], &steps, &waiting, &slots);
            int kept = 0;
            for (int at = 0; at < waiting; at++)
                if (now.left[now.open[at]] > 0) now.open[kept++] = now.open[at];
            waiting = kept;
        }
        all->first[++all->components] = steps;
    }
    all->words = (slots + SLOTS - 1) / SLOTS;
    if (all->words == 0) all->words = 1;
}

void build_constraints(Work *work, const State *state, Constraints *constraints) {
    join_super_cells(work, state, constraints);
    order_super_cells(work, constraints);
}

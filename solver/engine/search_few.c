/* The search among at most 64 layouts: a set is one word, with one bit a layout. */

#include "search.h"

static Known *known_of(const Search *search, uint64_t set) {
    return search->known + ((set * 0x9E3779B97F4A7C15u) >> 52);
}

/* Whether a cell may show two numbers or more in the layouts of `free`. */
static bool is_living(const Search *search, int at, uint64_t free) {
    for (int kind = 0; kind < search->near_kinds[at]; kind++) {
        uint64_t part = search->near_shows[at][kind] & free;
        if (part) return part != free;
    }
    return false;
}

/* The most that a set may win: what is known; else the sum over the parts that a certain cell leaves,
or what the safest guess leaves. */
static int bound_word(const Search *search, uint64_t set) {
    Known *known = known_of(search, set);
    if (known->set == set && known->round == search->round) return known->most;
    int most = 1, size = bits_of(set);
    for (int at = 0; at < search->near_cells; at++) {
        uint64_t free = search->near_free[at] & set;
        int safe = bits_of(free);
        if (safe <= most || !is_living(search, at, free)) continue;
        most = safe;
        if (safe < size) continue;
        most = 0;
        for (int kind = 0; kind < search->near_kinds[at]; kind++) {
            uint64_t part = search->near_shows[at][kind] & set;
            if (part) most += part & (part - 1) ? bound_word(search, part) : 1;
        }
        break;
    }
    *known = (Known){set, search->round, (int16_t)most, NONE};
    return most;
}

static int win_word(Search *search, uint64_t set, int to_beat);

/* What opening a cell wins; not above `best` if it cannot win more. */
static int try_word(Search *search, uint64_t set, int at, int safe, int best) {
    int total = safe, upper[SHOWN], kinds = search->near_kinds[at];
    for (int kind = 0; kind < kinds; kind++) {
        uint64_t part = search->near_shows[at][kind] & set;
        upper[kind] = 0;
        if (!part || total <= best) continue;
        upper[kind] = bound_word(search, part);
        total += upper[kind] - bits_of(part);
    }
    for (int kind = 0; kind < kinds && total > best; kind++) {
        if (upper[kind] <= 1) continue;
        int need = max_int(0, best - total + upper[kind]);
        total += win_word(search, search->near_shows[at][kind] & set, need) - upper[kind];
    }
    return total;
}

/* The layouts of `set` that the best line wins. A result that is not above `to_beat` is an upper bound;
the cell of `known` is then NONE. */
static int win_word(Search *search, uint64_t set, int to_beat) {
    Known *known = known_of(search, set);
    if (known->set == set && known->round == search->round &&
        (known->cell != NONE || known->most <= to_beat))
        return known->most;
    if (--search->spare < 0) return to_beat;
    check_stop(search->work);
    Mark mark = mark_here(search->work);
    int best = to_beat, cell = NONE, count = 0, size = bits_of(set);
    if (best < 1) {
        best = 1;
        cell = ANY;
    }
    int8_t *safe = TAKE(search->work, int8_t, search->near_cells);
    uint64_t *tried = TAKE(search->work, uint64_t, search->near_cells);
    for (int at = 0; at < search->near_cells; at++) {
        uint64_t free = search->near_free[at] & set;
        int most = bits_of(free);
        safe[at] = most > best && is_living(search, at, free) ? (int8_t)most : 0;
    }
    for (;;) {
        int at = -1, most = best;
        for (int other = 0; other < search->near_cells; other++)
            if (safe[other] > most) {
                at = other;
                most = safe[other];
            }
        if (at < 0) break;
        safe[at] = 0;
        uint64_t free = search->near_free[at] & set;
        bool dominated = false;
        for (int one = 0; one < count && !dominated; one++) dominated = !(free & ~tried[one]);
        if (dominated) continue;
        tried[count++] = free;
        int total = try_word(search, set, at, most, best);
        if (total > best) {
            best = total;
            cell = at;
        }
        if (most == size || search->spare < 0) break; /* a certain cell ends the choice */
    }
    release(search->work, mark);
    known = known_of(search, set);
    if (search->spare >= 0)
        *known = (Known){set, search->round, (int16_t)best, (int16_t)cell};
    return best;
}

/* Take in the layouts of a set of at most 64, and the cells that may show two numbers in them. */
static void load_word(Search *search, const uint64_t *set, int size, const int32_t *live,
                      int lives) {
    search->round++;
    search->near_cells = 0;
    int32_t layouts[64];
    for (int word = 0, count = 0; word < search->words; word++)
        for (uint64_t rest = set[word]; rest && count < size; rest &= rest - 1)
            layouts[count++] = 64 * word + __builtin_ctzll(rest);
    for (int one = 0; one < lives; one++) {
        int at = search->near_cells, kinds = 0;
        const uint64_t *shows = search->shows + (size_t)live[one] * SHOWN * (size_t)search->words;
        uint64_t free = 0;
        for (int number = 0; number < SHOWN; number++, shows += search->words) {
            uint64_t part = 0;
            for (int layout = 0; layout < size; layout++)
                part |= (shows[layouts[layout] / 64] >> (layouts[layout] % 64) & 1) << layout;
            if (!part) continue;
            search->near_shows[at][kinds++] = part;
            free |= part;
        }
        if (kinds < 2) continue;
        search->near_cell[at] = live[one];
        search->near_free[at] = free;
        search->near_kinds[at] = (int8_t)kinds;
        search->near_cells++;
    }
}

int win_few(Search *search, const uint64_t *set, int size, const int32_t *live, int lives, int to_beat,
            int *cell) {
    uint64_t all = ~(uint64_t)0 >> (64 - size);
    load_word(search, set, size, live, lives);
    int best = win_word(search, all, to_beat), at = known_of(search, all)->cell;
    *cell = at < 0 ? at : search->near_cell[at];
    return best;
}

/* The search among more than 64 layouts: a set is an array of words. Parts of at most 64 go to
search_few.c. */

#include "search.h"

static uint64_t hash_of(const uint64_t *set, int words) {
    uint64_t hash = 0;
    for (int word = 0; word < words; word++) hash = mix_in(hash, set[word]);
    return hash;
}

/* The place of a set in the memo, or the empty one where it is to go. */
static KnownSet *memo_of(const Search *search, const uint64_t *set) {
    uint64_t hash = hash_of(set, search->words);
    for (int place = (int)(hash & (2 * POOL - 1));; place = (place + 1) & (2 * POOL - 1)) {
        KnownSet *known = search->memo + place;
        if (!known->set) {
            known->hash = hash;
            return known;
        }
        if (known->hash == hash &&
            memcmp(known->set, set, (size_t)search->words * sizeof(uint64_t)) == 0)
            return known;
    }
}

/* Keep a value. `set` lies in the arena and may be given back: it is copied into the pool. */
static void remember(Search *search, const uint64_t *set, int most, int cell) {
    KnownSet *known = memo_of(search, set);
    if (!known->set) {
        if (search->memos == POOL) return;
        uint64_t *kept = search->pool + (size_t)search->memos++ * (size_t)search->words;
        memcpy(kept, set, (size_t)search->words * sizeof(uint64_t));
        known->set = kept;
    }
    known->most = most;
    known->cell = cell;
}

typedef struct {
    uint64_t *free; /* [words] */
    int32_t cell, safe;
} Choice;

/* List the living cells of `live` as choices; returns how many. */
static int list_choices(Search *search, const uint64_t *set, const int32_t *live, int lives,
                        Choice *choices) {
    int count = 0, words = search->words;
    for (int one = 0; one < lives; one++) {
        const uint64_t *free = search->free + (size_t)live[one] * (size_t)words;
        const uint64_t *shows = search->shows + (size_t)live[one] * SHOWN * (size_t)words;
        int kinds = 0;
        for (int number = 0; number < SHOWN && kinds < 2; number++, shows += words) {
            uint64_t any = 0;
            for (int word = 0; word < words; word++) any |= shows[word] & set[word];
            kinds += any != 0;
        }
        if (kinds < 2) continue;
        Choice *choice = choices + count++;
        choice->cell = live[one];
        choice->free = TAKE(search->work, uint64_t, words);
        for (int word = 0; word < words; word++) choice->free[word] = free[word] & set[word];
        choice->safe = size_of(choice->free, words);
    }
    return count;
}

static bool is_within(const uint64_t *one, const uint64_t *other, int words) {
    for (int word = 0; word < words; word++)
        if (one[word] & ~other[word]) return false;
    return true;
}

/* The most that a larger set may win: what is known, or what the safest guess leaves. */
static int bound_set(Search *search, const uint64_t *set, int size, const int32_t *live,
                     int lives) {
    const KnownSet *known = memo_of(search, set);
    if (known->set) return known->most;
    Mark mark = mark_here(search->work);
    Choice *choices = TAKE(search->work, Choice, lives);
    int count = list_choices(search, set, live, lives, choices), most = 1;
    for (int one = 0; one < count && most < size; one++) most = max_int(most, choices[one].safe);
    release(search->work, mark);
    return most;
}

/* What opening a cell wins; not above `best` if it cannot win more. */
static int try_cell(Search *search, const uint64_t *set, const Choice *choice, const int32_t *live,
                    int lives, int best) {
    int words = search->words, total = choice->safe, sizes[SHOWN], cell;
    uint64_t *parts = TAKE(search->work, uint64_t, SHOWN * words);
    const uint64_t *shows = search->shows + (size_t)choice->cell * SHOWN * (size_t)words;
    for (int at = 0; at < SHOWN * words; at++) parts[at] = shows[at] & set[at % words];
    for (int number = 0; number < SHOWN; number++) {
        sizes[number] = size_of(parts + number * words, words);
        if (sizes[number] < 2) continue;
        int most = bound_set(search, parts + number * words, sizes[number], live, lives);
        total += most - sizes[number];
        sizes[number] = most;
    }
    for (int number = 0; number < SHOWN && total > best; number++) {
        if (sizes[number] < 2) continue;
        int need = max_int(0, best - total + sizes[number]);
        const uint64_t *part = parts + number * words;
        total += win_set(search, part, size_of(part, words), live, lives, need, &cell) -
                 sizes[number];
    }
    return total;
}

int win_set(Search *search, const uint64_t *set, int size, const int32_t *live, int lives, int to_beat,
            int *cell) {
    *cell = NONE;
    if (size == 1) return 1;
    const KnownSet *known = memo_of(search, set);
    if (known->set && (known->cell != NONE || known->most <= to_beat)) {
        *cell = known->cell;
        return known->most;
    }
    if (--search->spare < 0) return to_beat;
    check_stop(search->work);
    int best = to_beat;
    if (size <= 64) {
        best = win_few(search, set, size, live, lives, to_beat, cell);
        if (search->spare >= 0) remember(search, set, best, *cell);
        return best;
    }
    Mark mark = mark_here(search->work);
    if (best < 1) {
        best = 1;
        *cell = ANY;
    }
    Choice *choices = TAKE(search->work, Choice, lives);
    int32_t *left = TAKE(search->work, int32_t, lives);
    const uint64_t **tried = TAKE(search->work, const uint64_t *, lives);
    int count = list_choices(search, set, live, lives, choices), tries = 0;
    for (int one = 0; one < count; one++) left[one] = choices[one].cell;
    while (search->spare >= 0) {
        Choice *next = NULL;
        for (int one = 0; one < count; one++)
            if (choices[one].safe > (next ? next->safe : best)) next = choices + one;
        if (!next) break;
        int safe = next->safe;
        bool dominated = false;
        for (int one = 0; one < tries && !dominated; one++)
            dominated = is_within(next->free, tried[one], search->words);
        if (!dominated) {
            tried[tries++] = next->free;
            Mark inner = mark_here(search->work);
            int total = try_cell(search, set, next, left, count, best);
            release(search->work, inner);
            if (total > best) {
                best = total;
                *cell = next->cell;
            }
        }
        next->safe = 0;
        if (safe == size) break; /* a certain cell ends the choice */
    }
    release(search->work, mark);
    if (search->spare >= 0) remember(search, set, best, *cell);
    return best;
}

int win_after(Search *search, int cell) {
    Mark mark = mark_here(search->work);
    size_t words = (size_t)search->words;
    Choice choice = {NULL, cell, size_of(search->free + (size_t)cell * words, search->words)};
    int won = try_cell(search, search->all, &choice, search->living, search->cells, -1);
    release(search->work, mark);
    return won;
}

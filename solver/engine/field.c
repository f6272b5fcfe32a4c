/* The field of a position, and the two rules that look at one number. */

#include "inside.h"

State *new_state(Work *work, int rows, int cols) {
    State *state = TAKE_ZEROS(work, State, 1);
    state->rows = rows;
    state->cols = cols;
    state->wide = cols + 2;
    state->size = (rows + 2) * state->wide;
    int steps[8] = {-state->wide - 1, -state->wide,    -state->wide + 1, -1, 1,
                    state->wide - 1,  state->wide,     state->wide + 1};
    memcpy(state->near, steps, sizeof steps);
    state->field = TAKE(work, int8_t, state->size);
    state->need = TAKE(work, int8_t, state->size);
    state->around = TAKE(work, int8_t, state->size);
    state->mined = TAKE_ZEROS(work, uint8_t, state->size);
    state->queue = TAKE(work, int32_t, 9 * state->size);
    state->found = TAKE(work, int32_t, state->size);
    state->stack = TAKE(work, int32_t, state->size);
    return state;
}

/* Queue the numbers that a rule fits, or that are impossible. */
static void list_ready_numbers(State *state) {
    state->waiting = 0;
    for (int place = state->wide; place < state->size - state->wide; place++) {
        int need = state->need[place], around = state->around[place];
        if (state->field[place] >= 0 && (need < 0 || need > around ||
                                         (around > 0 && (need == 0 || need == around))))
            state->queue[state->waiting++] = place;
    }
}

State *state_of_tiles(Work *work, int rows, int cols, const int8_t *tiles, int mines) {
    static const int8_t code_of[16] = {HIDDEN, FREE, MINE, MINE, HIDDEN, HIDDEN, HIDDEN, 0,
                                       1,      2,    3,    4,    5,      6,      7,      8};
    State *state = new_state(work, rows, cols);
    memset(state->field, FREE, (size_t)state->size);
    int located = 0;
    for (int row = 0; row < rows; row++) {
        int8_t *into = state->field + (row + 1) * state->wide + 1;
        for (int col = 0; col < cols; col++) {
            int8_t code = code_of[tiles[row * cols + col] - UNKNOWN];
            into[col] = code;
            state->hidden += code == HIDDEN;
            located += code == MINE;
        }
    }
    state->mines = mines < 0 ? -1 : mines - located;
    if (mines >= 0 && (state->mines < 0 || state->mines > state->hidden))
        leave_entry(work, NO_LAYOUT);
    count_around(state);
    list_ready_numbers(state);
    return state;
}

State *state_like(Work *work, const State *other) {
    State *state = new_state(work, other->rows, other->cols);
    copy_state(state, other);
    return state;
}

void copy_state(State *state, const State *saved) {
    size_t size = (size_t)saved->size;
    memcpy(state->field, saved->field, size);
    memcpy(state->need, saved->need, size);
    memcpy(state->around, saved->around, size);
    memcpy(state->queue, saved->queue, (size_t)saved->waiting * sizeof(int32_t));
    state->hidden = saved->hidden;
    state->mines = saved->mines;
    state->waiting = saved->waiting;
}

/* Add to each cell of `sums` how many of the nine cells around it have `code`, itself included.
Whole rows in passes, which compilers turn into vector instructions. */
static void sum_nine(const int8_t *restrict field, int8_t code, int wide, int size,
                     int8_t *restrict three, int8_t *restrict sums) {
    for (int at = 1; at < size - 1; at++)
        three[at] = (int8_t)((field[at - 1] == code) + (field[at] == code) +
                             (field[at + 1] == code));
    for (int at = wide; at < size - wide; at++)
        sums[at] = (int8_t)(three[at - wide] + three[at] + three[at + wide]);
}

/* Fill `need` and `around` for all open numbers. Other cells hold what means nothing. */
void count_around(State *state) {
    int wide = state->wide, size = state->size;
    int8_t *three = (int8_t *)state->stack; /* room to work in */
    three[0] = three[size - 1] = 0;
    memset(state->need, 0, (size_t)size);
    memset(state->around, 0, (size_t)size);
    sum_nine(state->field, HIDDEN, wide, size, three, state->around);
    sum_nine(state->field, MINE, wide, size, three, state->need);
    for (int at = wide; at < size - wide; at++)
        state->need[at] = (int8_t)(state->field[at] - state->need[at]);
}

/* Apply the two single-number rules to the queued numbers until nothing changes.

The first rule: a number that needs no mine has only free cells around it. The second: a number that
needs as many mines as it has hidden cells around it has only mines there. Decided cells become MINE
or FREE; the free ones are listed in `found`. */
int apply_rules(State *state, int *located) {
    int8_t *field = state->field, *need = state->need, *around = state->around;
    int32_t *queue = state->queue;
    int waiting = state->waiting, count = 0, mines = 0;
    state->waiting = 0;
    while (waiting > 0) {
        int number = queue[--waiting];
        if (need[number] < 0 || need[number] > around[number]) return -1;
        if (around[number] == 0 || (0 < need[number] && need[number] < around[number])) continue;
        bool mined = need[number] > 0;
        for (int step = 0; step < 8; step++) {
            int target = number + state->near[step];
            if (field[target] != HIDDEN) continue;
            field[target] = mined ? MINE : FREE;
            if (mined)
                mines++;
            else
                state->found[count++] = target;
            for (int back = 0; back < 8; back++) {
                int other = target + state->near[back];
                if (field[other] < 0) continue;
                around[other]--;
                need[other] -= mined;
                /* Queued only when a rule now fits it, or when it is impossible: at most nine
                times. */
                if (need[other] <= 0 || need[other] >= around[other]) queue[waiting++] = other;
            }
        }
    }
    state->hidden -= count + mines;
    if (state->mines >= 0) state->mines -= mines;
    *located = mines;
    return count;
}

bool bad_size(int rows, int cols) { return rows < 1 || cols < 1 || rows > 400 || cols > 400; }

bool bad_board(int rows, int cols, const int8_t *tiles, int mines) {
    if (bad_size(rows, cols) || mines > rows * cols) return true;
    for (int cell = 0; cell < rows * cols; cell++)
        if (tiles[cell] < UNKNOWN || tiles[cell] > 8) return true;
    return false;
}

bool has_unknown(int rows, int cols, const int8_t *tiles) {
    return memchr(tiles, (uint8_t)UNKNOWN, (size_t)(rows * cols)) != NULL;
}

/* Begin the state of a board, and apply the single-number rules to it. */
State *begin_board(Work *work, int rows, int cols, const int8_t *tiles, int mines) {
    State *state = state_of_tiles(work, rows, cols, tiles, mines);
    int located;
    if (apply_rules(state, &located) < 0 ||
        (mines >= 0 && (state->mines < 0 || state->mines > state->hidden)))
        leave_entry(work, NO_LAYOUT);
    return state;
}

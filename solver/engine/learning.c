/* What training needs: thousands of games played side by side, and the dense nets that look at them. */

#include "inside.h"

enum {
    SHOWN = 5, /* zeros that are drawn before a game of the report begins */
    LANES = 8, /* sums that are added to side by side */
};

static int cells_of(const Boards *boards) { return boards->rows * boards->cols; }
static int8_t *tiles_of(const Boards *boards, int at) {
    return boards->tiles + (size_t)at * (size_t)cells_of(boards);
}
static uint8_t *mined_of(const Boards *boards, int at) {
    return boards->mined + (size_t)at * (size_t)cells_of(boards);
}

/* List the neighbours of a cell row by row; returns how many. */
static int list_near(const Boards *boards, int cell, int32_t near[8]) {
    int row = cell / boards->cols, col = cell % boards->cols, count = 0;
    int left = max_int(0, col - 1), right = min_int(boards->cols - 1, col + 1);
    for (int r = max_int(0, row - 1); r <= min_int(boards->rows - 1, row + 1); r++)
        for (int c = left; c <= right; c++)
            if (r != row || c != col) near[count++] = r * boards->cols + c;
    return count;
}

static int number_of(const Boards *boards, int at, int cell) {
    const uint8_t *mined = mined_of(boards, at);
    int32_t near[8];
    int count = list_near(boards, cell, near), number = 0;
    for (int one = 0; one < count; one++) number += mined[near[one]];
    return number;
}

/* ------------------------------------------------------------------------------------- games */

/* Lay the mines of a board whose first opened cell is `first`. One cell after the other is drawn with
the chance of mines left to cells left, so that all layouts are equally likely. */
static void lay(const Boards *boards, int at, int first) {
    uint8_t *mined = mined_of(boards, at);
    int32_t near[8];
    int cells = cells_of(boards), beside = list_near(boards, first, near), mines = boards->mines;
    int room = cells;
    memset(mined, 0, (size_t)cells);
    if (boards->rule != FIRST_NONE) {
        mined[first] = 1; /* marks a cell that is spared, until the cell is drawn */
        room--;
    }
    if (boards->rule == FIRST_ZERO && mines <= cells - beside - 1) {
        for (int one = 0; one < beside; one++) mined[near[one]] = 1;
        room -= beside;
    }
    for (int cell = 0; cell < cells; cell++) {
        bool spared = mined[cell];
        mined[cell] = !spared && draw_uniform(&boards->random[at]) * room < mines;
        mines -= mined[cell];
        room -= !spared;
    }
    boards->laid[at] = 1;
}

/* Open a covered safe cell, and the area around a zero; returns how many cells it opened.
In the report's game the area ends where the zeros end. */
static int reveal(const Boards *boards, int at, int first) {
    const uint8_t *mined = mined_of(boards, at);
    int8_t *tiles = tiles_of(boards, at);
    int32_t *stack = boards->room;
    int waiting = 1, opened = 0;
    stack[0] = first;
    tiles[first] = 0; /* what waits is covered no more, so that it waits once */
    while (waiting > 0) {
        int32_t near[8];
        int cell = stack[--waiting], count = list_near(boards, cell, near), number = 0;
        for (int one = 0; one < count; one++) number += mined[near[one]];
        tiles[cell] = (int8_t)number;
        opened++;
        if (number > 0) continue;
        for (int one = 0; one < count; one++) {
            int beside = near[one];
            if (tiles[beside] != HIDDEN) continue;
            if (boards->report_game && number_of(boards, at, beside) > 0) continue;
            tiles[beside] = 0;
            stack[waiting++] = beside;
        }
    }
    boards->left[at] -= opened;
    if (boards->left[at] == 0) boards->status[at] = WON;
    return opened;
}

/* Draw SHOWN zeros and open those that are covered; a board may have none. */
static void show_zeros(const Boards *boards, int at) {
    const uint8_t *mined = mined_of(boards, at);
    int32_t *zeros = boards->room + cells_of(boards);
    int count = 0;
    for (int cell = 0; cell < cells_of(boards); cell++)
        if (!mined[cell] && number_of(boards, at, cell) == 0) zeros[count++] = cell;
    for (int one = 0; count > 0 && one < SHOWN; one++) {
        int cell = zeros[(int)(draw_uniform(&boards->random[at]) * count)];
        if (tiles_of(boards, at)[cell] == HIDDEN) reveal(boards, at, cell);
    }
}

void engine_deal(const Boards *boards, int first, int end, const uint8_t *chosen) {
    for (int at = first; at < end; at++) {
        if (!chosen[at]) continue;
        memset(tiles_of(boards, at), HIDDEN, (size_t)cells_of(boards));
        boards->laid[at] = 0;
        boards->left[at] = cells_of(boards) - boards->mines;
        boards->status[at] = PLAYING;
        if (!boards->report_game) continue;
        lay(boards, at, 0);
        show_zeros(boards, at);
    }
}

void engine_open_cells(const Boards *boards, int first, int end, const int32_t *cells,
                       int32_t *opened) {
    for (int at = first; at < end; at++) {
        int cell = cells[at];
        opened[at] = 0;
        if (cell < 0 || boards->status[at] != PLAYING || tiles_of(boards, at)[cell] != HIDDEN)
            continue;
        if (!boards->laid[at]) lay(boards, at, cell);
        if (mined_of(boards, at)[cell]) {
            opened[at] = HIT;
            boards->status[at] = LOST;
        } else {
            opened[at] = reveal(boards, at, cell);
        }
    }
}

static bool is_beside_open(const Boards *boards, int at, int cell) {
    int32_t near[8];
    int count = list_near(boards, cell, near);
    for (int one = 0; one < count; one++)
        if (tiles_of(boards, at)[near[one]] >= 0) return true;
    return false;
}

void engine_survive(const Boards *boards, int first, int end, const uint8_t *chosen) {
    for (int at = first; at < end; at++) {
        if (!chosen[at]) continue;
        int best = -1;
        double highest = -1.0;
        for (int cell = 0; cell < cells_of(boards); cell++) {
            if (tiles_of(boards, at)[cell] != HIDDEN || mined_of(boards, at)[cell]) continue;
            double mark = draw_uniform(&boards->random[at]) + is_beside_open(boards, at, cell);
            if (mark <= highest) continue;
            best = cell;
            highest = mark;
        }
        if (best < 0) continue;
        boards->status[at] = PLAYING;
        reveal(boards, at, best);
    }
}

/* -------------------------------------------------------------------------------- dense nets */

/* Add `factor` times a row of `count` floats to `sums`. */
static void add_row(const float *restrict row, float factor, float *restrict sums, size_t count) {
    for (size_t at = 0; at < count; at++) sums[at] += factor * row[at];
}

/* Add four rows at once: most of the time goes into loading and storing the sums. */
static void add_four(const float *const row[4], float *restrict sums, size_t count) {
    const float *restrict a = row[0], *restrict b = row[1], *restrict c = row[2],
                *restrict d = row[3];
    for (size_t at = 0; at < count; at++) sums[at] += (a[at] + b[at]) + (c[at] + d[at]);
}

/* Fill `hidden`, the rectified units. Of the inputs of a tile all but one are zero, so the product is
a sum of rows: a tenth of the work. */
static void fill_hidden(const DenseNet *net, const int8_t *codes, const float *plane,
                        float *restrict hidden) {
    size_t units = (size_t)net->units;
    const float *four[4];
    memcpy(hidden, net->bias, units * sizeof(float));
    for (int slot = 0; slot < net->slots; slot++) {
        four[slot % 4] = net->table + ((size_t)slot * (size_t)net->codes + (size_t)codes[slot]) * units;
        if (slot % 4 == 3) add_four(four, hidden, units);
    }
    for (int left = 0; left < net->slots % 4; left++) add_row(four[left], 1.0f, hidden, units);
    for (int slot = 0; slot < net->planes; slot++)
        if (plane[slot] != 0.0f)
            add_row(net->plane + (size_t)slot * units, plane[slot], hidden, units);
    for (size_t unit = 0; unit < units; unit++)
        hidden[unit] = hidden[unit] > 0.0f ? hidden[unit] : 0.0f;
}

/* The scalar product, as LANES sums that the processor adds side by side. */
static float product(const float *first, const float *second, size_t count) {
    float sums[LANES] = {0.0f}, total = 0.0f;
    size_t whole = count - count % LANES;
    for (size_t start = 0; start < whole; start += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            sums[lane] += first[start + lane] * second[start + lane];
    for (size_t at = whole; at < count; at++) sums[0] += first[at] * second[at];
    for (int lane = 0; lane < LANES; lane++) total += sums[lane];
    return total;
}

void engine_dense_values(const DenseNet *net, int first, int end, const int8_t *codes,
                         const float *planes, float *room, float *values) {
    size_t slots = (size_t)net->slots, units = (size_t)net->units, outputs = (size_t)net->outputs;
    for (size_t at = (size_t)first; at < (size_t)end; at++) {
        fill_hidden(net, codes + at * slots, planes + at * (size_t)net->planes, room);
        for (size_t output = 0; output < outputs; output++)
            values[at * outputs + output] =
                net->out_bias[output] + product(room, net->out + output * units, units);
    }
}

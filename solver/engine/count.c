/* Exact risks of any position: a forward pass, the mine total, a backward pass.

The forward pass counts the super-cells one after the other. All that matters of those counted so far
is how many mines each open constraint still needs: placements that agree in this are one *node*. The
*tally* of a node lists the total weight of its placements for each mine count; the nodes before one
step are a *level*. Each mine of a placement weighs `density`, each safe cell `1 - density`: this
keeps every weight near one, and the density cancels out once the mine total is taken into account. */

#include "inside.h"

enum { OVERHEAD = 64 }; /* what a count costs beside its nodes, in nodes */

#define TINY 1e-100 /* overlap of weights below which another density is tried */

static void fill_weights(double weight[9][9], double density) {
    memset(weight, 0, sizeof(double[9][9]));
    weight[0][0] = 1.0;
    for (int size = 1; size < 9; size++) {
        weight[size][0] = weight[size - 1][0] * (1.0 - density);
        for (int mines = 1; mines <= size; mines++)
            weight[size][mines] =
                weight[size - 1][mines] * (1.0 - density) + weight[size - 1][mines - 1] * density;
    }
}

/* Divide a row by its largest weight; return the natural logarithm of that weight. */
static double scale(double *row, int count) {
    double largest = 0.0;
    for (int at = 0; at < count; at++)
        if (row[at] > largest) largest = row[at];
    if (largest <= 0.0) return 0.0;
    for (int at = 0; at < count; at++) row[at] /= largest;
    return log(largest);
}

/* ----------------------------------------------------------------------------- the forward pass */

/* One super-cell that is about to be counted. For each of its constraints: where in a key its slot
is, how many mines it needs if it opens here (else -1), how many of its cells are counted later. For
each word of a key: what the constraints that open here add, and what each mine subtracts. */
typedef struct {
    int links, size;
    int word[8], shift[8], start[8], spare[8];
    uint64_t *initial, *pattern;
} Step;

typedef struct {
    const Constraints *constraints;
    int32_t *left;   /* cells of a constraint not counted yet; negative while it is open */
    uint64_t *keys;  /* of the nodes before this step: what the open constraints still need */
    uint64_t *next_keys;
    Node *next;      /* the nodes after this step */
    int32_t *table;  /* a hash table of them */
    int table_size;
    int64_t numbered; /* nodes of all levels before: what is below is no entry of the table */
    uint64_t *key;
    Step step;
} Pass;

static void prepare_step(Pass *pass, int super) {
    const Constraints *all = pass->constraints;
    Step *now = &pass->step;
    now->links = all->degree[super];
    now->size = all->size[super];
    memset(now->initial, 0, (size_t)all->words * sizeof(uint64_t));
    memset(now->pattern, 0, (size_t)all->words * sizeof(uint64_t));
    for (int link = 0; link < now->links; link++) {
        int number = all->touch[super][link];
        int word = all->slot[number] / SLOTS, shift = 4 * (all->slot[number] % SLOTS);
        now->word[link] = word;
        now->shift[link] = shift;
        now->start[link] = -1;
        if (pass->left[number] > 0) {
            now->start[link] = all->need[number];
            now->initial[word] += (uint64_t)all->need[number] << shift;
            pass->left[number] = -pass->left[number];
        }
        pass->left[number] += now->size;
        now->spare[link] = -pass->left[number];
        now->pattern[word] += (uint64_t)1 << shift;
    }
}

/* Set the fewest and the most mines that the super-cell may hold after a node. */
static void bound_mines(Node *node, const uint64_t *key, const Step *now) {
    int least = 0, most = now->size;
    for (int link = 0; link < now->links; link++) {
        int needed = now->start[link];
        if (needed < 0) needed = (int)((key[now->word[link]] >> now->shift[link]) & 15);
        most = min_int(most, needed);
        least = max_int(least, needed - now->spare[link]);
    }
    node->least = (int16_t)least;
    node->most = (int16_t)most;
}

/* The place of the node with the key in `pass`, of `count` so far; `count` where a new one is to go. */
static int find_node(Pass *pass, int count) {
    int words = pass->constraints->words;
    uint64_t mixed = 0;
    for (int word = 0; word < words; word++) {
        mixed = (mixed ^ pass->key[word]) * 0x2545F4914F6CDD1Du;
        mixed ^= mixed >> 29;
    }
    int place = (int)(mixed & (uint64_t)(pass->table_size - 1));
    size_t bytes = (size_t)words * sizeof(uint64_t);
    for (;; place = (place + 1) & (pass->table_size - 1)) {
        int64_t at = pass->table[place] - pass->numbered;
        if (at < 0 || at >= count) break;
        if (memcmp(pass->next_keys + at * words, pass->key, bytes) == 0) return (int)at;
    }
    pass->table[place] = (int32_t)(pass->numbered + count);
    memcpy(pass->next_keys + (size_t)count * (size_t)words, pass->key, bytes);
    return count;
}

/* Make room for the nodes that `edges` edges may lead to. The keys before this step stay. */
static void make_room(Work *work, Pass *pass, int which, int64_t edges) {
    size_t words = (size_t)pass->constraints->words;
    pass->next_keys = buffer(work, which, (size_t)edges * words, sizeof(uint64_t));
    pass->next = buffer(work, NEXT_NODES, (size_t)edges, sizeof(Node));
    if (2 * edges <= pass->table_size) return;
    while (pass->table_size < 2 * edges) pass->table_size *= 4;
    pass->table = buffer(work, TABLE, (size_t)pass->table_size, sizeof(int32_t));
    memset(pass->table, -1, (size_t)pass->table_size * sizeof(int32_t));
}

/* Bound the mines after each node of a level; returns how many edges lead on. */
static int64_t bound_level(Work *work, Pass *pass, Level *level) {
    int64_t edges = 0;
    for (int at = 0; at < level->count; at++) {
        Node *node = level->nodes + at;
        bound_mines(node, pass->keys + (size_t)at * (size_t)pass->constraints->words, &pass->step);
        node->edge = (int32_t)edges;
        if (node->most >= node->least) edges += node->most - node->least + 1;
        if ((at & 1023) == 1023) check_stop(work);
    }
    return edges;
}

/* Make the nodes of the next level, and the edges that lead to them. `which` buffer takes their keys. */
static void make_level(Work *work, Pass *pass, bool total_known, Level *from, Level *to, int which) {
    const Step *now = &pass->step;
    int words = pass->constraints->words;
    int64_t edges = bound_level(work, pass, from);
    make_room(work, pass, which, edges);
    from->edge = TAKE(work, int32_t, edges);
    to->count = 0;
    for (int at = 0; at < from->count; at++) {
        const Node *node = from->nodes + at;
        const uint64_t *key = pass->keys + (size_t)at * (size_t)words;
        for (int mines = node->least; mines <= node->most; mines++) {
            for (int word = 0; word < words; word++)
                pass->key[word] =
                    key[word] + now->initial[word] - (uint64_t)mines * now->pattern[word];
            int target = find_node(pass, to->count), more = total_known ? mines : 0;
            Node *next = pass->next + target;
            if (target == to->count) {
                to->count++;
                *next = (Node){.low = INT32_MAX, .high = -1};
            }
            next->low = min_int(next->low, node->low + more);
            next->high = max_int(next->high, node->high + more);
            from->edge[node->edge + mines - node->least] = target;
        }
        if ((at & 1023) == 1023) check_stop(work);
    }
    to->nodes = TAKE(work, Node, to->count);
    memcpy(to->nodes, pass->next, (size_t)to->count * sizeof(Node));
    pass->keys = pass->next_keys;
}

/* Add up the tallies of a level over the edges that lead to it. */
static void add_tallies(Work *work, const Counts *counts, const Level *from, Level *to, int size) {
    int64_t tallies = 0;
    for (int at = 0; at < to->count; at++) {
        Node *node = to->nodes + at;
        node->tally = (int32_t)tallies;
        tallies += node->high - node->low + 1;
    }
    if (tallies > INT32_MAX / 2) leave_entry(work, TOO_LARGE);
    to->tallies = (int32_t)tallies;
    to->tally = TAKE_ZEROS(work, double, tallies);
    for (int at = 0; at < from->count; at++) {
        const Node *node = from->nodes + at;
        int span = node->high - node->low + 1;
        const double *source = from->tally + node->tally;
        for (int mines = node->least; mines <= node->most; mines++) {
            const Node *next =
                to->nodes + from->edge[node->edge + mines - node->least];
            int more = counts->total_known ? mines : 0;
            double *sink = to->tally + next->tally + node->low + more - next->low;
            double weight = counts->weight[size][mines];
            for (int k = 0; k < span; k++) sink[k] += weight * source[k];
        }
        if ((at & 1023) == 1023) check_stop(work);
    }
}

static void begin_component(Work *work, Pass *pass, Level *level) {
    size_t words = (size_t)pass->constraints->words;
    pass->keys = buffer(work, KEYS, words, sizeof(uint64_t));
    memset(pass->keys, 0, words * sizeof(uint64_t));
    level->nodes = TAKE_ZEROS(work, Node, 1);
    level->count = level->tallies = 1;
    level->tally = TAKE(work, double, 1);
    level->tally[0] = 1.0;
}

/* Count all placements on the frontier; returns the logarithm of the scale of the weights. */
static double count_forward(Work *work, Counts *counts) {
    const Constraints *all = &counts->constraints;
    counts->level = TAKE(work, Level, all->supers + all->components + 1);
    Pass pass = {
        .constraints = all,
        .left = TAKE_ZEROS(work, int32_t, all->numbers),
        .table = buffer(work, TABLE, 64, sizeof(int32_t)),
        .table_size = 64,
        .key = TAKE(work, uint64_t, 3 * all->words),
    };
    pass.step.initial = pass.key + all->words;
    pass.step.pattern = pass.step.initial + all->words;
    memset(pass.table, -1, 64 * sizeof(int32_t));
    for (int number = 0; number < all->numbers; number++)
        for (int at = 0; at < all->width[number]; at++)
            pass.left[number] += all->size[all->members[number][at]];
    double log_scale = 0.0;
    work->nodes += OVERHEAD;
    counts->code = DONE;
    counts->nodes = 0;
    for (int component = 0; component < all->components; component++) {
        Level *level = counts->level + all->first[component] + component;
        begin_component(work, &pass, level);
        pass.numbered = counts->nodes += 1;
        for (int at = all->first[component]; at < all->first[component + 1]; at++, level++) {
            prepare_step(&pass, all->order[at]);
            int which = (at - all->first[component]) % 2 ? KEYS : NEXT_KEYS;
            make_level(work, &pass, counts->total_known, level, level + 1, which);
            if (level[1].count == 0) {
                counts->code = NO_LAYOUT;
                return 0.0;
            }
            counts->nodes += level[1].count;
            work->nodes += level[1].count;
            pass.numbered = counts->nodes;
            if (counts->nodes > work->most_nodes) {
                counts->code = TOO_LARGE;
                return 0.0;
            }
            add_tallies(work, counts, level, level + 1, pass.step.size);
            if (at % 16 == 15) log_scale += scale(level[1].tally, level[1].tallies);
            check_stop(work);
        }
    }
    return log_scale;
}

/* ------------------------------------------------------------------------------- the mine total */

/* ln(n!) by Stirling's series; `lgamma` writes a global, so that threads would race. */
static double log_factorial(double n) {
    double sum = 0.0;
    for (; n < 16.0; n++) sum -= log(n + 1.0);
    double square = 1.0 / (n * n);
    return sum + n * log(n) - n + 0.5 * log(2.0 * 3.14159265358979323846 * n) +
           (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) / n;
}

/* Fill `row[n]` with the weight of `mines - n` mines on the unconstrained cells, scaled to a largest
weight of one; return the logarithm of the scale. */
static double weigh_unconstrained(const Counts *counts, double *row, double density) {
    int rest = counts->constraints.unconstrained, mines = counts->mines;
    if (!counts->total_known) {
        row[0] = 1.0;
        return 0.0;
    }
    int first = max_int(0, mines - rest), last = min_int(mines, counts->most);
    if (first > last) return 0.0;
    /* Start at the likeliest count and step outwards: C(2500, 500) itself would overflow. */
    int peak = min_int(max_int(mines - (int)(rest * density), first), last);
    double off = mines - peak, odds = density / (1.0 - density);
    row[peak] = 1.0;
    for (int n = peak + 1; n <= last; n++) {
        double held = mines - n + 1;
        row[n] = row[n - 1] * held / ((rest - held + 1) * odds);
    }
    for (int n = peak - 1; n >= first; n--) {
        double held = mines - n;
        row[n] = row[n + 1] * (rest - held + 1) * odds / held;
    }
    return log_factorial(rest) - log_factorial(off) - log_factorial(rest - off) +
           off * log(density) + (rest - off) * log1p(-density) + scale(row, counts->most + 1);
}

static void count_most(Counts *counts, int *fewest) {
    *fewest = counts->most = 0;
    for (int component = 0; component < counts->constraints.components; component++) {
        const Node *end = end_of(counts, component)->nodes;
        *fewest += end->low;
        counts->most += end->high;
    }
}

/* Fill `before`: `before[k][n]` is the weight of n mines on the components before k. */
static void fill_before(Work *work, Counts *counts) {
    int components = counts->constraints.components, width = counts->most + 1, low = 0, high = 0;
    counts->before = TAKE_ZEROS(work, double, (size_t)(components + 1) * (size_t)width);
    counts->before[0] = 1.0;
    for (int component = 0; component < components; component++) {
        const Level *level = end_of(counts, component);
        const Node *end = level->nodes;
        double *row = counts->before + (size_t)component * (size_t)width, *next = row + width;
        for (int n = low; n <= high; n++)
            for (int own = end->low; own <= end->high; own++)
                next[n + own] += row[n] * level->tally[own - end->low];
        low += end->low;
        high += end->high;
        scale(next, width);
    }
}

/* Fill `after`: `after[k][n]` is the weight of all placements on component k, those after it and the
unconstrained cells, if n mines lie on the components before k. Returns the logarithm of the scale. */
static double fill_after(Work *work, Counts *counts, double density) {
    int components = counts->constraints.components, width = counts->most + 1;
    int low, high = counts->most;
    count_most(counts, &low);
    counts->after = TAKE_ZEROS(work, double, (size_t)(components + 1) * (size_t)width);
    double log_scale =
        weigh_unconstrained(counts, counts->after + (size_t)components * (size_t)width, density);
    for (int component = components - 1; component >= 0; component--) {
        const Level *level = end_of(counts, component);
        const Node *end = level->nodes;
        double *row = counts->after + (size_t)component * (size_t)width, *next = row + width;
        low -= end->low;
        high -= end->high;
        for (int n = low; n <= high; n++)
            for (int own = end->low; own <= end->high; own++)
                row[n] += next[n + own] * level->tally[own - end->low];
        log_scale += scale(row, width);
    }
    return log_scale;
}

/* Split the total between the components and the unconstrained cells. Returns the overlap of both
sides: near one if the density suits the total, tiny if weights may underflow. */
static double split_total(Work *work, Counts *counts, double density, double *log_total) {
    fill_before(work, counts);
    *log_total += fill_after(work, counts, density);
    size_t last = (size_t)counts->constraints.components * (size_t)(counts->most + 1);
    double overlap = 0.0, rest = 0.0;
    for (int n = 0; n <= counts->most; n++) {
        double part = counts->before[last + (size_t)n] * counts->after[last + (size_t)n];
        overlap += part;
        rest += part * (counts->mines - n);
    }
    counts->rest_risk = 0.0;
    if (counts->constraints.unconstrained > 0 && overlap > 0.0)
        counts->rest_risk =
            counts->total_known ? rest / (overlap * counts->constraints.unconstrained) : 0.5;
    return overlap;
}

/* ---------------------------------------------------------------------------- the backward pass */

/* Fill `future` for the end of a component: the weight of all else, for each mine count on it. */
static void weigh_end(const Counts *counts, int component, double *future) {
    const Node *end = end_of(counts, component)->nodes;
    size_t width = (size_t)counts->most + 1;
    const double *before = counts->before + (size_t)component * width;
    const double *after = counts->after + (size_t)(component + 1) * width;
    for (int own = end->low; own <= end->high; own++) {
        double chance = 0.0;
        for (int n = 0; n + own <= counts->most; n++) chance += before[n] * after[n + own];
        future[own - end->low] = chance;
    }
}

/* Go back over one super-cell: its risk, and `past`, the future of the level before it. */
static double step_back(const Counts *counts, const Level *from, const Level *to, int size,
                        const double *future, double *past) {
    double mined = 0.0, clear = 0.0;
    for (int at = 0; at < from->count; at++) {
        const Node *node = from->nodes + at;
        int span = node->high - node->low + 1;
        double *sum = past + node->tally;
        const double *tally = from->tally + node->tally;
        memset(sum, 0, (size_t)span * sizeof(double));
        for (int mines = node->least; mines <= node->most; mines++) {
            const Node *next =
                to->nodes + from->edge[node->edge + mines - node->least];
            int more = counts->total_known ? mines : 0;
            const double *source = future + next->tally + node->low + more - next->low;
            double weight = counts->weight[size][mines], mass = 0.0;
            for (int k = 0; k < span; k++) {
                sum[k] += weight * source[k];
                mass += tally[k] * source[k];
            }
            mined += mines * weight * mass;
            clear += (size - mines) * weight * mass;
        }
    }
    double risk = mined / (mined + clear);
    return clear > 0.0 && risk == 1.0 ? 1.0 - 0x1p-53 : risk;
}

/* Fill `risk`: 0.0 or 1.0 exactly where a super-cell is certain, and only there. */
static void count_backward(Work *work, Counts *counts) {
    const Constraints *all = &counts->constraints;
    int32_t widest = 1;
    for (int at = 0; at < all->supers + all->components; at++)
        widest = max_int(widest, counts->level[at].tallies);
    counts->risk = TAKE(work, double, all->supers);
    double *future = TAKE(work, double, widest), *past = TAKE(work, double, widest);
    for (int component = 0; component < all->components; component++) {
        weigh_end(counts, component, future);
        for (int at = all->first[component + 1] - 1; at >= all->first[component]; at--) {
            const Level *from = counts->level + at + component;
            int super = all->order[at];
            counts->risk[super] =
                step_back(counts, from, from + 1, all->size[super], future, past);
            if (at % 16 == 0) scale(past, from->tallies);
            double *swap = future;
            future = past;
            past = swap;
            check_stop(work);
        }
    }
}

/* ------------------------------------------------------------------------------ all of a position */

void count_layouts(Work *work, const State *state, Counts *counts) {
    Constraints *all = &counts->constraints;
    build_constraints(work, state, all);
    counts->mines = state->mines;
    counts->total_known = state->mines >= 0;
    counts->log_layouts = -INFINITY;
    counts->rest_risk = 0.0;
    double likely = counts->total_known ? (state->mines + 0.5) / (state->hidden + 1.0) : 0.5;
    double odds = likely / (1.0 - likely), density = likely, log_total = 0.0;
    for (int attempt = 1; attempt < 42; attempt++) {
        Mark mark = mark_here(work);
        fill_weights(counts->weight, density);
        log_total = count_forward(work, counts);
        if (counts->code != DONE) return;
        int fewest;
        count_most(counts, &fewest);
        if (counts->total_known &&
            (state->mines < fewest || state->mines > counts->most + all->unconstrained)) {
            counts->code = NO_LAYOUT;
            return;
        }
        if (split_total(work, counts, density, &log_total) >= TINY) break;
        if (attempt == 41) {
            counts->code = NO_LAYOUT;
            return;
        }
        /* Too many or too few mines for this frontier, so that weights may underflow: multiply the
        odds of a mine by factors further and further from one. */
        double factor = pow(4.0, attempt % 2 ? (attempt + 1) / 2 : -(attempt / 2));
        density = odds * factor / (1.0 + odds * factor);
        release(work, mark);
    }
    count_backward(work, counts);
    counts->log_layouts = log_total - state->hidden * log1p(-density);
    if (counts->total_known)
        counts->log_layouts -= state->mines * (log(density) - log1p(-density));
}

void count_fitting(Work *work, const State *state, Counts *counts) {
    count_layouts(work, state, counts);
    if (counts->code != DONE) leave_entry(work, counts->code);
}

/* -------------------------------------------------------------------------------------- entries */

int engine_risks(Work *work, int rows, int cols, const int8_t *tiles, int mines,
                 int64_t most_nodes, double *risk, double *log_layouts) {
    if (bad_board(rows, cols, tiles, mines)) return BAD_ARGUMENT;
    BEGIN(work);
    work->most_nodes = most_nodes;
    const State *state = begin_board(work, rows, cols, tiles, mines);
    Counts counts;
    count_fitting(work, state, &counts);
    for (int row = 0, cell = 0; row < rows; row++) {
        int place = (row + 1) * state->wide + 1;
        for (int col = 0; col < cols; col++, cell++, place++) {
            if (tiles[cell] >= 0 || tiles[cell] < -3)
                risk[cell] = NAN;
            else if (state->field[place] == HIDDEN)
                risk[cell] = risk_of(&counts, place);
            else
                risk[cell] = state->field[place] == MINE;
        }
    }
    *log_layouts = counts.log_layouts;
    return end_entry(work);
}

static double log_add(double one, double other) {
    if (one < other) return log_add(other, one);
    return other == -INFINITY ? one : one + log1p(exp(other - one));
}

int engine_totals(Work *work, int rows, int cols, const int8_t *tiles, double density,
                  double *logs) {
    if (bad_board(rows, cols, tiles, -1) || !(density > 0.0 && density < 1.0))
        return BAD_ARGUMENT;
    BEGIN(work);
    State *state = begin_board(work, rows, cols, tiles, -1);
    int known = 0;
    for (int place = 0; place < state->size; place++) known += state->field[place] == MINE;
    Counts counts = {.total_known = true};
    build_constraints(work, state, &counts.constraints);
    fill_weights(counts.weight, density);
    count_forward(work, &counts);
    if (counts.code != DONE) leave_entry(work, counts.code);
    int fewest, rest = counts.constraints.unconstrained;
    count_most(&counts, &fewest);
    fill_before(work, &counts);
    const double *frontier =
        counts.before + (size_t)counts.constraints.components * (size_t)(counts.most + 1);
    for (int total = 0; total <= rows * cols; total++) logs[total] = -INFINITY;
    for (int on = 0; on <= counts.most; on++) {
        if (frontier[on] == 0.0) continue;
        /* A mine on the frontier weighs `density`, a safe cell the rest: take that off again. */
        double ways = log(frontier[on]) - on * (log(density) - log1p(-density));
        for (int off = 0; off <= rest; off++) {
            if (off > 0) ways += log((rest - off + 1.0) / off);
            logs[known + on + off] = log_add(logs[known + on + off], ways);
        }
        check_stop(work);
    }
    return end_entry(work);
}

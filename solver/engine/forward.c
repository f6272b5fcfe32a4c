/* The forward pass: the weight of all placements of mines on the frontier, for each number of mines.

The super-cells are counted one after the other. All that matters of those counted so far is how many
mines each open constraint still needs: placements that agree in this are one *node*. The *tally* of a
node lists the total weight of its placements for each mine count; the nodes before one step are a
*level*. Each mine of a placement weighs `density`, each safe cell `1 - density`: this keeps every weight
near one, and the density cancels out once the mine total is taken into account. */

#include "inside.h"

enum { OVERHEAD = 64 }; /* what a count costs beside its nodes, in nodes */

void fill_weights(double weight[9][9], double density) {
    memset(weight, 0, sizeof(double[9][9]));
    weight[0][0] = 1.0;
    for (int size = 1; size < 9; size++) {
        weight[size][0] = weight[size - 1][0] * (1.0 - density);
        for (int mines = 1; mines <= size; mines++)
            weight[size][mines] =
                weight[size - 1][mines] * (1.0 - density) + weight[size - 1][mines - 1] * density;
    }
}

double scale(double *row, int count) {
    double largest = 0.0;
    for (int at = 0; at < count; at++)
        if (row[at] > largest) largest = row[at];
    if (largest <= 0.0) return 0.0;
    for (int at = 0; at < count; at++) row[at] /= largest;
    return log(largest);
}

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
    int64_t numbered; /* nodes of all levels before: lower entries of the table are unused */
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
    uint64_t hash = 0;
    for (int word = 0; word < words; word++) hash = mix_in(hash, pass->key[word]);
    int place = (int)(hash & (uint64_t)(pass->table_size - 1));
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

double count_forward(Work *work, Counts *counts) {
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

/* The arena of a work space, and how an entry begins and ends. */

#include <stdlib.h>

#include "inside.h"

struct Block {
    Block *next;
    size_t size, used;
    max_align_t data[];
};

enum {
    BLOCK = 1 << 18,     /* bytes of the first block; each next one is twice as large */
    KEPT = 16 << 20,     /* bytes that a work space keeps between two entries */
    ALIGN = sizeof(max_align_t),
};

static size_t bytes_left(const Work *work) {
    return work->bytes < work->most_bytes ? (size_t)(work->most_bytes - work->bytes) : 0;
}

static Block *new_block(Work *work, size_t size) {
    if (size > bytes_left(work)) leave_entry(work, TOO_LARGE);
    Block *block = malloc(sizeof(Block) + size);
    if (!block) leave_entry(work, OUT_OF_MEMORY);
    block->next = NULL;
    block->size = size;
    block->used = 0;
    work->bytes += (int64_t)size;
    return block;
}

Work *engine_open(const int32_t *stop, int32_t progress[2], int64_t bytes) {
    Work *work = calloc(1, sizeof(Work));
    if (!work) return NULL;
    work->stop = stop;
    work->progress = progress;
    work->most_bytes = bytes;
    return work;
}

static void free_after(Work *work, Block *last) {
    Block *block = last ? last->next : work->first;
    while (block) {
        Block *next = block->next;
        work->bytes -= (int64_t)block->size;
        free(block);
        block = next;
    }
    if (last)
        last->next = NULL;
    else
        work->first = NULL;
}

void engine_close(Work *work) {
    if (!work) return;
    for (int at = 0; at < BUFFERS; at++) free(work->buffers[at].data);
    free_after(work, NULL);
    free(work);
}

const char *engine_sources(void) {
#ifdef SOURCES
    return SOURCES;
#else
    return "";
#endif
}

void begin_entry(Work *work) {
    work->block = work->first;
    if (work->block) work->block->used = 0;
    work->most_nodes = INT64_MAX;
    work->nodes = 0;
}

static void free_buffer(Work *work, Buffer *buffer) {
    work->bytes -= buffer->size;
    free(buffer->data);
    *buffer = (Buffer){NULL, 0};
}

int end_entry(Work *work) {
    int64_t kept = 0;
    for (int at = 0; at < BUFFERS; at++)
        if (work->buffers[at].size > KEPT) free_buffer(work, work->buffers + at);
    for (Block *block = work->first; block; block = block->next) {
        kept += (int64_t)block->size;
        if (kept >= KEPT) {
            free_after(work, block);
            break;
        }
    }
    return DONE;
}

void leave_entry(Work *work, int code) {
    end_entry(work);
    work->code = code;
    longjmp(work->leave, 1);
}

void *take(Work *work, size_t count, size_t size) {
    if (count > (size_t)work->most_bytes / size) leave_entry(work, TOO_LARGE);
    size_t need = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    Block *block = work->block;
    while (!block || block->used + need > block->size) {
        Block *next = block ? block->next : NULL;
        if (!next || next->size < need) { /* too small a block stays in the chain, behind */
            size_t usual = block ? 2 * block->size : BLOCK, left = bytes_left(work);
            if (usual > left) usual = left;
            Block *fresh = new_block(work, need > usual ? need : usual);
            fresh->next = next;
            if (block)
                block->next = fresh;
            else
                work->first = fresh;
            next = fresh;
        }
        next->used = 0;
        block = work->block = next;
    }
    char *start = (char *)block->data + block->used;
    block->used += need;
#ifdef POISON /* so that tests notice what is read before it was written */
    memset(start, 0xA5, need);
#endif
    return start;
}

void *take_zeros(Work *work, size_t count, size_t size) {
    void *start = take(work, count, size);
    memset(start, 0, count * size);
    return start;
}

void *buffer(Work *work, int which, size_t count, size_t size) {
    Buffer *own = work->buffers + which;
    if (count > (size_t)work->most_bytes / size) leave_entry(work, TOO_LARGE);
    int64_t need = (int64_t)(count * size);
    if (need <= own->size) return own->data;
    free_buffer(work, own);
    if (work->bytes + 2 * need <= work->most_bytes) need *= 2; /* it will grow on */
    if (work->bytes + need > work->most_bytes) leave_entry(work, TOO_LARGE);
    own->data = malloc((size_t)need);
    if (!own->data) leave_entry(work, OUT_OF_MEMORY);
    own->size = need;
    work->bytes += need;
    return own->data;
}

Mark mark_here(Work *work) {
    Mark mark = {work->block, work->block ? work->block->used : 0};
    return mark;
}

void release(Work *work, Mark mark) {
    work->block = mark.block ? mark.block : work->first;
    if (work->block) work->block->used = mark.used;
}

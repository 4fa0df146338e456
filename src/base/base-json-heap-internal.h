/* Memory for yajl, which does not look whether it got any.
 *
 * Every block is on a list. When memory runs out the heap jumps back to where the parse began, past yajl's
 * frames, and heap_clear frees what yajl would have freed. The callbacks' own memory is not on the list: they
 * check theirs.
 */
#pragma once

#include <setjmp.h>
#include <stddef.h>

struct heap_block;

struct heap {
  jmp_buf out_of_memory;
  struct heap_block *first;
};

/* Shaped as yajl wants them; CTX is the heap. They return memory or not at all. */
void *heap_allocate (void *ctx, size_t size);
void *heap_resize (void *ctx, void *memory, size_t size);
void heap_release (void *ctx, void *memory);

void heap_clear (struct heap *heap);

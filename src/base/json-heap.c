#include <config.h>

#include "base-json-heap-internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct heap_block {
  struct heap_block *next, *previous;
  max_align_t memory[]; /* aligned as malloc would */
};

static struct heap_block *block_of (void *memory)
{
  return (struct heap_block *) (void *) ((char *) memory - offsetof (struct heap_block, memory));
}

static void hang (struct heap *heap, struct heap_block *block)
{
  block->previous = NULL;
  block->next = heap->first;
  if (block->next != NULL)
    block->next->previous = block;
  heap->first = block;
}

static void unhang (struct heap *heap, const struct heap_block *block)
{
  if (block->next != NULL)
    block->next->previous = block->previous;
  if (block->previous != NULL)
    block->previous->next = block->next;
  else
    heap->first = block->next;
}

void *heap_allocate (void *ctx, size_t size)
{
  struct heap *heap = ctx;
  struct heap_block *block = NULL;

  if (size <= SIZE_MAX - sizeof (*block))
    block = malloc (sizeof (*block) + size);
  if (block == NULL)
    longjmp (heap->out_of_memory, 1);
  hang (heap, block);
  return block->memory;
}

void *heap_resize (void *ctx, void *memory, size_t size)
{
  struct heap *heap = ctx;
  struct heap_block *block, *grown = NULL;

  if (memory == NULL)
    return heap_allocate (ctx, size);
  block = block_of (memory);
  unhang (heap, block);
  if (size <= SIZE_MAX - sizeof (*block))
    grown = realloc (block, sizeof (*block) + size);
  hang (heap, grown != NULL ? grown : block);
  if (grown == NULL)
    longjmp (heap->out_of_memory, 1);
  return grown->memory;
}

void heap_release (void *ctx, void *memory)
{
  struct heap_block *block;

  if (memory == NULL)
    return;
  block = block_of (memory);
  unhang (ctx, block);
  free (block);
}

void heap_clear (struct heap *heap)
{
  while (heap->first != NULL) {
    struct heap_block *block = heap->first;

    heap->first = block->next;
    free (block);
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-json-read.h"

#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "base-json-edit.h"
#include "base-limits.h"
#include "base-str.h"

#define DEPTH_MAX 128

/* Characters of a number. */
#define NUMBER_MAX 64u

/* yajl reports how far it has read, not where a token began. Every token but ',' and ':' ends in
 * a callback, so a token starts at the first byte after the previous one that is not blank,
 * comment, comma or colon. */
struct reader {
  const char *name;
  const char *text;
  size_t len;
  const struct json_limits *limits;
  yajl_handle yajl;
  struct block *blocks; /* yajl's memory, freed as a whole */
  jmp_buf out_of_memory;
  struct error *err;

  size_t last_end; /* where the last token ended */
  bool at_end;     /* all text was read; yajl only completes the pending token */
  size_t counted;  /* line and column below are those of this offset */
  unsigned line, column;

  struct json_node *root;
  struct json_node *open[DEPTH_MAX]; /* the containers around the current position */
  unsigned depth;
  struct json_key key; /* a key that waits for its value */
  size_t nodes;
};

/* Memory for yajl, which does not check its allocations. When memory runs out, allocate jumps back to the
 * start of the parse, past yajl's frames. Only json_read frees: yajl allocates little, and each
 * reallocation doubles the size. The callbacks allocate their own memory and check it. */
struct block {
  struct block *next;
  size_t size;
  max_align_t memory[]; /* aligned as malloc would */
};

static void *allocate (void *ctx, size_t size)
{
  struct reader *r = ctx;
  struct block *block = NULL;

  if (size <= SIZE_MAX - sizeof (*block))
    block = malloc (sizeof (*block) + size);
  if (block == NULL)
    longjmp (r->out_of_memory, 1);
  block->next = r->blocks;
  block->size = size;
  r->blocks = block;
  return block->memory;
}

static void *resize (void *ctx, void *memory, size_t size)
{
  void *grown = allocate (ctx, size);

  if (memory != NULL) {
    const struct block *old = (const void *) ((char *) memory - offsetof (struct block, memory));

    memcpy (grown, memory, old->size < size ? old->size : size);
  }
  return grown;
}

static void release (void *ctx, void *memory)
{
  (void) ctx;
  (void) memory;
}

static void free_blocks (struct block *block)
{
  while (block != NULL) {
    struct block *next = block->next;

    free (block);
    block = next;
  }
}

static void count_to (struct reader *r, size_t offset)
{
  const char *at = r->text + r->counted, *end, *line;

  if (offset > r->len)
    offset = r->len;
  if (offset <= r->counted)
    return;
  end = r->text + offset;
  while ((line = memchr (at, '\n', (size_t) (end - at))) != NULL) {
    r->line++;
    r->column = 1;
    at = line + 1;
  }
  r->column += (unsigned) (end - at);
  r->counted = offset;
}

/* Both return 0, with which a callback ends the parse. */
#define fail(r, format, ...)                                                                                 \
  (error_set ((r)->err, -EINVAL, "%s:%u:%u: " format, (r)->name, (r)->line, (r)->column, ##__VA_ARGS__), 0)

static int fail_oom (struct reader *r)
{
  error_oom (r->err);
  return 0;
}

static size_t skip_comment (const struct reader *r, size_t at)
{
  if (r->text[at + 1] == '/') {
    while (at < r->len && r->text[at] != '\n')
      at++;
    return at;
  }
  at += 2;
  while (at + 1 < r->len && !(r->text[at] == '*' && r->text[at + 1] == '/'))
    at++;
  return at + 1 < r->len ? at + 2 : r->len;
}

static size_t token_start (const struct reader *r)
{
  size_t at = r->last_end;

  while (at < r->len) {
    char c = r->text[at];

    if (r->limits->comments && c == '/' && at + 1 < r->len
        && (r->text[at + 1] == '/' || r->text[at + 1] == '*'))
      at = skip_comment (r, at);
    else if (c == ' ' || (c >= '\t' && c <= '\r') || c == ',' || c == ':')
      at++; /* where comments are allowed yajl may have met vertical tabs and form feeds */
    else
      break;
  }
  return at;
}

/* Moves to the token of the current callback, and past it. */
static size_t enter_token (struct reader *r)
{
  size_t start = token_start (r);

  count_to (r, start);
  r->last_end = r->at_end ? r->len : yajl_get_bytes_consumed (r->yajl);
  return start;
}

/* Which half of a surrogate pair an escape is: 1, 2, or 0 for none. yajl has checked its digits. */
static int surrogate_half (const char *escape)
{
  if (escape[0] != '\\' || escape[1] != 'u' || (escape[2] | 0x20) != 'd')
    return 0;
  if (escape[3] < '8')
    return 0;
  return escape[3] <= '9' || (escape[3] | 0x20) <= 'b' ? 1 : 2;
}

/* yajl silently turns half a surrogate pair into '?', so check the raw text of the
 * token, from quote to quote. */
static bool surrogates_pair_up (const char *raw, size_t len)
{
  const char *end = raw + len;

  while (raw < end && (raw = memchr (raw, '\\', (size_t) (end - raw))) != NULL) {
    int half = surrogate_half (raw);

    if (half == 2 || (half == 1 && surrogate_half (raw + strlen ("\\uXXXX")) != 2))
      return false;
    raw += half == 1 ? strlen ("\\uXXXX\\uXXXX") : 2;
  }
  return true;
}

/* Whether the tree, which has only C strings, can hold this string token. */
static bool check_text (struct reader *r, size_t start, const unsigned char *bytes, size_t len)
{
  size_t max = r->limits->string > 0 ? r->limits->string : LIMIT_STRING_BYTES;

  if (len > max)
    return fail (r, "string is longer than %zu bytes", max);
  if (memchr (bytes, '\0', len) != NULL)
    return fail (r, "string holds a NUL character");
  if (!surrogates_pair_up (r->text + start, r->last_end - start))
    return fail (r, "string holds half of a surrogate pair");
  if (!str_is_utf8 ((const char *) bytes, len))
    return fail (r, "string is not valid UTF-8");
  return true;
}

/* Adds NODE, which is NULL when memory ran out, at the current position. */
static int add (struct reader *r, struct json_node *node)
{
  if (node == NULL)
    return fail_oom (r);
  if (++r->nodes > r->limits->nodes) {
    json_free (node);
    return fail (r, "more than %zu values", r->limits->nodes);
  }
  node->line = r->line;
  node->column = r->column;
  if (r->depth == 0)
    r->root = node;
  else if (json_add (r->open[r->depth - 1], r->open[r->depth - 1]->count, r->key, node) < 0)
    return fail_oom (r);
  r->key = (struct json_key){ 0 };
  return 1;
}

static int on_null (void *ctx)
{
  enter_token (ctx);
  return add (ctx, json_new (JSON_NULL));
}

static int on_boolean (void *ctx, int value)
{
  enter_token (ctx);
  return add (ctx, json_new_bool (value != 0));
}

static int on_number (void *ctx, const char *digits, size_t len)
{
  struct reader *r = ctx;

  enter_token (r);
  if (len > NUMBER_MAX && !r->limits->javascript)
    return fail (r, "number is longer than %u characters", NUMBER_MAX);
  return add (r, json_new_bytes (JSON_NUMBER, digits, len));
}

static int on_string (void *ctx, const unsigned char *bytes, size_t len)
{
  struct reader *r = ctx;
  size_t start = enter_token (r);

  return check_text (r, start, bytes, len) && add (r, json_new_bytes (JSON_STRING, bytes, len));
}

static int open_container (struct reader *r, enum json_type type)
{
  unsigned max = r->limits->depth < DEPTH_MAX ? r->limits->depth : DEPTH_MAX;
  struct json_node *node;

  enter_token (r);
  if (r->depth >= max)
    return fail (r, "nested deeper than %u levels", max);
  node = json_new (type);
  if (!add (r, node))
    return 0;
  r->open[r->depth++] = node;
  return 1;
}

static int on_start_map (void *ctx)
{
  return open_container (ctx, JSON_OBJECT);
}

static int on_start_array (void *ctx)
{
  return open_container (ctx, JSON_ARRAY);
}

/* ---- Repeated keys, as JavaScript has them: the first one's place, and the last one's value. */

struct named {
  const char *name;
  size_t index;
};

static int compare_named (const void *one, const void *other)
{
  const struct named *a = one, *b = other;
  int order = strcmp (a->name, b->name);

  return order != 0 ? order : a->index < b->index ? -1 : a->index > b->index;
}

/* Removes the members that have no name any more. */
static void close_gaps (struct json_node *object)
{
  size_t count = 0;

  for (size_t i = 0; i < object->count; i++)
    if (object->keys[i].name != NULL) {
      object->keys[count] = object->keys[i];
      object->items[count++] = object->items[i];
    }
  object->count = count;
}

/* By sorting: to compare every key with all before it would take a time that grows with their square. */
static int settle_repeated (struct reader *r, struct json_node *object)
{
  cleanup_free struct named *names = NULL;
  size_t count = object->count, first = 0;

  if (count < 2)
    return 1;
  names = malloc (count * sizeof (*names));
  if (names == NULL)
    return fail_oom (r);
  for (size_t i = 0; i < count; i++)
    names[i] = (struct named){ object->keys[i].name, i };
  qsort (names, count, sizeof (*names), compare_named);
  for (size_t i = 1; i < count; i++) {
    struct json_node **kept = &object->items[names[first].index], **later = &object->items[names[i].index];

    if (strcmp (names[first].name, names[i].name) != 0) {
      first = i;
      continue;
    }
    json_free (*kept);
    *kept = *later;
    *later = NULL;
    free (object->keys[names[i].index].name);
    object->keys[names[i].index].name = NULL;
  }
  close_gaps (object);
  return 1;
}

static int on_end (void *ctx)
{
  struct reader *r = ctx;
  struct json_node *container = r->open[--r->depth];

  enter_token (r);
  return r->limits->javascript && container->type == JSON_OBJECT ? settle_repeated (r, container) : 1;
}

static int on_map_key (void *ctx, const unsigned char *bytes, size_t len)
{
  struct reader *r = ctx;
  const struct json_node *object = r->open[r->depth - 1];
  size_t start = enter_token (r);
  char *name;

  if (!check_text (r, start, bytes, len))
    return 0;
  name = strndup ((const char *) bytes, len);
  if (name == NULL)
    return fail_oom (r);
  /* Owned by the reader before the checks, so that it is freed in every case. */
  r->key = (struct json_key){ .name = name, .line = r->line, .column = r->column };
  if (r->limits->javascript)
    return 1;
  for (size_t i = 0; i < object->count; i++)
    if (strcmp (object->keys[i].name, name) == 0)
      return fail (r, "key '%s' is repeated (first on line %u)", name, object->keys[i].line);
  if (object->count >= LIMIT_OBJECT_MEMBERS)
    return fail (r, "object has more than %zu keys", LIMIT_OBJECT_MEMBERS);
  return 1;
}

static const yajl_callbacks callbacks = {
  .yajl_null = on_null,
  .yajl_boolean = on_boolean,
  .yajl_number = on_number,
  .yajl_string = on_string,
  .yajl_start_map = on_start_map,
  .yajl_map_key = on_map_key,
  .yajl_end_map = on_end,
  .yajl_start_array = on_start_array,
  .yajl_end_array = on_end,
};

/* The start of the token that yajl refused. A misplaced comma or colon was already skipped as if it were
 * valid; then it is the last byte that was read. */
static size_t refused_token (const struct reader *r, bool lexical)
{
  size_t start = token_start (r);
  size_t consumed = yajl_get_bytes_consumed (r->yajl);
  char last;

  if (lexical || r->at_end || consumed == 0 || start < consumed)
    return start;
  last = r->text[consumed - 1];
  return last == ',' || last == ':' ? consumed - 1 : start;
}

/* yajl's message without its "parse error: ", full stop and newline. */
static void report_syntax (struct reader *r)
{
  unsigned char *message;
  char *what;

  if (error_is_set (r->err))
    return;
  message = yajl_get_error (r->yajl, 0, NULL, 0);
  if (message == NULL) {
    error_oom (r->err);
    return;
  }
  what = (char *) message;
  count_to (r, refused_token (r, str_has_prefix (what, "lexical")));
  what[strcspn (what, "\n")] = '\0';
  if (str_has_suffix (what, "."))
    what[strlen (what) - 1] = '\0';
  if (strstr (what, ": ") != NULL)
    what = strstr (what, ": ") + 2;
  (void) fail (r, "%s", what);
  yajl_free_error (r->yajl, message);
}

/* yajl accepts vertical tabs and form feeds as blanks. They have no place in JSON, in or outside of strings.
 * A comment may have them. */
static bool has_odd_blanks (struct reader *r)
{
  for (size_t i = 0; i < r->len && !r->limits->comments; i++)
    if (r->text[i] == '\v' || r->text[i] == '\f') {
      count_to (r, i);
      (void) fail (r, "a %s is not allowed", r->text[i] == '\v' ? "vertical tab" : "form feed");
      return true;
    }
  return false;
}

static void parse (struct reader *r)
{
  yajl_alloc_funcs memory = { allocate, resize, release, r };
  yajl_status status;

  if (setjmp (r->out_of_memory) != 0) {
    error_oom (r->err);
    return;
  }
  r->yajl = yajl_alloc (&callbacks, &memory, r);
  yajl_config (r->yajl, yajl_allow_comments, r->limits->comments ? 1 : 0);
  /* yajl accepts overlong forms and surrogates; check_text rejects them, with one message for all. */
  yajl_config (r->yajl, yajl_dont_validate_strings, 1);
  status = yajl_parse (r->yajl, (const unsigned char *) r->text, r->len);
  if (status == yajl_status_ok) {
    r->at_end = true;
    status = yajl_complete_parse (r->yajl);
  }
  if (status != yajl_status_ok)
    report_syntax (r);
  else if (r->root == NULL)
    (void) fail (r, "no JSON value found");
}

/* The reader is not on the stack: changes to local variables between setjmp and longjmp would be lost. */
static struct reader *new_reader (const char *name, const char *text, size_t len,
                                  const struct json_limits *limits, struct error *err)
{
  struct reader *r = calloc (1, sizeof (*r));

  if (r != NULL)
    *r = (struct reader){
      .name = name, .text = text, .len = len, .limits = limits, .err = err, .line = 1, .column = 1
    };
  return r;
}

int json_read (const char *name, const char *text, size_t len, const struct json_limits *limits,
               struct json_node **ret_tree, struct error *err)
{
  struct error local = { 0 };
  cleanup_free struct reader *r = NULL;
  int code;

  if (len > limits->bytes)
    return error_set (err, -EFBIG, "%s: larger than %zu bytes", name, limits->bytes);
  r = new_reader (name, text, len, limits, &local);
  if (r == NULL)
    return error_oom (err);
  if (!has_odd_blanks (r))
    parse (r);
  free_blocks (r->blocks);
  free (r->key.name);
  if (!error_is_set (&local)) {
    *ret_tree = r->root;
    return 0;
  }
  code = local.code;
  json_free (r->root);
  if (err != NULL && err->code == 0)
    *err = local;
  else
    error_clear (&local);
  return code;
}

const char *json_type_text (enum json_type type)
{
  static const char *const names[] = {
    [JSON_NULL] = "null",       [JSON_BOOL] = "true or false", [JSON_NUMBER] = "a number",
    [JSON_STRING] = "a string", [JSON_ARRAY] = "an array",     [JSON_OBJECT] = "an object",
  };

  return names[type];
}

void json_free (struct json_node *tree)
{
  if (tree == NULL)
    return;
  for (size_t i = 0; i < tree->count; i++) {
    json_free (tree->items[i]);
    if (tree->keys != NULL)
      free (tree->keys[i].name);
  }
  free (tree->items);
  free (tree->keys);
  free (tree);
}

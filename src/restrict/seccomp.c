/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two filters, of which both must hold, in the room of one.
 *
 * Read as lists of rules: a name, a condition, and whether it allows. The engine's filter stays where each of
 * its allowing rules is within the profile. Else the intersection is written, which allows what can be shown
 * to be allowed by both, and nothing more. An action that asks a tracer or a listener counts as a refusal, as
 * it is one where there is none. An errno that is none becomes EPERM.
 */
#include <config.h>

#include "restrict-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-json-write.h"
#include "base-limits.h"
#include "base-number.h"
#include "render-oci-seccomp.h"
#include "restrict-seccomp-internal.h"

/* The largest that a filter can return. */
#define ERRNO_MAX 4095u

struct rule {
  const char *name;
  struct condition condition;
  const struct json_node *entry; /* where it was read */
  bool allow;
};

struct rules {
  struct rule *items; /* sorted by name */
  size_t count;
  size_t capacity;
  bool allow; /* what has no rule */
};

static void rules_clear (struct rules *rules)
{
  free (rules->items);
}
#define cleanup_rules cleanup (rules_clear)

static bool allows (const char *action)
{
  return strcmp (action, "SCMP_ACT_ALLOW") == 0 || strcmp (action, "SCMP_ACT_LOG") == 0;
}

static int add_rule (struct meet *m, struct rules *rules, const struct rule *rule)
{
  if (rules->count >= LIMIT_SPEC_RULES)
    return error_set (m->err, -E2BIG, "config.json: seccomp: more than %zu rules", LIMIT_SPEC_RULES);
  if (rules->count >= rules->capacity) {
    size_t capacity = rules->capacity ? rules->capacity * 2 : 512;
    struct rule *items = realloc (rules->items, capacity * sizeof (*items));

    if (items == NULL)
      return error_oom (m->err);
    rules->items = items;
    rules->capacity = capacity;
  }
  rules->items[rules->count++] = *rule;
  return 0;
}

static int compare_rules (const void *a, const void *b)
{
  return strcmp (((const struct rule *) a)->name, ((const struct rule *) b)->name);
}

/* The rules for NAME: *RET_COUNT of them. */
static const struct rule *rules_of (const struct rules *rules, const char *name, size_t *ret_count)
{
  size_t low = 0, high = rules->count, end;

  while (low < high) {
    size_t middle = low + (high - low) / 2;

    if (strcmp (rules->items[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (end = low; end < rules->count && strcmp (rules->items[end].name, name) == 0;)
    end++;
  *ret_count = end - low;
  return end > low ? rules->items + low : NULL;
}

/* A rule whose condition is not clear allows nothing, or refuses always. */
static int read_entry (struct meet *m, struct json_node *entry, struct rules *rules)
{
  struct json_node *names = NULL;
  struct rule rule = { 0 };
  const char *action = NULL;
  bool clear = true;
  int r = restrict_find_text (m, entry, "action", &action);

  if (r == 0)
    r = restrict_find (m, entry, "names", JSON_ARRAY, &names);
  if (r == 0 && (names == NULL || action == NULL))
    r = error_set (m->err, -EINVAL, "config.json: seccomp: a rule without names or action");
  if (r == 0)
    r = restrict_items (m, names, "names", JSON_STRING);
  if (r == 0)
    r = condition_read (entry, &rule.condition, &clear, m->err);
  if (r < 0)
    return r;
  rule.entry = entry;
  rule.allow = allows (action);
  if (!clear && rule.allow)
    return 0;
  if (!clear)
    rule.condition.count = 0;
  for (size_t i = 0; r == 0 && i < names->count; i++) {
    rule.name = names->items[i]->text;
    r = add_rule (m, rules, &rule);
  }
  return r;
}

static int read_rules (struct meet *m, struct json_node *filter, struct rules *rules)
{
  struct json_node *entries = NULL;
  const char *action = NULL;
  int r = restrict_find_text (m, filter, "defaultAction", &action);

  if (r == 0 && action == NULL)
    r = error_set (m->err, -EINVAL, "config.json: seccomp: there is no defaultAction");
  if (r == 0)
    r = restrict_find (m, filter, "syscalls", JSON_ARRAY, &entries);
  if (r == 0 && entries != NULL)
    r = restrict_items (m, entries, "syscalls", JSON_OBJECT);
  if (r < 0)
    return r;
  rules->allow = allows (action);
  for (size_t i = 0; r == 0 && entries != NULL && i < entries->count; i++)
    r = read_entry (m, entries->items[i], rules);
  if (r == 0 && rules->count > 0)
    qsort (rules->items, rules->count, sizeof (*rules->items), compare_rules);
  return r;
}

/* Nothing that refuses NAME may hold together with CONDITION. */
static bool is_refused (const struct rules *rules, const char *name, const struct condition *condition)
{
  size_t count;
  const struct rule *own = rules_of (rules, name, &count);

  for (size_t i = 0; i < count; i++)
    if (!own[i].allow && !condition_disjoint (&own[i].condition, condition))
      return true;
  return false;
}

static bool is_allowed (const struct rules *rules, const struct rule *asked)
{
  size_t count;
  const struct rule *own = rules_of (rules, asked->name, &count);

  for (size_t i = 0; i < count; i++)
    if (own[i].allow && condition_implies (&asked->condition, &own[i].condition))
      return !is_refused (rules, asked->name, &asked->condition);
  return false;
}

static const char *text_at (const struct json_node *object, const char *key)
{
  const struct json_node *node = json_get (object, key);

  return node != NULL && node->type == JSON_STRING ? node->text : "";
}

/* The errno under KEY of OBJECT, or NULL. With errno 0 a refused call would seem to succeed; above 4095 the
 * kernel cuts it off. */
static const struct json_node *errno_at (const struct json_node *object, const char *key)
{
  const struct json_node *node = json_get (object, key);
  uint64_t number = 0;

  return node != NULL && node->type == JSON_NUMBER && number_parse (node->text, ERRNO_MAX, &number)
                 && number > 0
             ? node
             : NULL;
}

/* ACTION does what it says without a tracer or a listener, and its errno under KEY is one. */
static bool is_plain_action (const struct json_node *object, const char *action, const char *key)
{
  const struct json_node *errnum = json_get (object, key);

  if (strcmp (action, "SCMP_ACT_TRACE") == 0 || strcmp (action, "SCMP_ACT_NOTIFY") == 0)
    return false;
  return errnum == NULL || errnum->type == JSON_NULL || errno_at (object, key) != NULL;
}

static bool are_plain_actions (const struct json_node *filter)
{
  const struct json_node *entries = json_get (filter, "syscalls");
  bool plain = is_plain_action (filter, text_at (filter, "defaultAction"), "defaultErrnoRet");

  for (size_t i = 0; plain && entries != NULL && i < entries->count; i++)
    plain = is_plain_action (entries->items[i], text_at (entries->items[i], "action"), "errnoRet");
  return plain;
}

/* One architecture, which is ours; no listener, tracer or errno that is none; no flag that disables a
 * mitigation. */
static bool is_plain (const struct json_node *asked, const struct json_node *ours)
{
  const struct json_node *archs = json_get (asked, "architectures"), *own = json_get (ours, "architectures");
  const struct json_node *flags = json_get (asked, "flags"), *listener = json_get (asked, "listenerPath");

  if (!are_plain_actions (asked))
    return false;
  if (archs == NULL || archs->type != JSON_ARRAY || archs->count != 1 || archs->items[0]->type != JSON_STRING
      || !texts_have (own, archs->items[0]->text))
    return false;
  if (listener != NULL && (listener->type != JSON_STRING || listener->text[0] != '\0'))
    return false;
  return flags == NULL || flags->type != JSON_ARRAY || !texts_have (flags, "SECCOMP_FILTER_FLAG_SPEC_ALLOW");
}

static bool is_within (const struct rules *asked, const struct rules *ours)
{
  if (asked->allow)
    return false;
  for (size_t i = 0; i < asked->count; i++)
    if (asked->items[i].allow && !is_allowed (ours, &asked->items[i]))
      return false;
  return true;
}

/* The condition under which OURS and THEIRS both allow; false where none can be shown. */
static bool intersect (const struct condition *ours, const struct condition *theirs,
                       struct condition *ret_both)
{
  if (condition_implies (ours, theirs))
    *ret_both = *ours;
  else if (condition_implies (theirs, ours))
    *ret_both = *theirs;
  else
    return condition_join (ours, theirs, ret_both);
  return true;
}

/* Intersects one allowing rule of the profile with the engine's rules for the same call. */
static int restrict_rule (struct meet *m, const struct rule *own, const struct rules *asked,
                          struct rules *met)
{
  struct rule rule = { .name = own->name, .allow = true, .condition = own->condition };
  size_t count;
  const struct rule *theirs = rules_of (asked, own->name, &count);
  int r = 0;

  if (asked->allow)
    return is_refused (asked, own->name, &own->condition) ? 0 : add_rule (m, met, &rule);
  for (size_t i = 0; r == 0 && i < count; i++)
    if (theirs[i].allow && intersect (&own->condition, &theirs[i].condition, &rule.condition)
        && !is_refused (asked, own->name, &rule.condition) && !is_allowed (met, &rule))
      r = add_rule (m, met, &rule);
  return r;
}

static void write_rule (struct meet *m, struct json_node *entries, const struct rule *rules, size_t count)
{
  struct json_node *entry = json_new (JSON_OBJECT), *names = json_new (JSON_ARRAY);

  restrict_append (m, entries, entry);
  if (m->failed || names == NULL) {
    json_free (names);
    m->failed = true;
    return;
  }
  for (size_t i = 0; i < count; i++)
    restrict_append_text (m, names, rules[i].name);
  restrict_set (m, entry, "names", names);
  restrict_set (m, entry, "action", json_new_text (JSON_STRING, "SCMP_ACT_ALLOW"));
  if (rules[0].condition.count > 0)
    restrict_set (m, entry, "args", condition_write (&rules[0].condition));
}

/* The profile's rules that refuse keep their errno; those that allow are written anew, plain ones together.
 * The old ones go last, as their names are what the new ones are made of. */
static void write_rules (struct meet *m, struct json_node *filter, const struct rules *met)
{
  struct json_node *entries = json_edit (filter, "syscalls");
  cleanup_rules struct rules plain = { 0 };
  size_t old = entries->count;

  for (size_t i = 0; i < met->count; i++)
    if (met->items[i].condition.count > 0)
      write_rule (m, entries, &met->items[i], 1);
    else if (add_rule (m, &plain, &met->items[i]) < 0)
      m->failed = true;
  if (plain.count > 0)
    write_rule (m, entries, plain.items, plain.count);
  for (size_t i = 0; i < old;)
    if (allows (json_get (entries->items[i], "action")->text)) {
      json_remove_at (entries, i);
      old--;
    } else
      i++;
}

static bool ends_process (const char *action)
{
  static const char *const actions[] = { "SCMP_ACT_KILL", "SCMP_ACT_KILL_THREAD", "SCMP_ACT_KILL_PROCESS",
                                         "SCMP_ACT_TRAP" };

  for (size_t i = 0; i < ARRAY_LEN (actions); i++)
    if (strcmp (actions[i], action) == 0)
      return true;
  return false;
}

/* Writes that NAME is refused as ACTION says; without ERRNUM it is EPERM. libseccomp refuses a rule that says
 * what the default says. */
static void write_answer (struct meet *m, struct json_node *filter, const struct rule *rule,
                          const char *action, const struct json_node *errnum)
{
  const struct json_node *own = json_get (filter, "defaultErrnoRet");
  bool is_errno = strcmp (action, "SCMP_ACT_ERRNO") == 0;
  struct json_node *entries = json_edit (filter, "syscalls");
  size_t before = entries->count;

  if (!is_errno && !ends_process (action))
    return;
  if (is_errno && errnum != NULL && own != NULL && strcmp (errnum->text, own->text) == 0)
    return;
  write_rule (m, entries, rule, 1);
  if (m->failed || entries->count == before)
    return;
  restrict_set (m, entries->items[before], "action", json_new_text (JSON_STRING, action));
  if (is_errno && errnum != NULL)
    restrict_set (m, entries->items[before], "errnoRet", json_clone (errnum));
}

/* Of a call that we allow and the engine refuses, the engine's answer stays: its errno, or the end of the
 * process. Where both refuse it is ours; and where the engine's filter has no rule for the call, its default
 * counts only if it ends the process: EPERM for an unknown call breaks the C library's fallbacks. */
static void write_answers (struct meet *m, struct json_node *filter, const struct json_node *theirs,
                           const struct rules *own, const struct rules *asked)
{
  const char *otherwise = text_at (theirs, "defaultAction");

  for (size_t i = 0; i < own->count && !m->failed; i++) {
    struct rule plain = { .name = own->items[i].name };
    bool first = i == 0 || strcmp (own->items[i - 1].name, plain.name) != 0;
    size_t count;
    const struct rule *rules = rules_of (asked, plain.name, &count);

    if (!first || is_refused (own, plain.name, &plain.condition))
      continue;
    if (count == 0 && ends_process (otherwise))
      write_answer (m, filter, &plain, otherwise, NULL);
    for (size_t k = 0; k < count; k++)
      if (!rules[k].allow)
        write_answer (m, filter, &rules[k], text_at (rules[k].entry, "action"),
                      errno_at (rules[k].entry, "errnoRet"));
  }
}

/* Calls that the engine's listener would decide are refused. */
static void note_listener (struct meet *m, const struct json_node *theirs)
{
  const char *listener = text_at (theirs, "listenerPath");

  if (listener[0] != '\0')
    restrict_note (m, CONTROL_SECCOMP,
                   "the listener '%s' is not connected, and calls that it would decide are refused",
                   listener);
}

static int our_filter (struct meet *m, struct json_node **ret_filter)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_free char *text = NULL;
  int r;

  oci_seccomp_write (&w, NULL, m->policy->filter, false);
  r = json_finish (&w, &text, m->err);
  return r < 0 ? r : spec_read ("filter", text, strlen (text), ret_filter, m->err);
}

int restrict_seccomp (struct meet *m, struct json_node *linux_)
{
  cleanup_json struct json_node *ours = NULL;
  cleanup_rules struct rules own = { 0 }, asked = { 0 }, met = { 0 };
  struct json_node *theirs = NULL;
  bool within;
  int r = restrict_find (m, linux_, "seccomp", JSON_OBJECT, &theirs);

  if (r == 0)
    r = our_filter (m, &ours);
  if (r < 0)
    return r;
  if (theirs == NULL) {
    restrict_set (m, linux_, "seccomp", take_ptr (ours));
    restrict_note (m, CONTROL_SECCOMP, "there was no filter");
    return 0;
  }
  r = read_rules (m, ours, &own);
  if (r == 0)
    r = read_rules (m, theirs, &asked);
  within = r == 0 && is_within (&asked, &own);
  if (r < 0 || (within && is_plain (theirs, ours)))
    return r;
  for (size_t i = 0; r == 0 && i < own.count; i++)
    if (own.items[i].allow)
      r = restrict_rule (m, &own.items[i], &asked, &met);
  if (r < 0)
    return r;
  write_answers (m, ours, theirs, &own, &asked);
  write_rules (m, ours, &met);
  note_listener (m, theirs);
  restrict_set (m, linux_, "seccomp", take_ptr (ours));
  restrict_note (
      m, CONTROL_SECCOMP,
      within ? "the engine's filter is replaced: it has other architectures, a tracer or listener, or "
               "an errno that is not from 1 to 4095"
             : "the engine's filter allows more than the profile's");
  return 0;
}

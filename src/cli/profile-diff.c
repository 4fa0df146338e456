/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile diff: compares two profiles setting by setting, each as tighter or looser. */
#include <config.h>

#include "base-json-write.h"
#include "cli-verbs.h"
#include "control-lattice.h"
#include "options-table.h"
#include "session-context.h"

#define RELATIONS (RELATION_UNRELATED + 1)

struct difference {
  enum setting setting;
  enum relation relation; /* of B to A */
  char *a, *b;
};

struct differences {
  struct difference items[SETTING_COUNT];
  size_t count;
  size_t counts[RELATIONS];
};

static void differences_clear (struct differences *differences)
{
  for (size_t i = 0; i < differences->count; i++) {
    free (differences->items[i].a);
    free (differences->items[i].b);
  }
}

static int compare (const struct profile *a, const struct profile *b, struct differences *differences,
                    struct error *err)
{
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    const struct value *before = &a->settings.values[s], *after = &b->settings.values[s];
    struct difference *d = &differences->items[differences->count];
    enum relation relation = value_compare (s, before, after);

    differences->counts[relation]++;
    /* Unset and lifted are equally strict: neither restricts anything. */
    if (relation == RELATION_EQUAL)
      continue;
    *d = (struct difference){ s, relation, value_text (s, before), value_text (s, after) };
    differences->count++;
    if (d->a == NULL || d->b == NULL)
      return error_oom (err);
  }
  return 0;
}

static const char *control_name (enum setting setting)
{
  enum control control = control_of_setting (setting);

  return control < CONTROL_COUNT ? control_info (control)->name : NULL;
}

static enum tone relation_tone (enum relation relation)
{
  static const enum tone tones[RELATIONS] = { TONE_PLAIN, TONE_GOOD, TONE_BAD, TONE_WARN };

  return tones[relation];
}

static int print_text (const struct profile *a, const struct profile *b,
                       const struct differences *differences, struct output *output, struct error *err)
{
  const char *heading[] = { "setting", a->name, b->name, "step", "control" };
  /* All columns but the values are names, which users copy. */
  cleanup_table struct table table = { .columns = ARRAY_LEN (heading), .keep = 1u << 0 | 1u << 3 | 1u << 4 };
  int r;

  for (size_t i = 0; i < ARRAY_LEN (heading); i++)
    table_add_tone (&table, heading[i], TONE_BOLD);
  for (size_t i = 0; i < differences->count; i++) {
    const struct difference *d = &differences->items[i];
    const char *control = control_name (d->setting);

    table_add (&table, setting_info (d->setting)->key);
    table_add (&table, d->a);
    table_add (&table, d->b);
    table_add_tone (&table, relation_text (d->relation), relation_tone (d->relation));
    table_add (&table, control ? control : "(all)");
  }
  r = differences->count ? table_print (&table, output, err) : 0;
  if (r < 0)
    return r;
  strbuf_addf (&output->out, "%s%zu tighter, %zu looser, %zu not comparable, %zu equal\n",
               differences->count ? "\n" : "", differences->counts[RELATION_TIGHTER],
               differences->counts[RELATION_LOOSER], differences->counts[RELATION_UNRELATED],
               differences->counts[RELATION_EQUAL]);
  return 0;
}

static int print_json (const struct profile *a, const struct profile *b,
                       const struct differences *differences, struct output *output, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };

  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/diff/1");
  json_string (&w, "a", a->name);
  json_string (&w, "b", b->name);
  json_array_begin (&w, "settings");
  for (size_t i = 0; i < differences->count; i++) {
    const struct difference *d = &differences->items[i];

    json_object_begin (&w, NULL);
    json_string (&w, "key", setting_info (d->setting)->key);
    json_string (&w, "control", control_name (d->setting));
    json_string (&w, "a", d->a);
    json_string (&w, "b", d->b);
    json_string (&w, "step", relation_text (d->relation));
    json_object_end (&w);
  }
  json_array_end (&w);
  json_object_begin (&w, "counts");
  for (enum relation relation = 0; relation < RELATIONS; relation++)
    json_number (&w, relation_text (relation), differences->counts[relation]);
  json_object_end (&w);
  json_object_end (&w);
  return json_finish_into (&w, &output->out, err);
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_context struct context context = { 0 };
  cleanup_profile struct profile *a = NULL, *b = NULL;
  cleanup (differences_clear) struct differences differences = { 0 };
  int r = context_open_store (&context, err);

  if (r == 0)
    r = profile_load (&context.store, arguments->operands.items[0], &a, err);
  if (r == 0)
    r = profile_load (&context.store, arguments->operands.items[1], &b, err);
  if (r == 0)
    r = compare (a, b, &differences, err);
  if (r < 0)
    return r;
  if (arguments_have (arguments, OPTION_JSON))
    return print_json (a, b, &differences, output, err);
  return print_text (a, b, &differences, output, err);
}

static const enum option options[] = { OPTION_JSON, OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci profile diff baseline hardened", "what the step to 'hardened' changes" },
  { NULL, NULL },
};

const struct verb verb_profile_diff = {
  .path = "profile diff",
  .summary = "compare two profiles, setting by setting",
  .description =
      "Prints one line for each setting in which the resolved profiles differ in strictness: both values, "
      "whether "
      "the step from A to B is tighter, looser or not comparable, and the control that the setting decides.",
  .operands = "A B",
  .min = 2,
  .max = 2,
  .complete = COMPLETE_PROFILE,
  .options = options,
  .examples = examples,
  .run = run,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* matrix: controls against backends, and the reason for every cell that is not enforced. */
#include <config.h>

#include "options-enforcement.h"
#include "doctor-observed.h"
#include "cli-verbs.h"
#include "options-table.h"

/* Adds "a, b and c" for the backends in MASK; "every backend" for all of them. */
static void add_backends (struct strbuf *buf, unsigned mask)
{
  bool first = true, every = true;

  for (size_t b = 0; backends[b] != NULL; b++)
    every = every && (mask & (1u << b)) != 0;
  if (every) {
    strbuf_add (buf, "every backend");
    return;
  }
  for (size_t b = 0; backends[b] != NULL; b++)
    if (mask & (1u << b)) {
      strbuf_addf (buf, "%s%s", first ? "" : ", ", backends[b]->name);
      first = false;
    }
}

/* One line for ENFORCEMENT, which applies to the backends in MASK. WHAT is a
 * control, perhaps with a value. */
static void add_reason (struct output *output, const char *what, unsigned mask,
                        const struct enforcement *enforcement)
{
  cleanup_strbuf struct strbuf line = { 0 };

  strbuf_addf (&line, "%s: %s on ", what, enforcement_cell (enforcement, false));
  add_backends (&line, mask);
  strbuf_addf (&line, ": %s", enforcement->reason);
  output->out.failed = output->out.failed || line.failed;
  if (line.failed)
    return;
  strbuf_add (&output->out, "  ");
  text_wrap (&output->out, line.text, 2, 6, output->width);
}

/* Backends with the same enforcement of a control share a line. */
static void add_reasons (enum control control, struct output *output)
{
  unsigned done = 0;

  for (size_t b = 0; backends[b] != NULL; b++) {
    struct enforcement enforcement = enforcement_of (control, backends[b]);
    unsigned mask = 0;

    if ((done & (1u << b)) || enforcement.level == ENFORCEMENT_ENFORCED)
      continue;
    for (size_t other = b; backends[other] != NULL; other++) {
      struct enforcement same = enforcement_of (control, backends[other]);

      if (enforcement_equal (&enforcement, &same))
        mask |= 1u << other;
    }
    done |= mask;
    add_reason (output, control_info (control)->name, mask, &enforcement);
  }
}

static void add_value_notes (struct output *output)
{
  struct enforcement_note note;

  for (size_t i = 0; enforcement_note_at (i, &note); i++) {
    cleanup_free char *what = str_format ("%s '%s'", control_info (note.control)->name, note.value);

    if (what == NULL)
      output->out.failed = true;
    else
      add_reason (output, what, note.backends, &note.enforcement);
  }
}

static void add_differences (struct output *output)
{
  struct backend_difference difference;
  unsigned mask;

  for (size_t i = 0; backend_difference_at (i, &difference, &mask); i++) {
    cleanup_strbuf struct strbuf line = { 0 };

    strbuf_addf (&line, "%s on ", difference.name);
    add_backends (&line, mask);
    strbuf_addf (&line, ": %s", difference.reason);
    output->out.failed = output->out.failed || line.failed;
    if (line.failed)
      return;
    strbuf_add (&output->out, "  ");
    text_wrap (&output->out, line.text, 2, 6, output->width);
  }
}

static void fill_table (struct table *table, bool brief)
{
  _Static_assert(1 + BACKEND_MAX <= TABLE_COLUMNS, "a column for each backend");
  *table = (struct table){ .columns = 1, .gap = brief ? 1 : 2 };
  table_add_tone (table, "control", TONE_BOLD);
  for (size_t b = 0; backends[b] != NULL; b++, table->columns++)
    table_add_tone (table, backends[b]->name, TONE_BOLD);
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    table_add (table, control_info (c)->name);
    for (size_t b = 0; backends[b] != NULL; b++) {
      struct enforcement enforcement = enforcement_of (c, backends[b]);

      table_add_tone (table, enforcement_cell (&enforcement, brief), enforcement_tone (enforcement.level));
    }
  }
}

static int print_text (struct output *output, struct error *err)
{
  cleanup_table struct table table = { 0 };
  bool brief;
  int r;

  fill_table (&table, false);
  brief = table_width (&table) > output->width;
  if (brief) {
    table_clear (&table);
    fill_table (&table, true);
  }
  r = table_print (&table, output, err);
  if (r < 0)
    return r;
  strbuf_add (&output->out, "\n");
  text_wrap (
      &output->out,
      "enforced: the backend keeps the promise. weaker: it keeps part of it. impossible: it cannot, and a "
      "plan that requires it is refused. A question mark: declared, but not yet observed on a running "
      "container.",
      0, 0, output->width);
  if (brief)
    strbuf_add (&output->out, "Abbreviated to fit: enf, weak, imp.\n");
  strbuf_add (&output->out, "\nReasons\n");
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    add_reasons (c, output);
  strbuf_add (&output->out, "\nValues that are enforced differently\n");
  add_value_notes (output);
  strbuf_add (&output->out, "\nWhat else is different\n");
  add_differences (output);
  return 0;
}

static void write_backends (struct json_writer *w, unsigned mask)
{
  json_array_begin (w, "backends");
  for (size_t b = 0; backends[b] != NULL; b++)
    if (mask & (1u << b))
      json_string (w, NULL, backends[b]->name);
  json_array_end (w);
}

static void write_differences (struct json_writer *w)
{
  struct backend_difference difference;
  unsigned mask;

  json_array_begin (w, "differences");
  for (size_t i = 0; backend_difference_at (i, &difference, &mask); i++) {
    json_object_begin (w, NULL);
    json_string (w, "name", difference.name);
    write_backends (w, mask);
    json_string (w, "reason", difference.reason);
    json_object_end (w);
  }
  json_array_end (w);
}

static void write_notes (struct json_writer *w)
{
  struct enforcement_note note;

  json_array_begin (w, "values");
  for (size_t i = 0; enforcement_note_at (i, &note); i++) {
    json_object_begin (w, NULL);
    json_string (w, "control", control_info (note.control)->name);
    json_string (w, "value", note.value);
    write_backends (w, note.backends);
    enforcement_write (w, "enforcement", &note.enforcement);
    json_object_end (w);
  }
  json_array_end (w);
}

static int print_json (struct output *output, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };

  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/matrix/1");
  json_array_begin (&w, "controls");
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    json_object_begin (&w, NULL);
    json_string (&w, "name", control_info (c)->name);
    json_string (&w, "promise", control_info (c)->promise);
    json_object_begin (&w, "backends");
    for (size_t b = 0; backends[b] != NULL; b++) {
      struct enforcement enforcement = enforcement_of (c, backends[b]);

      enforcement_write (&w, backends[b]->name, &enforcement);
    }
    json_object_end (&w);
    json_object_end (&w);
  }
  json_array_end (&w);
  write_notes (&w);
  write_differences (&w);
  json_object_end (&w);
  return json_finish_into (&w, &output->out, err);
}

/* ---- What was observed. */

static void write_cell (struct json_writer *w, const struct observed *observed, enum control c, size_t b)
{
  struct enforcement declared = enforcement_of (c, backends[b]);

  json_object_begin (w, backends[b]->name);
  enforcement_write (w, "declared", &declared);
  json_string (w, "observed", observed_text (observed, c, b));
  json_string (w, "evidence", observed->backends[b].cells[c].evidence);
  json_bool (w, "wrong", observed_is_wrong (observed, c, b));
  json_object_end (w);
}

static int print_observed_json (const struct observed *observed, struct output *output, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };

  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/matrix-observed/1");
  json_string (&w, "kernel", observed->kernel);
  json_object_begin (&w, "backends");
  for (size_t b = 0; backends[b] != NULL; b++) {
    json_object_begin (&w, backends[b]->name);
    json_string (&w, "version", observed->backends[b].version);
    json_string (&w, "absent", observed->backends[b].absent);
    json_string (&w, "apart", observed->backends[b].apart);
    json_object_end (&w);
  }
  json_object_end (&w);
  json_array_begin (&w, "controls");
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    json_object_begin (&w, NULL);
    json_string (&w, "name", control_info (c)->name);
    json_object_begin (&w, "backends");
    for (size_t b = 0; backends[b] != NULL; b++)
      if (observed_was_here (observed, b))
        write_cell (&w, observed, c, b);
    json_object_end (&w);
    json_object_end (&w);
  }
  json_array_end (&w);
  json_object_end (&w);
  return json_finish_into (&w, &output->out, err);
}

static void add_apart (const struct observed_backend *backend, struct output *output)
{
  cleanup_free char *text = NULL;

  if (backend->apart == NULL || backend->absent != NULL)
    return;
  text =
      str_format ("a read-only root and a user namespace were observed in separate runs: %s", backend->apart);
  strbuf_add (&output->out, "    ");
  if (text == NULL)
    output->out.failed = true;
  else
    text_wrap (&output->out, text, 4, 4, output->width);
}

static void add_absent (const struct observed *observed, struct output *output)
{
  for (size_t b = 0; backends[b] != NULL; b++) {
    const struct observed_backend *backend = &observed->backends[b];
    cleanup_strbuf struct strbuf line = { 0 };

    strbuf_addf (&line, "%s: %s", backends[b]->name, backend->absent ? backend->absent : backend->version);
    if (line.failed)
      output->out.failed = true;
    else
      text_wrap (&output->out, line.text, 0, 4, output->width);
    add_apart (backend, output);
  }
}

static void add_wrong (const struct observed *observed, struct output *output)
{
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    for (size_t b = 0; backends[b] != NULL; b++)
      if (observed_is_wrong (observed, c, b)) {
        strbuf_addf (&output->out,
                     "%s on %s is declared enforced, but was not verified: ", control_info (c)->name,
                     backends[b]->name);
        text_clean (&output->out, observed->backends[b].cells[c].evidence);
        strbuf_add (&output->out, "\n");
      }
}

static int print_observed_text (const struct observed *observed, struct output *output, struct error *err)
{
  cleanup_table struct table table = { .columns = 1 };
  int r;

  table_add_tone (&table, "control", TONE_BOLD);
  for (size_t b = 0; backends[b] != NULL; b++)
    if (observed_was_here (observed, b)) {
      table_add_tone (&table, backends[b]->name, TONE_BOLD);
      table.columns++;
    }
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    table_add (&table, control_info (c)->name);
    for (size_t b = 0; backends[b] != NULL; b++)
      if (observed_was_here (observed, b))
        table_add_tone (&table, observed_text (observed, c, b),
                        observed_is_wrong (observed, c, b)
                            ? TONE_BAD
                            : enforcement_tone (enforcement_of (c, backends[b]).level));
  }
  r = table_print (&table, output, err);
  if (r < 0)
    return r;
  strbuf_add (&output->out, "\n");
  text_wrap (&output->out,
             "verified: declared enforced, and observed on a run just now. not on this host: the backend "
             "could, the host cannot. weaker, impossible: declared so, and never called verified.",
             0, 0, output->width);
  strbuf_add (&output->out, "\n");
  add_absent (observed, output);
  add_wrong (observed, output);
  return 0;
}

static int observe (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_observed struct observed observed = { 0 };
  int r = observed_look (arguments->process, arguments_text (arguments, OPTION_IMAGE), &observed, err);

  if (r < 0)
    return r;
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    for (size_t b = 0; backends[b] != NULL; b++)
      if (observed_is_wrong (&observed, c, b) || observed_has_failed (&observed, b))
        output->status = 1;
  if (arguments_have (arguments, OPTION_MARKDOWN)) {
    observed_page (&observed, &output->out);
    return 0;
  }
  return arguments_have (arguments, OPTION_JSON) ? print_observed_json (&observed, output, err)
                                                 : print_observed_text (&observed, output, err);
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  bool page = arguments_have (arguments, OPTION_MARKDOWN);

  if (page && (!arguments_have (arguments, OPTION_OBSERVE) || arguments_have (arguments, OPTION_JSON)))
    return error_set (err, CLI_USAGE, "--markdown needs --observe and excludes --json");
  if (arguments_have (arguments, OPTION_OBSERVE))
    return observe (arguments, output, err);
  return arguments_have (arguments, OPTION_JSON) ? print_json (output, err) : print_text (output, err);
}

static const enum option options[] = { OPTION_OBSERVE, OPTION_IMAGE, OPTION_MARKDOWN, OPTION_JSON,
                                       OPTION_COUNT };

const struct verb verb_matrix = {
  .path = "matrix",
  .summary = "show which backend can enforce which control, and why not",
  .description =
      "Prints every control against every backend: enforced, weaker or impossible, with the reason for "
      "each cell that is not enforced, the values of a control that are enforced differently, and other "
      "differences between backends. A question mark means declared but not yet observed on a running "
      "container.\n\n"
      "With --observe a command is run on every available backend (on engines only with --image, which "
      "names the image to start), under a profile that promises every control, and the observations are "
      "printed. The exit status is 1 if a cell is declared enforced and was not verified, unless the "
      "host lacks what it needs.",
  .options = options,
  .run = run,
};

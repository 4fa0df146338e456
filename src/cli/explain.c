/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* explain: every control of a profile, its value and origin, how the backend enforces
 * it, and how it is observed. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "options-enforcement.h"
#include "cli-verbs.h"
#include "options-session.h"

/* Everything that is shown. Without a plan there is a refusal instead. */
struct explanation {
  const struct context *context;
  const struct plan *plan; /* NULL when refused */
  const char *refusal;
  struct settings settings;
  char digest[PROFILE_DIGEST_SIZE];
};

static struct enforcement enforcement_in (const struct explanation *e, enum control control)
{
  if (e->plan != NULL)
    return e->plan->controls[control].enforcement;
  return enforcement_through (control, e->context->request.backend, e->context->request.below, &e->settings);
}

/* Adds "LABEL TEXT", with TEXT wrapped in its own column. */
static void add_line (struct output *output, const char *label, const char *text)
{
  cleanup_strbuf struct strbuf clean = { 0 };

  text_clean (&clean, text);
  output->out.failed = output->out.failed || clean.failed;
  if (clean.failed)
    return;
  strbuf_addf (&output->out, "    %-10s", label);
  text_wrap (&output->out, clean.text ? clean.text : "", 14, 14, output->width);
}

/* "network.mode: ci.json:14; network.allow: ci.json:15": the origin of the setting that decides, and of
 * the others that were set explicitly. */
static int add_origins (const struct explanation *e, enum control control, struct output *output,
                        struct error *err)
{
  const enum setting *setting = control_info (control)->settings;
  cleanup_strbuf struct strbuf text = { 0 };

  if (*setting == SETTING_COUNT)
    strbuf_add (&text, "always, independent of the profile");
  for (; *setting != SETTING_COUNT; setting++) {
    const struct origin *of = &e->settings.values[*setting].origin;
    cleanup_free char *origin = NULL;

    if (of->file == NULL && setting != control_info (control)->settings)
      continue;
    origin = origin_text (of);
    if (origin == NULL)
      return error_oom (err);
    strbuf_addf (&text, "%s%s: %s", text.len ? "; " : "", setting_info (*setting)->key, origin);
  }
  if (text.failed)
    return error_oom (err);
  add_line (output, "from", text.text);
  return 0;
}

static int add_enforcement (const struct explanation *e, enum control control, struct output *output,
                            struct error *err)
{
  struct enforcement enforcement = enforcement_in (e, control);
  cleanup_free char *text =
      str_format ("%s on %s: %s (%s)", enforcement_text (enforcement.level),
                  e->context->request.backend->name, enforcement.reason, basis_text (enforcement.basis));

  if (text == NULL)
    return error_oom (err);
  add_line (output, "enforced", text);
  return 0;
}

static int add_control (const struct explanation *e, enum control control, struct output *output,
                        struct error *err)
{
  const struct control_info *info = control_info (control);
  cleanup_free char *value = control_value_text (control, &e->settings);
  struct enforcement enforcement = enforcement_in (e, control);
  enum tone tone =
      control_is_promised (control, &e->settings) ? enforcement_tone (enforcement.level) : TONE_BOLD;
  const char *required = "";
  int r;

  if (value == NULL)
    return error_oom (err);
  if (control_is_promised (control, &e->settings))
    required = control_is_required (control, &e->settings) ? " (required)" : " (not required)";
  strbuf_add (&output->out, "\n");
  text_tone (&output->out, info->name, strlen (info->name), tone, output->colour);
  strbuf_addf (&output->out, "%s\n", required);
  add_line (output, "value", value);
  add_line (output, "promise", info->promise);
  r = add_origins (e, control, output, err);
  if (r == 0)
    r = add_enforcement (e, control, output, err);
  if (r == 0)
    add_line (output, "observed", info->observed);
  return r;
}

static int add_profile (const struct explanation *e, struct output *output, struct error *err)
{
  const struct context *context = e->context;
  const struct profile *profile = context->profile;
  enum profile_place place = profile_place_of (&context->store, profile);
  cleanup_free char *file = str_format ("%s (%s, %s)", profile->file, profile_place_text (place),
                                        profile->trusted ? "trusted" : "not trusted: it may only tighten");

  if (file == NULL)
    return error_oom (err);
  text_tone (&output->out, profile->name, strlen (profile->name), TONE_BOLD, output->colour);
  strbuf_add (&output->out, "\n");
  add_line (output, "meaning", profile->meaning ? profile->meaning : "(none given)");
  add_line (output, "file", file);
  add_line (output, "digest", e->digest);
  add_line (output, "ceiling", context->ceiling->file ? context->ceiling->file : "(none)");
  add_line (output, "backend", context->request.backend->name);
  return 0;
}

static void add_plan (const struct explanation *e, struct output *output)
{
  const char *title = e->context->described ? "Plan on the described host" : "Plan on this host";

  strbuf_add (&output->out, "\n");
  text_tone (&output->out, title, strlen (title), TONE_BOLD, output->colour);
  strbuf_add (&output->out, "\n");
  if (e->plan == NULL) {
    add_line (output, "refused", e->refusal);
    return;
  }
  add_line (output, "possible", e->plan->notes.count ? "with these notes" : "with nothing left out");
  for (size_t i = 0; i < e->plan->notes.count; i++)
    add_line (output, "note", e->plan->notes.items[i]);
}

static int print_text (const struct explanation *e, struct output *output, struct error *err)
{
  int r = add_profile (e, output, err);

  for (enum control c = 0; r == 0 && c < CONTROL_COUNT; c++)
    r = add_control (e, c, output, err);
  if (r == 0)
    add_plan (e, output);
  return r;
}

static int write_settings (struct json_writer *w, const struct explanation *e, enum control control,
                           struct error *err)
{
  json_array_begin (w, "settings");
  for (const enum setting *s = control_info (control)->settings; *s != SETTING_COUNT; s++) {
    const struct value *value = &e->settings.values[*s];
    cleanup_free char *text = value_text (*s, value);
    cleanup_free char *origin = origin_text (&value->origin);

    if (text == NULL || origin == NULL)
      return error_oom (err);
    json_object_begin (w, NULL);
    json_string (w, "key", setting_info (*s)->key);
    json_string (w, "value", text);
    json_string (w, "origin", origin);
    json_string (w, "file", value->origin.file);
    json_number (w, "line", value->origin.line);
    json_object_end (w);
  }
  json_array_end (w);
  return 0;
}

static int write_control (struct json_writer *w, const struct explanation *e, enum control control,
                          struct error *err)
{
  const struct control_info *info = control_info (control);
  cleanup_free char *value = control_value_text (control, &e->settings);
  struct enforcement enforcement = enforcement_in (e, control);
  int r;

  if (value == NULL)
    return error_oom (err);
  json_object_begin (w, NULL);
  json_string (w, "name", info->name);
  json_bool (w, "promised", control_is_promised (control, &e->settings));
  json_bool (w, "required", control_is_required (control, &e->settings));
  json_string (w, "value", value);
  r = write_settings (w, e, control, err);
  json_string (w, "promise", info->promise);
  enforcement_write (w, "enforcement", &enforcement);
  json_string (w, "observed", info->observed);
  json_object_end (w);
  return r;
}

static void write_plan (struct json_writer *w, const struct explanation *e)
{
  static const struct strlist none = { 0 };

  json_object_begin (w, "plan");
  json_bool (w, "possible", e->plan != NULL);
  json_string (w, "refusal", e->refusal);
  json_strings (w, "notes", e->plan ? &e->plan->notes : &none);
  json_object_end (w);
}

static int print_json (const struct explanation *e, struct output *output, struct error *err)
{
  const struct context *context = e->context;
  const struct profile *profile = context->profile;
  cleanup_json_writer struct json_writer w = { .pretty = true };
  int r = 0;

  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/explain/1");
  json_object_begin (&w, "profile");
  json_string (&w, "name", profile->name);
  json_string (&w, "meaning", profile->meaning);
  json_string (&w, "file", profile->file);
  json_string (&w, "place", profile_place_text (profile_place_of (&context->store, profile)));
  json_bool (&w, "trusted", profile->trusted);
  json_string (&w, "digest", e->digest);
  json_object_end (&w);
  json_string (&w, "ceiling", context->ceiling->file);
  json_string (&w, "backend", context->request.backend->name);
  json_array_begin (&w, "controls");
  for (enum control c = 0; r == 0 && c < CONTROL_COUNT; c++)
    r = write_control (&w, e, c, err);
  json_array_end (&w);
  write_plan (&w, e);
  json_object_end (&w);
  return r < 0 ? r : json_finish_into (&w, &output->out, err);
}

static int show (struct explanation *e, bool json, struct output *output, struct error *err)
{
  int r;

  if (e->plan != NULL)
    r = settings_copy (&e->plan->settings, &e->settings) < 0 ? error_oom (err) : 0;
  else
    r = context_settings (e->context, &e->settings, err);
  if (r == 0)
    r = profile_digest (e->context->profile, e->digest, err);
  if (r == 0)
    r = json ? print_json (e, output, err) : print_text (e, output, err);
  settings_clear (&e->settings);
  return r;
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_context struct context context = { 0 };
  cleanup_plan struct plan *plan = NULL;
  cleanup_error struct error refusal = { 0 };
  struct session_request request = request_of_arguments (arguments, "explain");
  cleanup_strlist struct strlist command = { 0 };
  struct explanation e = { .context = &context };
  int r = strlist_add (&command, "true") < 0 ? error_oom (err) : 0;

  request.argv = &command;
  request.workspace_optional = true;
  if (r == 0)
    r = context_open (&context, &request, err);
  if (r < 0)
    return r;
  r = context_plan (&context, &plan, &refusal);
  /* Out of memory is no finding about the profile. */
  if (r == -ENOMEM)
    return error_oom (err);
  if (r < 0)
    e.refusal = error_text (&refusal);
  e.plan = plan;
  return show (&e, arguments_have (arguments, OPTION_JSON), output, err);
}

static const enum option options[] = { OPTIONS_OF_REQUEST, OPTION_JSON, OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci explain --profile hardened --backend docker",
    "which controls of a profile Docker cannot enforce" },
  { "tyrum-oci explain --profile ./ci.json --json", "a custom profile, as JSON" },
  { NULL, NULL },
};

const struct verb verb_explain = {
  .path = "explain",
  .summary = "show what a profile promises, where each promise comes from, and how it is enforced",
  .description =
      "Prints every control: its value, the file and line that decided it, the promise in one sentence, "
      "how the chosen backend enforces it, and how it is observed on the running container. The end "
      "lists what a plan on this host would leave out, or why it would be refused; neither makes "
      "explain itself fail.",
  .options = options,
  .examples = examples,
  .run = run,
};

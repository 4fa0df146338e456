#include <config.h>

#include "session-unconfined.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base-file.h"
#include "base-limits.h"
#include "journal-unconfined.h"
#include "supervisor-unconfined.h"

bool unconfined_is_granted (const struct context *context)
{
  const struct value *type = &context->profile->settings.values[SETTING_ISOLATION_TYPE];
  const struct value *most = &context->ceiling->settings.values[SETTING_ISOLATION_TYPE];

  return type->level == ISOLATION_DISABLED && context->request.rawdog && context->ceiling->allow_rawdog
         && (most->state == VALUE_UNSET || most->level == ISOLATION_DISABLED);
}

/* An option that nobody carries out would be a promise. */
static int check_options (const struct arguments *arguments, struct error *err)
{
  static const enum option allowed[] = { OPTION_PROFILE, OPTION_UNCONFINED, OPTION_RESULT };

  for (enum option o = 0; o < OPTION_COUNT; o++) {
    bool fine = !arguments_have (arguments, o);

    for (size_t i = 0; i < ARRAY_LEN (allowed); i++)
      fine = fine || o == allowed[i];
    if (!fine)
      return error_set (err, CLI_USAGE,
                        "--%s: there is no sandbox that could carry it out; leave it away, or take a profile "
                        "that has one",
                        option_info (o)->name);
  }
  return 0;
}

/* At once and unasked, before the command can say anything. There is no option that stops it. */
static void show_banner (void)
{
  static const char banner[] = "**********************************************************************\n"
                               "*  tyrum-oci: NO SANDBOX. This command runs as you, with everything  *\n"
                               "*  you can read, write, reach and destroy. No limit, no filter, no   *\n"
                               "*  deadline. You said --rawdog-no-sandbox-at-all. Nothing is promised *\n"
                               "**********************************************************************\n";

  if (write (STDERR_FILENO, banner, sizeof (banner) - 1) < 0)
    errno = 0;
}

static void elevation_details (struct json_writer *w, const void *data)
{
  const struct context *context = data;

  json_string (w, "profile", context->profile->name);
  json_string (w, "elevated_by", context->profile->name);
  json_bool (w, "sandbox", false);
  json_bytes (w, "command", context->request.argv.items[0],
              strnlen (context->request.argv.items[0], LIMIT_NAME_BYTES));
}

static void ended_details (struct json_writer *w, const void *data)
{
  const struct run_result *result = data;

  json_string (w, "reason", run_reason_text (result->reason));
  json_integer (w, "code", result->code);
  json_number (w, "wall_ms", result->wall_ms);
}

static int write_result (const struct context *context, const char *run, const struct run_result *result,
                         const char *file, int directory, struct error *err)
{
  const char *slash = strrchr (file, '/');
  cleanup_free char *text = NULL;
  int r = unconfined_result_write (context->profile, run, result, &text, err);

  return r < 0 ? r : file_write_atomic (directory, slash ? slash + 1 : file, text, strlen (text), 0600, err);
}

int unconfined_run (const struct context *context, struct launching *launching,
                    const struct arguments *arguments, int directory, struct output *output,
                    struct error *err)
{
  const char *file = arguments_text (arguments, OPTION_RESULT);
  cleanup_run_result struct run_result result = { 0 };
  struct trail *trail = &launching->trail;
  struct error late = { 0 };
  int r = check_options (arguments, err);

  if (r == 0)
    r = audit_log_event (trail, JOURNAL_ELEVATION, elevation_details, context, err);
  if (r == 0)
    r = audit_log_started (trail, NULL, err);
  if (r < 0)
    return r;
  show_banner ();
  r = unconfined_execute (&context->request.argv, &result, err);
  if (r < 0)
    return r;
  output->status = result.code;
  /* The command has run, so this is no reason to hide how it ended. */
  if (audit_log_event (trail, JOURNAL_ENDED, ended_details, &result, &late) < 0) {
    output_note (output, error_text (&late));
    error_clear (&late);
  }
  if (result.exec_errno != 0)
    output_not_executed (output, context->request.argv.items[0], result.exec_errno);
  return file ? write_result (context, trail->run, &result, file, directory, err) : 0;
}

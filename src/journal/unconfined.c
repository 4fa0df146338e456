#include <config.h>

#include "journal-unconfined.h"

#include <stdlib.h>

#include "base-json-write.h"

static void write_exit (struct json_writer *w, const struct run_result *result)
{
  json_object_begin (w, "exit");
  json_integer (w, "code", result->code);
  if (result->signal > 0)
    json_integer (w, "signal", result->signal);
  else
    json_null (w, "signal");
  json_string (w, "reason", run_reason_text (result->reason));
  json_object_end (w);
}

/* Nobody counted anything else, and a zero would be a lie. */
static void write_usage (struct json_writer *w, const struct run_result *result)
{
  json_object_begin (w, "usage");
  json_number (w, "wall_ms", result->wall_ms);
  json_bool (w, "counted", false);
  json_object_end (w);
}

int unconfined_result_write (const struct profile *profile, const char *run, const struct run_result *result,
                             char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };
  char digest[PROFILE_DIGEST_SIZE];
  int r = profile_digest (profile, digest, err);

  if (r < 0)
    return r;
  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/result/1");
  json_string (&w, "run", run);
  json_object_begin (&w, "profile");
  json_string (&w, "name", profile->name);
  json_string (&w, "digest", digest);
  json_object_end (&w);
  json_string (&w, "backend", "none");
  write_exit (&w, result);
  write_usage (&w, result);
  json_array_begin (&w, "denials");
  json_array_end (&w);
  json_array_begin (&w, "controls");
  json_array_end (&w);
  json_object_begin (&w, "posture");
  json_string (&w, "verdict", "none");
  json_string (&w, "reason", UNCONFINED_REASON);
  json_array_begin (&w, "controls");
  json_array_end (&w);
  json_object_end (&w);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}

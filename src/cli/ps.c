/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ps, kill, gc: the live runs of this user, and those that a crash left behind. */
#include <config.h>

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base-json-write.h"
#include "cli-verbs.h"
#include "host-facts.h"
#include "image-cache.h"
#include "options-table.h"
#include "session-paths.h"
#include "shim-sweep.h"
#include "shim-verbs.h"
#include "state-run-dir.h"
#include "state-run-record.h"
#include "supervisor-run.h"

/* One row of ps. */
struct row {
  bool live;
  struct run_record record;
};

static int look_at (const struct host_facts *host, const char *id, struct row *ret_row, struct error *err)
{
  cleanup_run_dir struct run_dir dir = { .fd = -1, .lock_fd = -1 };
  struct row row = { 0 };
  int r = run_dir_open (host->state_dir, id, &dir, &row.live, err);

  if (r == 0)
    r = run_record_read (&dir, &row.record, err);
  if (r < 0)
    return r;
  *ret_row = row;
  return 0;
}

static void started_text (uint64_t seconds, char text[32])
{
  time_t when = (time_t) seconds;
  struct tm tm;

  if (gmtime_r (&when, &tm) == NULL || strftime (text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
    snprintf (text, 32, "?");
}

static void add_text (struct table *table, const char *id, const struct row *row)
{
  char started[32];

  started_text (row->record.started, started);
  if (row->record.started == 0)
    snprintf (started, sizeof (started), "?");
  table_add (table, id);
  table_add_tone (table,
                  !row->live          ? "left"
                  : row->record.ready ? "ready"
                                      : "live",
                  row->live ? TONE_GOOD : TONE_WARN);
  table_add (table, row->record.profile);
  table_add (table, row->record.backend);
  table_add (table, started);
  table_add (table, row->record.command);
}

static void add_json (struct json_writer *w, const char *id, const struct row *row)
{
  json_object_begin (w, NULL);
  json_string (w, "run", id);
  json_bool (w, "live", row->live);
  json_bool (w, "ready", row->record.ready);
  json_string (w, "profile", row->record.profile);
  json_string (w, "backend", row->record.backend);
  json_number (w, "supervisor", row->record.supervisor);
  json_number (w, "started", row->record.started);
  json_string (w, "command", row->record.command);
  json_object_end (w);
}

static int list (const struct host_facts *host, struct table *table, struct json_writer *w, struct error *err)
{
  cleanup_strlist struct strlist ids = { 0 };
  int r = run_dir_list (host->state_dir, &ids, err);

  for (size_t i = 0; r == 0 && i < ids.count; i++) {
    struct error gone = { 0 };
    struct row row = { 0 };

    /* A run that ends meanwhile is not a failure. */
    if (look_at (host, ids.items[i], &row, &gone) == 0) {
      add_text (table, ids.items[i], &row);
      add_json (w, ids.items[i], &row);
    }
    error_clear (&gone);
    run_record_clear (&row.record);
  }
  return r;
}

/* Containers that an engine still has for runs without any other trace; only their labels are known. */
static int list_engines (const struct host_facts *host, const char *socket, struct table *table,
                         struct json_writer *w, struct error *err)
{
  cleanup_run_left struct run_left left = { 0 };
  int r = run_list_engines (host, socket, &left, err);

  for (size_t i = 0; r == 0 && i < left.runs.count; i++) {
    char unknown[] = "?";
    const struct row row = {
      .record = { .profile = unknown, .backend = left.backends.items[i], .command = unknown }
    };

    add_text (table, left.runs.items[i], &row);
    add_json (w, left.runs.items[i], &row);
  }
  return r;
}

static int run_ps (const struct arguments *arguments, struct output *output, struct error *err)
{
  static const char *const heading[] = { "run", "state", "profile", "backend", "started", "command" };
  cleanup_table struct table table = { .columns = ARRAY_LEN (heading), .keep = 1u << 0 };
  cleanup_json_writer struct json_writer w = { .pretty = true };
  cleanup_host_facts struct host_facts *host = NULL;
  int r = host_look (&host, err);

  for (size_t i = 0; i < ARRAY_LEN (heading); i++)
    table_add_tone (&table, heading[i], TONE_BOLD);
  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/ps/1");
  json_array_begin (&w, "runs");
  if (r == 0)
    r = list (host, &table, &w, err);
  if (r == 0)
    r = list_engines (host, arguments_text (arguments, OPTION_ENGINE_SOCKET), &table, &w, err);
  json_array_end (&w);
  json_object_end (&w);
  if (r < 0)
    return r;
  if (!arguments_have (arguments, OPTION_JSON))
    return table_print (&table, output, err);
  return json_finish_into (&w, &output->out, err);
}

static int parse_signal (const char *name, int *ret_signal, struct error *err)
{
  static const struct {
    const char *name;
    int number;
  } known[] = { { "TERM", SIGTERM }, { "INT", SIGINT },   { "HUP", SIGHUP },  { "QUIT", SIGQUIT },
                { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "KILL", SIGKILL } };

  if (str_has_prefix (name, "SIG"))
    name += strlen ("SIG");
  for (size_t i = 0; i < ARRAY_LEN (known); i++)
    if (strcmp (known[i].name, name) == 0) {
      *ret_signal = known[i].number;
      return 0;
    }
  return error_set (err, CLI_USAGE, "--signal: '%s' is not TERM, INT, HUP, QUIT, USR1, USR2 or KILL", name);
}

static int run_kill_verb (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_host_facts struct host_facts *host = NULL;
  const char *name = arguments_text (arguments, OPTION_SIGNAL);
  int signal_number = SIGTERM;
  unsigned finished;
  int r = name ? parse_signal (name, &signal_number, err) : 0;

  (void) output;
  if (r == 0)
    r = host_look (&host, err);
  for (size_t i = 0; r == 0 && i < arguments->operands.count; i++)
    r = run_kill (host, arguments->operands.items[i], signal_number, err);
  /* A killed supervisor cannot clean up. */
  if (r == 0 && signal_number == SIGKILL)
    r = run_gc (host, 0, &finished, err);
  return r;
}

/* Cleans up containers that engines lost track of; the journal records their end. */
static unsigned sweep (const struct host_facts *host)
{
  struct call call = { .config_dir = paths_directory ("TYRUM_OCI_CONFDIR", TYRUM_OCI_SYSCONFDIR),
                       .data_dir = paths_directory ("TYRUM_OCI_DATADIR", TYRUM_OCI_DATADIR) };

  return sweep_containers (host->state_dir, UINT_MAX, call_lost, &call);
}

/* Removes unpacked images that no run has used for the time in the configuration. */
static int sweep_images (const struct host_facts *host, struct session_process *process, size_t *ret_removed,
                         struct error *err)
{
  const struct configuration *configuration = NULL;
  cleanup_image_cache struct image_cache cache = { .fd = -1 };
  int r = session_process_configuration (process, &configuration, err);

  if (r == 0)
    r = image_cache_open_existing (host->storage_dir, &cache, err);
  if (r == 0 && cache.fd >= 0)
    r = image_cache_gc (&cache, configuration->images_unused / 1000, ret_removed, err);
  return r;
}

static int run_gc_verb (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_host_facts struct host_facts *host = NULL;
  unsigned count = 0;
  cleanup_error struct error second = { 0 };
  unsigned containers = 0;
  size_t images = 0;
  int r = host_look (&host, err);

  if (r < 0)
    return r;
  /* A failure must not prevent the remaining cleanup. */
  r = run_gc (host, 0, &count, err);
  if (run_gc_engines (host, arguments_text (arguments, OPTION_ENGINE_SOCKET), &containers,
                      r < 0 ? &second : err)
          < 0
      && r == 0)
    r = err->code;
  count += containers + sweep (host);
  if (sweep_images (host, arguments->process, &images, r < 0 ? &second : err) < 0 && r == 0)
    r = err->code;
  if (r == 0)
    strbuf_addf (&output->out, "%u finished\n", count);
  if (r == 0 && images > 0)
    strbuf_addf (&output->out, "%zu unused images removed\n", images);
  return r;
}

static const enum option ps_options[] = { OPTION_ENGINE_SOCKET, OPTION_JSON, OPTION_COUNT };
static const enum option kill_options[] = { OPTION_SIGNAL, OPTION_COUNT };
static const enum option gc_options[] = { OPTION_ENGINE_SOCKET, OPTION_COUNT };

const struct verb verb_ps = {
  .path = "ps",
  .summary = "list live runs, and runs that a crash left behind",
  .description =
      "A run is live as long as its supervisor is. A run without a supervisor was left behind; 'gc' "
      "cleans it up. Containers that are left only in Docker or Podman are found there by their label.",
  .options = ps_options,
  .run = run_ps,
};

const struct verb verb_kill = {
  .path = "kill",
  .summary = "signal a live run",
  .description =
      "The supervisor forwards the signal to the command and, for signals that terminate, makes sure "
      "that it ends. KILL ends the supervisor itself; what it leaves behind is cleaned up at once.",
  .operands = "RUN...",
  .min = 1,
  .max = 64,
  .options = kill_options,
  .run = run_kill_verb,
};

const struct verb verb_gc = {
  .path = "gc",
  .summary = "clean up after killed runs, and remove unused images",
  .description =
      "Ends all processes and removes the cgroups and directories of runs whose supervisor is gone. "
      "Live runs are not touched. The next 'run' does the same. Containers that such runs left in "
      "Docker or Podman are removed too, by their labels. The state of tyrum-oci-runtime for a "
      "container is removed when its engine has removed the bundle and no process of it is running. "
      "Unpacked images that no run has used for 30 days are removed as well; images.unused in the "
      "configuration is another time.",
  .options = gc_options,
  .run = run_gc_verb,
};

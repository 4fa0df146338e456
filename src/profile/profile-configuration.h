/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operator's configuration: how this host runs tyrum-oci, as opposed to what a run may do.
 *
 * One file beside the ceiling, read and trusted by the same rules: a file that cannot be read or trusted is
 * an error, never "no configuration". No file means the defaults. The settings for ToolRunners are here so
 * that no payload can choose its own profile.
 *
 * Parsing is pure. One table has every key; the parser and the schema walk it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "base-str.h"

enum toolrunner_mode {
  TOOLRUNNER_UNSET,
  TOOLRUNNER_RUNNER,  /* the ToolRunner of the image runs inside */
  TOOLRUNNER_COMMAND, /* only the command of a CLI step runs inside */
};

struct configuration {
  char *file;            /* NULL: there is none */
  struct strlist places; /* locations of the file and of the links to it */

  /* journal */
  bool journal_required; /* refuse a run whose events cannot be written */
  bool journal_sync;     /* the end of a run is synced to disk before it is reported */
  uint64_t journal_max_bytes;
  uint32_t journal_keep;

  /* images */
  uint64_t images_unused; /* milliseconds without a run after which gc removes an unpacked image */

  /* toolrunner; NULL and empty where not set */
  enum toolrunner_mode toolrunner_mode;
  bool policy_checked_upstream;
  bool full_metadata; /* a StepResult has the whole result document, and not its summary */
  char *profile, *backend, *runtime, *image, *rootfs;
  char *workspace;        /* absolute, or relative to the gateway's home directory */
  char *migrations;       /* inside */
  struct strlist command; /* of the runner */

  /* engines: containers that engines start through tyrum-oci-runtime */
  char *engines_runtime;           /* the low-level runtime's path; NULL: the first that is installed */
  struct strlist engines_profiles; /* profiles that an annotation may name (a set) */
  bool engines_show_changes;       /* on the container's standard error */

  /* daemon: a process that launches for `run` */
  char *daemon_socket;    /* absolute; NULL: in the directory of live runs */
  bool daemon_use;        /* pass runs to a running daemon */
  bool daemon_start;      /* the first run starts one */
  uint64_t daemon_idle;   /* milliseconds without a run after which it exits */
  struct strlist ready;   /* profiles for which sandboxes are prewarmed (a set) */
  uint32_t *ready_counts; /* the number for each of them */
  uint64_t ready_age;     /* milliseconds after which one is discarded */
};

/* The sum over all profiles. */
#define READY_MAX 64u

/* The defaults. */
int configuration_new (struct configuration **ret_configuration, struct error *err);

int configuration_parse (const char *file, const char *text, size_t len,
                         struct configuration **ret_configuration, struct error *err);
void configuration_free (struct configuration *configuration);
DEFINE_CLEANUP (struct configuration, configuration_free)
#define cleanup_configuration cleanup (configuration_free_p)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operator's configuration: how this host is run, as opposed to what a run may do.
 *
 * One file beside the ceiling, read by the same reader and trusted by the same rule: a file that cannot be
 * read or trusted is an error, never "no configuration". No file means the defaults. What it says of
 * ToolRunners stands here, so that no payload can choose its own profile.
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
  TOOLRUNNER_COMMAND, /* the command of a CLI step runs inside, and nothing else of Tyrum's */
};

struct configuration {
  char *file;            /* NULL: there is none */
  struct strlist places; /* where it was found to lie, with links on the way */

  /* journal */
  bool journal_required; /* no run without its events written */
  bool journal_sync;     /* the end of a run is on the disk when it is reported */
  uint64_t journal_max_bytes;
  uint32_t journal_keep;

  /* toolrunner; NULL and empty where nothing is said */
  enum toolrunner_mode toolrunner_mode;
  bool policy_checked_upstream;
  char *profile, *backend, *runtime, *image, *rootfs;
  char *workspace;        /* absolute, or beneath the home that the gateway names */
  char *migrations;       /* inside */
  struct strlist command; /* of the runner */

  /* engines: containers that others start, by tyrum-oci-runtime */
  char *engines_runtime;           /* the low-level runtime's path; NULL: the first that is there */
  struct strlist engines_profiles; /* profiles that an annotation may name (a set) */

  /* daemon: a process that stays, and launches for `run` */
  char *daemon_socket;    /* absolute; NULL: in the directory of live runs */
  bool daemon_use;        /* hand runs to one that is there */
  bool daemon_start;      /* the first run starts one */
  uint64_t daemon_idle;   /* milliseconds without a run after which it ends */
  struct strlist ready;   /* profiles of which sandboxes are held ready (a set) */
  uint32_t *ready_counts; /* how many, for each of these */
  uint64_t ready_age;     /* milliseconds after which one is discarded */
};

/* At most, of all profiles together. */
#define READY_MAX 64u

/* The defaults. */
int configuration_new (struct configuration **ret_configuration, struct error *err);

int configuration_parse (const char *file, const char *text, size_t len,
                         struct configuration **ret_configuration, struct error *err);
void configuration_free (struct configuration *configuration);
DEFINE_CLEANUP (struct configuration, configuration_free)
#define cleanup_configuration cleanup (configuration_free_p)

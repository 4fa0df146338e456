/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrix as a page of the documentation: what is declared, what was observed and where, and why. */
#include <config.h>

#include "doctor-observed.h"

#include <string.h>

#include "options-enforcement.h"

static void add_heading (struct strbuf *buf, const struct observed *only)
{
  strbuf_add (buf, "| control |");
  for (size_t b = 0; backends[b] != NULL; b++)
    if (only == NULL || observed_was_here (only, b))
      strbuf_addf (buf, " %s |", backends[b]->name);
  strbuf_add (buf, "\n|---|");
  for (size_t b = 0; backends[b] != NULL; b++)
    if (only == NULL || observed_was_here (only, b))
      strbuf_add (buf, "---|");
  strbuf_add (buf, "\n");
}

static void add_declared (struct strbuf *buf)
{
  add_heading (buf, NULL);
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    strbuf_addf (buf, "| `%s` |", control_info (c)->name);
    for (size_t b = 0; backends[b] != NULL; b++) {
      struct enforcement enforcement = enforcement_of (c, backends[b]);

      strbuf_addf (buf, " %s |", enforcement_cell (&enforcement, false));
    }
    strbuf_add (buf, "\n");
  }
}

/* The length without " (PATH)", which is specific to this host. */
static int version_length (const char *version)
{
  const char *path = strstr (version, " (");

  return (int) (path ? (size_t) (path - version) : strlen (version));
}

static void add_versions (struct strbuf *buf, const struct observed *observed)
{
  for (size_t b = 0; backends[b] != NULL; b++) {
    const struct observed_backend *backend = &observed->backends[b];

    if (!observed_was_here (observed, b))
      strbuf_addf (buf, "- %s: not observed\n", backends[b]->name);
    else
      strbuf_addf (buf, "- %s: %.*s%s\n", backends[b]->name, version_length (backend->version),
                   backend->version,
                   backend->apart ? "; a read-only root and a user namespace only in separate runs" : "");
  }
}

static void add_observed (struct strbuf *buf, const struct observed *observed)
{
  add_heading (buf, observed);
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    strbuf_addf (buf, "| `%s` |", control_info (c)->name);
    for (size_t b = 0; backends[b] != NULL; b++)
      if (observed_was_here (observed, b))
        strbuf_addf (buf, " %s |", observed_text (observed, c, b));
    strbuf_add (buf, "\n");
  }
}

/* Backends with the same reason share a line. */
static void add_reasons (struct strbuf *buf, enum control control)
{
  unsigned done = 0;

  for (size_t b = 0; backends[b] != NULL; b++) {
    struct enforcement enforcement = enforcement_of (control, backends[b]);
    const char *comma = "";

    if ((done & (1u << b)) || enforcement.level == ENFORCEMENT_ENFORCED)
      continue;
    strbuf_addf (buf, "- `%s` is %s on ", control_info (control)->name, enforcement_text (enforcement.level));
    for (size_t other = b; backends[other] != NULL; other++)
      if (strcmp (enforcement_of (control, backends[other]).reason, enforcement.reason) == 0) {
        strbuf_addf (buf, "%s%s", comma, backends[other]->name);
        comma = ", ";
        done |= 1u << other;
      }
    strbuf_addf (buf, ": %s.\n", enforcement.reason);
  }
}

static void add_differences (struct strbuf *buf)
{
  struct backend_difference difference;
  unsigned mask;

  for (size_t i = 0; backend_difference_at (i, &difference, &mask); i++) {
    const char *comma = "";

    strbuf_addf (buf, "- `%s` on ", difference.name);
    for (size_t b = 0; backends[b] != NULL; b++)
      if (mask & (1u << b)) {
        strbuf_addf (buf, "%s%s", comma, backends[b]->name);
        comma = ", ";
      }
    strbuf_addf (buf, ": %s.\n", difference.reason);
  }
}

static void add_ways (struct strbuf *buf)
{
  strbuf_add (buf, "| control | promise | how it is observed |\n|---|---|---|\n");
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    strbuf_addf (buf, "| `%s` | %s | %s |\n", control_info (c)->name, control_info (c)->promise,
                 control_info (c)->observed);
}

void observed_page (const struct observed *observed, struct strbuf *buf)
{
  strbuf_add (buf,
              "# Controls and backends\n\n"
              "This page is printed by `tyrum-oci matrix --observe --markdown`: the first table is the "
              "declaration that a launch uses, the second what was observed on running containers.\n\n"
              "## Declared\n\n"
              "*enforced*: the backend keeps the promise. *weaker*: it keeps part of it. *impossible*: it "
              "cannot, and a plan that requires it is refused. A question mark: declared, and not yet "
              "observed on a running container.\n\n");
  add_declared (buf);
  strbuf_addf (
      buf,
      "\n## Observed\n\nOn Linux %s, as root, with one run on each backend under a profile that promises "
      "every control:\n\n",
      observed->kernel);
  add_versions (buf, observed);
  strbuf_add (
      buf,
      "\n*verified*: declared enforced, and observed to hold. *not on this host*: the backend could, the "
      "host cannot. What is declared weaker or impossible is never called verified, whatever was "
      "observed.\n\n");
  add_observed (buf, observed);
  strbuf_add (buf, "\n## Why not everywhere\n\n");
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    add_reasons (buf, c);
  strbuf_add (buf,
              "\n## What else is different\n\n"
              "Nothing is promised about these, and everything that is neither here nor above is the same on "
              "every backend. An engine that uses another runtime has the differences of both.\n\n");
  add_differences (buf);
  strbuf_add (buf, "\n## How each control is observed\n\n");
  add_ways (buf);
}

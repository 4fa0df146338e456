/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the lint of a profile finds, and that it finds nothing in a good one. */
#include <config.h>

#include "unit.h"

#include "profile-lint.h"

static const struct {
  const char *name, *more, *what; /* NULL: nothing is found */
  enum lint_severity severity;
} rows[] = {
  { "good", "\"limits\": { \"pids\": 3 }", NULL, LINT_WARNING },
  { "p", "\"process\": { \"user\": \"0:5\" }", "the command runs as root inside", LINT_WARNING },
  { "p", "\"process\": { \"no_new_privileges\": false }", "setuid programs can raise privileges",
    LINT_WARNING },
  { "p", "\"process\": { \"capabilities\": [\"CAP_BPF\"] }", "CAP_BPF is close to being root", LINT_WARNING },
  { "p", "\"network\": { \"mode\": \"host\" }", "local services are reachable", LINT_WARNING },
  { "p", "\"limits\": { \"memory\": null }", "lifted, so a run can take all of it", LINT_WARNING },
  { "p", "\"limits\": { \"wall\": null, \"idle\": \"5m\" }", "lifted, so a run", LINT_WARNING },
  { "p", "\"limits\": { \"output\": null, \"output_rate\": \"1M\" }", "lifted, so a run", LINT_WARNING },
  { "p", "\"require\": [\"limits.disk\"]", "the profile does not promise it", LINT_WARNING },
  { "p", "\"require\": [\"limits.pids\"], \"optional\": [\"limits.cpu\"]", "is optional anyway",
    LINT_WARNING },
  { "p", "\"filesystem\": { \"mounts\": [ { \"source\": \"/run/x\", \"target\": \"/x\" } ] }", "/run/x",
    LINT_ERROR },
  { "p", "\"filesystem\": { \"mounts\": [ { \"source\": \"/etc\", \"target\": \"/x\" } ] }",
    "needs a \"reason\"", LINT_ERROR },
  { "p",
    "\"filesystem\": { \"mounts\": [ { \"source\": \"/etc\", \"target\": \"/x\", \"access\": \"read-write\","
    " \"reason\": \"so\" } ] }",
    "read-only at most", LINT_ERROR },
  { "p", "\"filesystem\": { \"mounts\": [ { \"source\": \"/opt\", \"target\": \"/x\" } ] }", NULL,
    LINT_ERROR },
  { "rawdog", "\"isolation\": { \"type\": \"disabled\" }", "there is no sandbox at all", LINT_WARNING },
};

static void test_findings (void **state)
{
  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *text = str_format (
        "{ \"version\": 1, \"name\": \"%s\", \"meaning\": \"for tests\",\n%s }", rows[i].name, rows[i].more);
    cleanup_profile struct profile *profile = NULL;
    cleanup_error struct error err = { 0 };
    cleanup_lint struct lint lint = { 0 };

    CHECK (profile_parse ("p.json", text, strlen (text), true, &profile, &err) == 0, "row %zu: %s", i,
           error_text (&err));
    assert_int_equal (profile_resolve (profile, &err), 0);
    assert_int_equal (profile_lint (profile, &lint, &err), 0);
    CHECK (lint.count == (rows[i].what != NULL), "row %zu: %zu findings: %s", i, lint.count,
           lint.count ? lint.items[0].what : "");
    if (lint.count == 0)
      continue;
    CHECK (strstr (lint.items[0].what, rows[i].what) != NULL, "row %zu: %s", i, lint.items[0].what);
    CHECK (lint.items[0].severity == rows[i].severity, "row %zu: severity", i);
    assert_string_equal (lint.items[0].where, "p.json:2");
  }
}

static const struct CMUnitTest cases[] = { cmocka_unit_test (test_findings) };

UNIT_MAIN (cases)

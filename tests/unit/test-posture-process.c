/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the process is: ids, capabilities, filter, descriptors, environment. Each thing that is spoilt spoils
 * the control that it belongs to. */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <stdlib.h>

#include "plan-launch.h"
#include "posture-spoil.h"

SPOIL (uid_inside)
{
  in_status (c, "Uid:\t10001\t10001", "Uid:\t10001\t0");
}
SPOIL (uid_outside)
{
  posture_case_edit (&c->outside.status, "Uid:\t", "Uid:\t1");
}
SPOIL (group_more)
{
  in_status (c, "Groups:\t ", "Groups:\t27 ");
}
SPOIL (becomes_root)
{
  posture_case_answer_call (c, &probe_become_root, 0);
}
SPOIL (cap_ambient)
{
  in_status (c, "CapAmb:\t0000000000000000", "CapAmb:\t0000000000000001");
}
SPOIL (cap_bounding_outside)
{
  posture_case_edit (&c->outside.status, "CapBnd:\t0000000000000000", "CapBnd:\t0000000000200000");
}
SPOIL (privileged_call)
{
  posture_case_answer_call (c, &probe_bounding, 0);
}
SPOIL (privileges_inside)
{
  in_status (c, "NoNewPrivs:\t1", "NoNewPrivs:\t0");
}
SPOIL (privileges_prctl)
{
  posture_case_answer_call (c, &probe_privileges, 0);
}
SPOIL (privileges_outside)
{
  posture_case_edit (&c->outside.status, "NoNewPrivs:\t1", "NoNewPrivs:\t0");
}
SPOIL (seccomp_mode)
{
  in_status (c, "Seccomp:\t2", "Seccomp:\t0");
}
SPOIL (seccomp_seal)
{
  posture_case_answer_call (c, &probe_seal, -ENOSYS);
}
SPOIL (seccomp_deny)
{
  posture_case_answer_call (c, &probe_calls[0].call, 0);
}
SPOIL (seccomp_twin)
{
  posture_case_answer_call (c, &probe_allowed, -EPERM);
}
SPOIL (descriptor)
{
  posture_case_answer (c, QUESTION_DESCRIPTORS, "", 0, "0 pipe:[11]\0001 pipe:[12]\0002 pipe:[13]\0007 /etc",
                       43);
}
SPOIL (stream_is_directory)
{
  posture_case_answer (c, QUESTION_DESCRIPTORS, "", 0, "0 /srv\0001 pipe:[12]\0002 pipe:[13]", 31);
}
SPOIL (stream_is_another)
{
  posture_case_answer (c, QUESTION_DESCRIPTORS, "", 0, "0 pipe:[11]\0001 pipe:[99]\0002 pipe:[13]", 36);
}
SPOIL (no_init)
{
  c->outside.is_init = false;
}
SPOIL (not_first)
{
  posture_case_edit (&c->outside.status, "NSpid:\t4711\t1", "NSpid:\t4711\t7");
}
SPOIL (variable_more)
{
  posture_case_answer (c, QUESTION_ENVIRONMENT, "", 0, "LD_PRELOAD=1", 13);
}
SPOIL (variable_value)
{
  posture_case_answer (c, QUESTION_ENVIRONMENT, "", 0, "PATH=0000000000000000", 22);
}
SPOIL (variable_outside)
{
  c->outside.environment[0]++;
}
SPOIL (seccomp_mode_outside)
{
  posture_case_edit (&c->outside.status, "Seccomp:\t2", "Seccomp:\t0");
}
/* Refused, but by somebody else: nothing shows that it is our filter. */
SPOIL (refused_by_another)
{
  for (size_t i = 0; i < probe_call_count; i++) {
    int own = filter_answer (c->plan->filter, probe_calls[i].name, probe_calls[i].call.arguments);

    if (own != 0)
      posture_case_answer_call (c, &probe_calls[i].call, own == EPERM ? -ENOSYS : -EPERM);
  }
}
SPOIL (nested)
{
  posture_case_answer_call (c, &probe_new_user, 0);
}
SPOIL (status_unread)
{
  free (c->outside.status);
  c->outside.status = NULL;
}

static const struct spoilt rows[] = {
  BAD (seccomp_mode_outside, CONTROL_SECCOMP),
  UNKNOWN (refused_by_another, CONTROL_SECCOMP),
  BAD (nested, CONTROL_SECCOMP),
  UNKNOWN (status_unread, CONTROL_ISOLATION_TYPE),
  BAD (uid_inside, CONTROL_USER_NON_ROOT),
  BAD (uid_outside, CONTROL_USER_NON_ROOT),
  BAD (group_more, CONTROL_USER_NON_ROOT),
  BAD (becomes_root, CONTROL_USER_NON_ROOT),
  BAD (cap_ambient, CONTROL_CAPABILITIES),
  BAD (cap_bounding_outside, CONTROL_CAPABILITIES),
  BAD (privileged_call, CONTROL_CAPABILITIES),
  BAD (privileges_inside, CONTROL_NO_NEW_PRIVILEGES),
  BAD (privileges_prctl, CONTROL_NO_NEW_PRIVILEGES),
  BAD (privileges_outside, CONTROL_NO_NEW_PRIVILEGES),
  BAD (seccomp_mode, CONTROL_SECCOMP),
  BAD (seccomp_seal, CONTROL_SECCOMP),
  BAD (seccomp_deny, CONTROL_SECCOMP),
  BAD (seccomp_twin, CONTROL_SECCOMP),
  BAD (descriptor, CONTROL_FDS_CLOSED),
  BAD (stream_is_directory, CONTROL_FDS_CLOSED),
  BAD (stream_is_another, CONTROL_FDS_CLOSED),
  BAD (no_init, CONTROL_ISOLATION_TYPE),
  BAD (not_first, CONTROL_ISOLATION_TYPE),
  BAD (variable_more, CONTROL_ENVIRONMENT_CLEAN),
  BAD (variable_value, CONTROL_ENVIRONMENT_CLEAN),
  BAD (variable_outside, CONTROL_ENVIRONMENT_CLEAN),
};

static void test_spoilt (void **state)
{
  (void) state;
  spoilt_check (rows, ARRAY_LEN (rows));
}

static enum verdict verdict_on (const struct posture_case *c, enum control control)
{
  cleanup_posture struct posture *posture = judge (c);

  return posture->controls[control].verdict;
}

#define LABEL "/proc/self/attr/current"

static void say_label (struct posture_case *c, const char *inside, const char *outside)
{
  posture_case_answer (c, QUESTION_FILE, LABEL, inside ? 0 : EINVAL, inside ? inside : "",
                       inside ? strlen (inside) : 0);
  free (c->outside.label);
  c->outside.label = outside ? strdup (outside) : NULL;
}

/* The label is the promised one, to be enforced, on both sides. */
static void test_label (void **state)
{
  static const struct {
    const char *inside, *outside;
    enum verdict verdict;
  } labels[] = {
    { "confined (enforce)\n", "confined (enforce)", VERDICT_VERIFIED },
    { "confined (complain)\n", "confined (enforce)", VERDICT_VIOLATED },
    { "confined (enforce)\n", "confined (complain)", VERDICT_VIOLATED },
    { "confined2 (enforce)\n", "confined2 (enforce)", VERDICT_VIOLATED },
    { "confined (enforce) and more", "confined (enforce)", VERDICT_VIOLATED },
    { "unconfined\n", "unconfined\n", VERDICT_VIOLATED },
    { NULL, "confined (enforce)", VERDICT_UNVERIFIED },
    { "confined (enforce)\n", NULL, VERDICT_UNVERIFIED },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (labels); i++) {
    cleanup_posture_case struct posture_case c = { 0 };

    posture_case_make_all (&c);
    say_label (&c, labels[i].inside, labels[i].outside);
    CHECK (verdict_on (&c, CONTROL_APPARMOR) == labels[i].verdict, "row %zu", i);
  }
}

/* Calls that init's own filter reports are answered by the supervisor, with a number that it has drawn. */
static void answer_as_supervisor (struct posture_case *c, int errnum)
{
  c->inside.told_errnum = errnum;
  for (size_t i = c->inside.questions.before; i < c->inside.questions.count; i++) {
    struct report_call call;

    memcpy (&call, c->inside.questions.items[i].bytes, sizeof (call));
    posture_case_answer_call (c, &call, -errnum);
  }
}

/* A filter that init loads itself is only verified when the supervisor has answered calls that it denies, and
 * the kernel counts one filter more. */
static void test_own_filter (void **state)
{
  static const struct {
    int errnum;        /* of loading it */
    int64_t first;     /* what the first reported call gives; 0: what the supervisor answers */
    unsigned before;   /* filters before it was loaded */
    const char *after; /* in the status; NULL: not shown */
    enum verdict verdict;
  } tries[] = {
    { 0, 0, 0, NULL, VERDICT_VERIFIED },       { 0, 0, 1, "2", VERDICT_VERIFIED },
    { 0, 0, 1, "1", VERDICT_VIOLATED }, /* it was not loaded, whatever init was told */
    { EBUSY, 0, 0, NULL, VERDICT_VIOLATED },   { EPROTO, 0, 0, NULL, VERDICT_VIOLATED },
    { 0, -EPERM, 0, NULL, VERDICT_VIOLATED }, /* the list's errno: a filter that knows it */
    { 0, -ENOSYS, 0, NULL, VERDICT_VIOLATED }, { 0, 1, 0, NULL, VERDICT_VIOLATED },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (tries); i++) {
    cleanup_posture_case struct posture_case c = { 0 };
    cleanup_free char *after = str_format ("Seccomp_filters:\t%s", tries[i].after ? tries[i].after : "");

    posture_case_make_listening (&c);
    assert_true (c.inside.questions.before < c.inside.questions.count);
    answer_as_supervisor (&c, 1234);
    c.inside.restrict_errnum = tries[i].errnum;
    c.outside.filters_before = tries[i].before;
    if (tries[i].after != NULL)
      posture_case_edit (&c.outside.status, "Seccomp_filters:\t1", after);
    for (size_t p = 0, told = 0; p < probe_call_count && tries[i].first != 0 && told == 0; p++)
      if (filter_call_tells (c.plan->filter, probe_calls[p].name, probe_calls[p].call.arguments)) {
        posture_case_answer_call (&c, &probe_calls[p].call, tries[i].first);
        told++;
      }
    cleanup_posture struct posture *posture = judge (&c);
    CHECK (posture->controls[CONTROL_SECCOMP].verdict == tries[i].verdict, "row %zu: %s", i,
           posture->controls[CONTROL_SECCOMP].evidence);
  }
}

static void can_execute (struct posture_case *c, const char *path, int by_init, int by_command)
{
  struct report_execute execute = { by_init, by_command };

  posture_case_answer (c, QUESTION_EXECUTE, path, 0, &execute, sizeof (execute));
}

/* What is not named must not be executed, what is named must; neither is told from init's own failure. */
static void test_tools (void **state)
{
  static const struct {
    const char *path;
    int by_init, by_command;
    enum verdict verdict;
  } tries[] = {
    { STAGE_INIT_TARGET, 0, EACCES, VERDICT_VERIFIED },
    { STAGE_INIT_TARGET, 0, 0, VERDICT_VIOLATED },
    { STAGE_INIT_TARGET, 0, EIO, VERDICT_VIOLATED },
    { STAGE_INIT_TARGET, EACCES, EACCES, VERDICT_UNVERIFIED },
    { "/usr/bin/git", 0, EACCES, VERDICT_VIOLATED },
    { "/usr/bin/git", ENOENT, EACCES, VERDICT_VERIFIED },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (tries); i++) {
    cleanup_posture_case struct posture_case c = { 0 };

    posture_case_make_all (&c);
    can_execute (&c, tries[i].path, tries[i].by_init, tries[i].by_command);
    CHECK (verdict_on (&c, CONTROL_TOOLS) == tries[i].verdict, "row %zu", i);
  }
}

static const struct CMUnitTest cases[] = { cmocka_unit_test (test_spoilt), cmocka_unit_test (test_label),
                                           cmocka_unit_test (test_tools),
                                           cmocka_unit_test (test_own_filter) };

UNIT_MAIN (cases)

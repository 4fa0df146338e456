/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run as it should be: a plan of 'hardened's kind, init's answers, and what is seen outside, all made up
 * and all good. Tests spoil one thing and look at the verdict. Aborts where it cannot be made; uses no
 * cmocka, so that the fuzz target can share it.
 */
#pragma once

#include "plan-launch.h"
#include "posture-posture.h"

struct posture_case {
  struct plan *plan;
  struct launch launch; /* staged */
  struct inside inside;
  struct outside outside;
};

/* The plan of posture_case_make_all before it is staged, and the host that it was made for. */
void posture_case_plan (struct host_facts **ret_host, struct plan **ret_plan);

void posture_case_make (struct posture_case *c);
/* The same with a label of AppArmor's, named programs (/usr/bin/git, and one that is not there) and a secret.
 */
/* The same with a listener at a filter that init loads itself. */
void posture_case_make_listening (struct posture_case *c);
void posture_case_make_all (struct posture_case *c);
/* The verdict about what its plan, as it is by now, promises. */
int posture_case_judge (const struct posture_case *c, struct posture **ret_posture, struct error *err);
void posture_case_clear (struct posture_case *c);
#define cleanup_posture_case cleanup (posture_case_clear)

/* Gives the answer to the question of KIND about TEXT other bytes, or an errno. */
void posture_case_answer (struct posture_case *c, enum question kind, const char *text, int errnum,
                          const void *bytes, size_t length);
void posture_case_answer_call (struct posture_case *c, const struct report_call *call, int64_t result);
void posture_case_answer_connect (struct posture_case *c, const void *address, size_t length, int errnum);
/* Replaces the first FROM in *TEXT, which must be there. */
void posture_case_edit (char **text, const char *from, const char *to);
/* The same in a file or link that init sent. */
void posture_case_edit_answer (struct posture_case *c, enum question kind, const char *path, const char *from,
                               const char *to);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every unit test program shares: cmocka with the headers it wants before itself, and
 * two macros for tests that walk a table.
 *
 * A program is a list of cases and UNIT_MAIN. It prints TAP and returns the number of failures.
 * Values come in as constants or from tables; nothing here reads files or the clock.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Fails the case with a message that says which row was wrong. */
#define CHECK(condition, ...)                                                                                \
  do {                                                                                                       \
    if (!(condition))                                                                                        \
      fail_msg (__VA_ARGS__);                                                                                \
  } while (0)

/* The whole main of a program whose cases stand in the array CASES. */
#define UNIT_MAIN(cases)                                                                                     \
  int main (void)                                                                                            \
  {                                                                                                          \
    cmocka_set_message_output (CM_OUTPUT_TAP);                                                               \
    return cmocka_run_group_tests (cases, NULL, NULL);                                                       \
  }

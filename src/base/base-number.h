/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strict parsing and formatting of numbers in files and on command lines.
 *
 * No sign, no spaces, no leading zeros except "0" itself, nothing after the unit; every
 * multiplication is checked for overflow. A function returns false for anything else, and the caller
 * reports the key and what was expected.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool number_parse (const char *text, uint64_t max, uint64_t *ret_value);

/* "512", "64K", "1M", "2G", "1T": powers of 1024, bytes. */
bool number_parse_size (const char *text, uint64_t *ret_bytes);
/* "250ms", "60s", "5m", "2h": milliseconds. A bare number has no unit and is refused. */
bool number_parse_duration (const char *text, uint64_t *ret_ms);
/* "1", "1.5", "0.25": thousandths, at most three decimals. */
bool number_parse_milli (const char *text, uint64_t *ret_milli);
/* "uid:gid", both numeric and below the kernel's "no change" value. */
bool number_parse_ids (const char *text, uint32_t *ret_uid, uint32_t *ret_gid);

/* The shortest text that the parsers above read back as the same value. */
#define NUMBER_TEXT 32
void number_format_size (uint64_t bytes, char text[NUMBER_TEXT]);
void number_format_duration (uint64_t ms, char text[NUMBER_TEXT]);
void number_format_milli (uint64_t milli, char text[NUMBER_TEXT]);

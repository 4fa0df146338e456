/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of the parser that profiles and ceilings share: sections of settings. */
#pragma once

#include "base-json-read.h"
#include "control-value.h"

struct parse {
  const char *label; /* "profile 'ci.json'" */
  const char *file;  /* for origins */
  bool trusted;
  struct settings *settings;
  struct error *err;
};

/* A key of the document that is not a setting. */
struct header_key {
  const char *name;
  int (*read) (struct parse *parse, const struct json_node *node, void *document);
  const char *help;
  const char *schema; /* the key's JSON Schema, without description */
};

/* Reads the top object: every member is a header key, a section, or a setting. */
int parse_document (struct parse *parse, const struct json_node *tree, const struct header_key *headers,
                    size_t header_count, void *document);

/* Sets "LABEL:LINE:COLUMN: KEY: ..." and returns the code. */
int parse_error (struct parse *parse, const struct json_node *at, const char *key, const char *format, ...)
    __attribute__ ((format (printf, 4, 5)));

int parse_string (struct parse *parse, const struct json_node *node, const char *key, char **ret_text);

extern const struct header_key profile_header_keys[];
extern const size_t profile_header_key_count;
extern const struct header_key ceiling_header_keys[];
extern const size_t ceiling_header_key_count;

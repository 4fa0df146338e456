/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Executions that failed because of process.tools. */
#include <config.h>

#include "denial-infer-internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base-cleanup.h"
#include "base-str.h"

bool infer_can_execute (const struct infer *infer, const char *path)
{
  struct outcome_seen seen;
  uint32_t bit = S_IXOTH;

  if (!infer_look (infer, path, &seen))
    return false;
  if (seen.uid == infer->plan->uid)
    bit = S_IXUSR;
  else if (seen.gid == infer->plan->gid)
    bit = S_IXGRP;
  return S_ISREG (seen.mode) && (seen.mode & bit) != 0;
}

/* Whether PATH is one of the named programs, by device and inode. */
static bool is_named (const struct infer *infer, const char *path)
{
  const struct strlist *tools = &infer->plan->settings.values[SETTING_TOOLS].set;
  struct outcome_seen seen, named;

  if (!infer_look (infer, path, &seen))
    return true;
  for (size_t i = 0; i < tools->count; i++)
    if (infer_look (infer, tools->items[i], &named) && named.device == seen.device
        && named.inode == seen.inode)
      return true;
  return false;
}

void infer_tool (struct infer *infer, const char *path)
{
  if (!plan_bounds_tools (infer->plan) || is_named (infer, path))
    return;
  infer_add (infer, CONTROL_TOOLS, EACCES,
             infer->outcome->exec_errno == EACCES ? CONFIDENCE_OBSERVED : CONFIDENCE_INFERRED,
             str_format ("execution of %s", path), infer_origin (infer, SETTING_TOOLS),
             str_format ("add '%s' to process.tools in a profile of your own", path));
}

char *infer_find_program (const struct infer *infer, const char *name)
{
  const struct strlist *env = &infer->plan->env;
  const char *directory = NULL;

  for (size_t i = 0; i < env->count; i++)
    if (str_has_prefix (env->items[i], "PATH="))
      directory = env->items[i] + strlen ("PATH=");
  while (directory != NULL && name[0] != '\0') {
    size_t len = strcspn (directory, ":");
    char *path = str_format ("%.*s/%s", (int) len, directory, name);

    if (path == NULL || infer_can_execute (infer, path))
      return path;
    free (path);
    directory = directory[len] == ':' ? directory + len + 1 : NULL;
  }
  return NULL;
}

void infer_program (struct infer *infer, const char *name)
{
  cleanup_free char *path = strchr (name, '/') == NULL ? infer_find_program (infer, name) : NULL;

  if (path != NULL)
    infer_tool (infer, path);
}

/* The program is named before the phrase: "sh: 1: curl: Permission denied", "spawn curl EACCES". */
void infer_program_before (struct infer *infer, const char *line, const char *phrase)
{
  const char *end = phrase, *start;
  cleanup_free char *name = NULL;

  while (end > line && (strchr (" :'\"`", end[-1]) != NULL || (unsigned char) end[-1] >= 0x80))
    end--;
  start = end;
  while (start > line && (isalnum ((unsigned char) start[-1]) || strchr ("._+-/", start[-1]) != NULL))
    start--;
  name = strndup (start, (size_t) (end - start));
  if (name != NULL)
    infer_program (infer, name);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROCESS_MAX 4096

static struct process *processes[PROCESS_MAX];

struct process *process_find (pid_t pid)
{
  struct process **empty = NULL;

  for (size_t i = 0; i < PROCESS_MAX; i++) {
    if (processes[i] != NULL && processes[i]->pid == pid)
      return processes[i];
    if (processes[i] == NULL && empty == NULL)
      empty = &processes[i];
  }
  if (empty == NULL || (*empty = calloc (1, sizeof (**empty))) == NULL) {
    fprintf (stderr, "inject: too many processes\n");
    exit (99);
  }
  (*empty)->pid = pid;
  return *empty;
}

bool process_is_known (pid_t pid)
{
  for (size_t i = 0; i < PROCESS_MAX; i++)
    if (processes[i] != NULL && processes[i]->pid == pid)
      return true;
  return false;
}

void process_forget (pid_t pid)
{
  for (size_t i = 0; i < PROCESS_MAX; i++)
    if (processes[i] != NULL && processes[i]->pid == pid) {
      free (processes[i]);
      processes[i] = NULL;
    }
}

void process_each (void (*each) (struct process *process))
{
  for (size_t i = 0; i < PROCESS_MAX; i++)
    if (processes[i] != NULL)
      each (processes[i]);
}

void process_role (const struct process *process, char role[ROLE_SIZE])
{
  if (process->execs > 0)
    snprintf (role, ROLE_SIZE, "%.70s+%u", process->path, process->execs);
  else
    snprintf (role, ROLE_SIZE, "%.70s", process->path);
}

void process_name_child (struct process *parent, struct process *child)
{
  char role[ROLE_SIZE];

  process_role (parent, role);
  snprintf (child->path, ROLE_SIZE, "%.70s.%u", role, ++parent->children);
  memcpy (child->program, parent->program, NAME_SIZE);
  child->named = true;
}

/* The name of the file that is executed, without its directory. */
static void name_program (struct process *process)
{
  char link[64], target[4096];
  const char *slash;
  ssize_t len;

  snprintf (link, sizeof (link), "/proc/%d/exe", (int) process->pid);
  len = readlink (link, target, sizeof (target) - 1);
  target[len > 0 ? len : 0] = '\0';
  slash = strrchr (target, '/');
  snprintf (process->program, NAME_SIZE, "%.60s", slash ? slash + 1 : target);
  process->program[strcspn (process->program, " ")] = '\0';
}

void process_executed (struct process *process)
{
  process->execs++;
  process->children = 0;
  memset (process->counts, 0, sizeof (process->counts));
  name_program (process);
}

pid_t process_parent (pid_t pid)
{
  char path[64], line[512];
  const char *end;
  int parent = 0;
  FILE *stat;

  snprintf (path, sizeof (path), "/proc/%d/stat", (int) pid);
  stat = fopen (path, "re");
  if (stat != NULL && fgets (line, sizeof (line), stat) != NULL && (end = strrchr (line, ')')) != NULL)
    parent = (int) strtol (end + 4, NULL, 10);
  if (stat != NULL)
    fclose (stat);
  return (pid_t) parent;
}

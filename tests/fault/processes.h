/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes that come of a command, each with a role that is the same in every run: see inject.c. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define CALLS_MAX 1024
#define ROLE_SIZE 96
#define NAME_SIZE 64

struct process {
  pid_t pid;
  bool named;   /* its parent has told of it */
  bool waiting; /* stopped before it was named */
  pid_t parent; /* of one that is waiting */
  bool after;   /* its call was let through, and its result is to be replaced */
  unsigned children;
  unsigned execs;
  char path[ROLE_SIZE]; /* the role without its execs */
  char program[NAME_SIZE];
  unsigned short counts[CALLS_MAX];
};

/* The one with this number, made where there is none yet. */
struct process *process_find (pid_t pid);
bool process_is_known (pid_t pid);
void process_forget (pid_t pid);

/* A child of PARENT's, the next one. */
void process_name_child (struct process *parent, struct process *child);

/* It executes another program now, and counts anew. */
void process_executed (struct process *process);

/* "0.2+1" */
void process_role (const struct process *process, char role[ROLE_SIZE]);

/* Its real parent; 0 where it is gone. */
pid_t process_parent (pid_t pid);

/* Calls EACH with all there are. */
void process_each (void (*each) (struct process *process));

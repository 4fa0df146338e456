/* Who looks at what is covered.
 *
 * A hidden file reads as an empty one, and a hidden directory has nothing in it: no call fails, so no message
 * tells a person why a program found nothing. The kernel can tell: each cover is a mount of its own, and
 * fanotify says who opened something through it. Nothing waits for us, and nothing but a covered path is
 * watched. It takes root, and a user has 128 groups of fanotify in all: of covered files only those that the
 * profile names are watched, LIMIT_WATCHED_FILES at most, and directories. Where it cannot be had nothing is
 * seen.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "denial-record.h"
#include "plan-plan.h"
#include "supervisor-event-loop.h"

struct cover {
  const char *path; /* the plan's */
  uint64_t mount;   /* its id */
  int group;        /* of its own, where it is a file: covers of files are all the same file; or -1 */
};

struct mask_watch {
  struct event event; /* its descriptor, of epoll, stands for all groups; -1: nothing is watched */
  int directories;    /* the group of all covers that are directories */
  struct cover *items;
  size_t count;
};

/* ROOT is the run's root. What cannot be watched is not. */
void mask_watch_open (struct mask_watch *mask_watch, const struct plan *plan, const struct strlist *masked,
                      int root);

/* Reads what there is. Never blocks. */
void mask_watch_serve (struct mask_watch *mask_watch, const struct plan *plan, struct denials *denials);

/* The kernel takes some 15 ms to be rid of a mark, and this waits for it. Marks go with their mounts, so it
 * is called last, when the run's mounts have been gone for a while. */
void mask_watch_close (struct mask_watch *mask_watch);

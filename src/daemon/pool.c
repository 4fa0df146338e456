/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "daemon-pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "daemon-hold.h"
#include "daemon-prewarmed.h"

/* Delay after a hand-over, so that making the next sandbox does not slow the run. */
#define REFILL_MS 20
/* Delay after a sandbox could not be made. */
#define RETRY_MS 30000
/* Delay after a sandbox has ended by itself. */
#define AGAIN_MS 250

struct sandbox {
  pid_t pid;
  int control; /* -1: closed; the process is ending */
  size_t kind;
  bool ready;
};

struct kind {
  const char *profile;
  unsigned wanted;
  struct strlist template;
  struct strlist next;          /* the template of the last caller, if it was another one */
  struct prewarmed_owner owner; /* of the last caller's workspace */
  uint64_t not_before;
};

/* Includes processes that are ending. */
#define SANDBOXES_MAX (2 * READY_MAX)

struct pool {
  struct kind *kinds;
  size_t kind_count;
  struct sandbox sandboxes[SANDBOXES_MAX];
  size_t count;
  struct strlist env; /* of the daemon's environment: used for the plans of all sandboxes */
  const struct configuration *configuration;
  struct session_process *process;
};

/* Variables that influence plans. No others are kept: they may be secrets. */
static bool is_for_plans (const char *variable)
{
  static const char *const prefixes[] = { "TYRUM_OCI_", "XDG_", "HOME=", "PATH=" };

  for (size_t i = 0; i < ARRAY_LEN (prefixes); i++)
    if (strncmp (variable, prefixes[i], strlen (prefixes[i])) == 0)
      return true;
  return false;
}

static int take_env (char *const *from, struct strlist *ret_env)
{
  for (; *from != NULL; from++)
    if (is_for_plans (*from) && strset_add (ret_env, *from) < 0)
      return -ENOMEM;
  return 0;
}

static void replace_list (struct strlist *list, struct strlist *by)
{
  strlist_clear (list);
  *list = *by;
  *by = (struct strlist){ 0 };
}

/* The process removes its sandbox when the socket is closed. */
static void close_control (struct sandbox *sandbox)
{
  close_p (&sandbox->control);
  sandbox->control = -1;
}

int pool_new (const struct configuration *configuration, struct session_process *process,
              struct pool **ret_pool, struct error *err)
{
  struct pool *pool = calloc (1, sizeof (*pool));
  bool failed = pool == NULL;

  if (!failed) {
    pool->configuration = configuration;
    pool->process = process;
    failed = take_env (environ, &pool->env) < 0;
    pool->kinds = calloc (configuration->ready.count + 1, sizeof (*pool->kinds));
    failed = failed || pool->kinds == NULL;
  }
  for (size_t i = 0; !failed && i < configuration->ready.count; i++) {
    struct kind *kind = &pool->kinds[pool->kind_count++];
    cleanup_free char *option = str_format ("--profile=%s", configuration->ready.items[i]);

    kind->profile = configuration->ready.items[i];
    kind->wanted = configuration->ready_counts[i];
    kind->owner = (struct prewarmed_owner){ geteuid (), getegid () };
    failed = option == NULL || strlist_add (&kind->template, option) < 0;
  }
  if (failed) {
    pool_free (pool);
    return error_oom (err);
  }
  *ret_pool = pool;
  return 0;
}

void pool_free (struct pool *pool)
{
  if (pool == NULL)
    return;
  for (size_t i = 0; i < pool->count; i++)
    close_control (&pool->sandboxes[i]);
  for (size_t i = 0; i < pool->kind_count; i++) {
    strlist_clear (&pool->kinds[i].template);
    strlist_clear (&pool->kinds[i].next);
  }
  strlist_clear (&pool->env);
  free (pool->kinds);
  free (pool);
}

static void forget (struct pool *pool, size_t at)
{
  close_control (&pool->sandboxes[at]);
  pool->sandboxes[at] = pool->sandboxes[--pool->count];
}

static unsigned count_of (const struct pool *pool, size_t kind)
{
  unsigned count = 0;

  for (size_t i = 0; i < pool->count; i++)
    count += pool->sandboxes[i].kind == kind && pool->sandboxes[i].control >= 0;
  return count;
}

static bool one_is_made (const struct pool *pool)
{
  for (size_t i = 0; i < pool->count; i++)
    if (!pool->sandboxes[i].ready && pool->sandboxes[i].control >= 0)
      return true;
  return false;
}

static char **array_of (const struct strlist *list)
{
  char **array = calloc (list->count + 1, sizeof (*array));

  for (size_t i = 0; array != NULL && i < list->count; i++)
    array[i] = list->items[i];
  return array;
}

/* False: no process could be started. */
static bool start (struct pool *pool, size_t at)
{
  struct kind *kind = &pool->kinds[at];
  char **env;
  int pair[2];
  pid_t pid;

  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
    return false;
  pid = fork ();
  if (pid == 0) {
    env = array_of (&pool->env);
    if (env == NULL)
      _exit (EXIT_FAILURE);
    hold (pair[1], pool->process, &kind->template, &kind->owner, env, pool->configuration->ready_age);
  }
  close (pair[1]);
  if (pid < 0)
    close (pair[0]);
  else
    pool->sandboxes[pool->count++] = (struct sandbox){ pid, pair[0], at, false };
  return pid > 0;
}

/* No caller waits for this sandbox, so the reason goes to the daemon's standard error. */
static void put_off (struct kind *kind, uint64_t now, const char *why)
{
  fprintf (stderr, "tyrum-oci daemon: no sandbox of profile '%s' is held ready: %s\n", kind->profile, why);
  kind->not_before = now + RETRY_MS;
}

void pool_fill (struct pool *pool, uint64_t now)
{
  for (size_t i = 0; i < pool->kind_count; i++)
    if (!one_is_made (pool) && pool->count < SANDBOXES_MAX && now >= pool->kinds[i].not_before
        && count_of (pool, i) < pool->kinds[i].wanted && !start (pool, i))
      put_off (&pool->kinds[i], now, "cannot start another process");
}

uint64_t pool_next (const struct pool *pool)
{
  uint64_t next = UINT64_MAX;

  /* A message on the control socket comes first. */
  if (one_is_made (pool) || pool->count == SANDBOXES_MAX)
    return next;
  for (size_t i = 0; i < pool->kind_count; i++)
    if (count_of (pool, i) < pool->kinds[i].wanted && pool->kinds[i].not_before < next)
      next = pool->kinds[i].not_before;
  return next;
}

static void discard_kind (struct pool *pool, size_t kind)
{
  for (size_t i = 0; i < pool->count; i++)
    if (pool->sandboxes[i].kind == kind)
      close_control (&pool->sandboxes[i]);
}

/* Whether the kind's sandboxes have this caller's template. After two callers in a row with the same other
 * template the kind changes to it. */
static bool fits (struct pool *pool, size_t at, struct strlist *template)
{
  struct kind *kind = &pool->kinds[at];

  if (strlist_equal (template, &kind->template)) {
    strlist_clear (&kind->next);
    return true;
  }
  if (strlist_equal (template, &kind->next)) {
    replace_list (&kind->template, template);
    discard_kind (pool, at);
    kind->not_before = 0;
  } else
    replace_list (&kind->next, template);
  return false;
}

/* A sandbox that is handed over leaves the pool. */
static bool give_one (struct pool *pool, size_t kind, const struct handed *handed, uint64_t now)
{
  for (size_t i = 0; i < pool->count; i++) {
    struct sandbox *sandbox = &pool->sandboxes[i];

    if (sandbox->kind != kind || !sandbox->ready || sandbox->control < 0)
      continue;
    if (handed_pass (handed, sandbox->control) == 0) {
      forget (pool, i);
      pool->kinds[kind].not_before = now + REFILL_MS;
      return true;
    }
    close_control (sandbox);
  }
  return false;
}

bool pool_give (struct pool *pool, const struct handed *handed, uint64_t now)
{
  cleanup_strlist struct strlist template = { 0 }, env = { 0 };
  struct prewarmed_owner owner = { geteuid (), getegid () };
  cleanup_free char *profile = NULL;

  /* A caller that is declined after the hand-over uses up a sandbox. */
  if (pool->kind_count == 0 || !pool->configuration->daemon_use
      || !prewarmed_template (handed->argv, handed->fds[DAEMON_DIRECTORY], pool->configuration, &template,
                              &profile, &owner)
      || take_env (handed->env, &env) < 0 || !strlist_equal (&env, &pool->env))
    return false;
  for (size_t i = 0; i < pool->kind_count; i++)
    if (strcmp (pool->kinds[i].profile, profile) == 0) {
      pool->kinds[i].owner = owner;
      return fits (pool, i, &template) && give_one (pool, i, handed, now);
    }
  return false;
}

bool pool_reaped (struct pool *pool, pid_t pid)
{
  for (size_t i = 0; i < pool->count; i++)
    if (pool->sandboxes[i].pid == pid) {
      forget (pool, i);
      return true;
    }
  return false;
}

size_t pool_watch (const struct pool *pool, struct pollfd *fds)
{
  for (size_t i = 0; i < pool->count; i++)
    fds[i] = (struct pollfd){ pool->sandboxes[i].control, POLLIN, 0 };
  return pool->count;
}

static void receive_one (struct pool *pool, size_t at, uint64_t now)
{
  struct sandbox *sandbox = &pool->sandboxes[at];
  char text[1 + HOLD_TEXT_BYTES + 1] = "";
  ssize_t n = recv (sandbox->control, text, sizeof (text) - 1, MSG_DONTWAIT);

  if (n > 0 && text[0] == HOLD_READY) {
    sandbox->ready = true;
    return;
  }
  if (n > 0 && text[0] == HOLD_FAILED)
    put_off (&pool->kinds[sandbox->kind], now, text + 1);
  else if (!sandbox->ready)
    put_off (&pool->kinds[sandbox->kind], now, "the process that makes it has ended");
  else
    pool->kinds[sandbox->kind].not_before = now + AGAIN_MS;
  close_control (sandbox);
}

void pool_receive (struct pool *pool, const struct pollfd *fds, size_t count, uint64_t now)
{
  for (size_t i = count; i-- > 0;)
    if (fds[i].fd >= 0 && fds[i].revents != 0 && i < pool->count && pool->sandboxes[i].control == fds[i].fd)
      receive_one (pool, i, now);
}

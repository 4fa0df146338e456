/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Executing a backend's steps: the first one on a new stage, the others in its mount namespace. */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-exit-code.h"
#include "mount-stage.h"
#include "supervisor-process.h"
#include "supervisor-step-internal.h"

#define LOOK_MS 20

/* A runtime gets nothing of the caller's environment; hooks and plugins would inherit it. */
static char *const step_environment[] = {
  (char[]){ "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" }, NULL
};

static void default_signals (void)
{
  sigset_t none;

  for (int signal_number = 1; signal_number < NSIG; signal_number++)
    signal (signal_number, SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

/* The report of a child, with the stage's namespaces when it got that far. */
static void send_staged (int report, const char *text, const int *ns)
{
  char copy[STEP_TEXT_BYTES];
  struct iovec part = { copy, (size_t) snprintf (copy, sizeof (copy), "%s", text) + 1 };
  union {
    char bytes[CMSG_SPACE (STAGE_NS_BYTES)];
    struct cmsghdr align;
  } control = { 0 };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

  if (part.iov_len > sizeof (copy))
    part.iov_len = sizeof (copy);
  if (ns != NULL) {
    struct cmsghdr *c;

    message.msg_control = &control;
    message.msg_controllen = sizeof (control);
    c = CMSG_FIRSTHDR (&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN (STAGE_NS_BYTES);
    memcpy (CMSG_DATA (c), ns, STAGE_NS_BYTES);
  }
  /* The supervisor sees the exit code as well; a message that is lost costs only its text. */
  if (sendmsg (report, &message, MSG_NOSIGNAL) < 0)
    errno = 0;
}

struct child_plan {
  struct stage *stage;        /* NULL: join STAGE_NS */
  const struct cgroup *group; /* to be entered before a stage is built */
  const int *stage_ns;
  bool own_ids; /* the stage has a user namespace of its own */
  const int *fds;
  size_t fd_count;
  char **argv;
  int (*helper_main) (int argc, char **argv); /* NULL: the program is executed */
  int report;
};

/* Into the namespaces of a stage that stands; as its root, where it has ids of its own. */
static int join_stage (const struct child_plan *child)
{
  if (child->own_ids
      && (setns (child->stage_ns[1], CLONE_NEWUSER) < 0 || setresgid (0, 0, 0) < 0
          || setresuid (0, 0, 0) < 0))
    return -errno;
  return setns (child->stage_ns[0], CLONE_NEWNS) < 0 ? -errno : 0;
}

static int prepare (const struct child_plan *child, struct error *err)
{
  int ns[2], r;

  if (child->stage == NULL) {
    r = join_stage (child);
    return r < 0 ? error_set_errno (err, -r, "join the stage") : 0;
  }
  child->stage->report = child->report;
  r = cgroup_enter (child->stage->plan, child->stage->launch, child->group, err);
  if (r < 0)
    return r;
  r = stage_build (child->stage, err);
  if (r < 0)
    return r;
  ns[0] = open ("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  ns[1] = open ("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
  if (ns[0] < 0 || ns[1] < 0)
    return error_set_errno (err, errno, "hold the stage open");
  send_staged (child->report, "", ns);
  return 0;
}

static void leave_caller (const int *fds, size_t fd_count)
{
  umask (022);
  /* The caller's personality may have switched address randomisation off. */
  if (personality (0) < 0 || chdir ("/") < 0 || descriptors_arrange (fds, fd_count) < 0)
    _exit (EXIT_NOT_RUN);
}

static void __attribute__ ((noreturn))
become (const char *program, char *const *argv, const int *fds, size_t fd_count)
{
  leave_caller (fds, fd_count);
  execve (program, argv, step_environment);
  _exit (127);
}

/* The helper without an execution: it clears the environment itself, and all its calls are made in processes
 * of their own. */
static void __attribute__ ((noreturn)) become_helper (const struct child_plan *child)
{
  int count = 0;

  while (child->argv[count] != NULL)
    count++;
  leave_caller (child->fds, child->fd_count);
  _exit (child->helper_main (count, child->argv));
}

/* In the child, to the end. */
static void __attribute__ ((noreturn)) run_child (const struct child_plan *child, pid_t parent)
{
  struct error err = { 0 };

  if (!helper_follow (parent))
    _exit (EXIT_NOT_RUN);
  default_signals ();
  if (prepare (child, &err) < 0) {
    send_staged (child->report, error_text (&err), NULL);
    _exit (EXIT_NOT_RUN);
  }
  /* Credential changes clear PDEATHSIG. */
  if (!helper_follow (parent))
    _exit (EXIT_NOT_RUN);
  if (child->helper_main != NULL)
    become_helper (child);
  become (child->stage && child->stage->staged_runtime ? child->stage->staged_runtime : child->argv[0],
          child->argv, child->fds, child->fd_count);
}

/* NULL-terminated copy of a list's pointers. */
static char **argv_array (const struct strlist *argv)
{
  char **array = calloc (argv->count + 1, sizeof (*array));

  for (size_t i = 0; array != NULL && i < argv->count; i++)
    array[i] = argv->items[i];
  return array;
}

static int judge_step (const struct run *run, enum runtime_step step, int status, const char *said,
                       struct error *err)
{
  static const char *const names[] = { "create", "start", "signal", "delete" };
  cleanup_free char *why = NULL;

  if (said[0] != '\0')
    return error_set (err, -EIO, "set up the run: %s", said);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
    return 0;
  why = run->runtime->ops->failure (&run->runtime->call, step, run->runtime->control);
  if (why != NULL)
    return error_set (err, -EIO, "%s could not %s the container: %s", run->name, names[step], why);
  if (WIFEXITED (status))
    return error_set (err, -EIO, "%s could not %s the container: it ended with code %d and said nothing",
                      run->name, names[step], WEXITSTATUS (status));
  return error_set (err, -EIO, "%s could not %s the container: it was ended by signal %d", run->name,
                    names[step], WTERMSIG (status));
}

bool run_argv (const struct strlist *argv, uint64_t ms)
{
  const int nothing[] = { -1, -1, -1 };
  cleanup_free char **array = argv_array (argv);
  uint64_t until = run_now_ms () + ms;
  pid_t parent = getpid (), pid = array ? fork () : -1;
  int status = 0;

  if (pid == 0) {
    if (!helper_follow (parent))
      _exit (EXIT_NOT_RUN);
    default_signals ();
    become (array[0], array, nothing, ARRAY_LEN (nothing));
  }
  while (pid > 0 && !process_has_ended (pid) && run_now_ms () < until)
    process_pause_ms (LOOK_MS);
  if (pid > 0 && !process_has_ended (pid))
    kill (pid, SIGKILL);
  return pid > 0 && waitpid (pid, &status, 0) == pid && WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

/* Executes one step and waits for it. */
static int execute (struct run *run, enum runtime_step step, struct stage *stage, const int *fds,
                    size_t fd_count, struct error *err)
{
  cleanup_strlist struct strlist argv = { 0 };
  cleanup_free char **array = NULL;
  cleanup_close int ours = -1, theirs = -1;
  char said[STEP_TEXT_BYTES] = "";
  int report[2], status = 0, r;
  pid_t parent = getpid (), pid;

  r = run->runtime->ops->argv (&run->runtime->call, step, &argv, err);
  if (r < 0 || argv.count == 0)
    return r;
  array = argv_array (&argv);
  if (array == NULL)
    return error_oom (err);
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report) < 0)
    return error_set_errno (err, errno, "make a socket");
  ours = report[0];
  theirs = report[1];
  pid = fork ();
  if (pid == 0)
    run_child (
        &(const struct child_plan){
            stage, run->group, run->stage->ns, run->launch.staged_ids, fds, fd_count, array,
            run->runtime->ops->is_helper && stage ? run->options->helper_main : NULL, theirs },
        parent);
  if (pid < 0)
    return error_set_errno (err, errno, "start %s", run->name);
  drop_fd (&theirs);
  /* What the container gets is the child's now; ends that we kept would hide that it is gone. */
  run_close_child_fds (run);
  if (stage != NULL)
    run_look_around (run);
  r = step_wait (run, step, pid, ours, said, sizeof (said), &status, err);
  if (r == 0)
    r = judge_step (run, step, status, said, err);
  run->runtime->step_failed = run->runtime->step_failed || r < 0;
  return r;
}

/* libcrun executes a sealed copy of its own program, unless that program's file cannot be written to. On the
 * stage it cannot, so the helper is put there. */
int run_stage_and_create (struct run *run)
{
  const struct plan *plan = run->options->plan;
  bool staged_helper = run->runtime->ops->is_helper && run->options->helper_main == NULL;
  cleanup_free char *staged = staged_helper ? str_format ("%s/libcrun-helper", run->stage->directory) : NULL;
  cleanup_close int theirs = -1;
  int fds[6], pair[2];
  size_t count = 3 + run->runtime->call.passed;
  struct stage stage = { .plan = plan,
                         .launch = &run->launch,
                         .directory = run->stage->directory,
                         .init = run->options->init,
                         .runtime = run->program,
                         .staged_runtime = staged,
                         .group = run->group,
                         .own_kernel = run->own_kernel,
                         .cgroup_view = run->runtime->ops->needs_v1_view && plan->cgroup == CGROUP_HYBRID,
                         .cgroup_empty = !run->runtime->call.cgroup };

  if (staged_helper && staged == NULL)
    return error_oom (run->err);
  memcpy (fds, run->init->child_fds, sizeof (run->init->child_fds));
  if (run->runtime->ops->has_control) {
    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
      return error_set_errno (run->err, errno, "make a socket");
    run->runtime->control = pair[0];
    theirs = pair[1];
    fds[count++] = theirs;
  }
  return execute (run, STEP_CREATE, &stage, fds, count, run->err);
}

int run_step (struct run *run, enum runtime_step step, struct error *err)
{
  const int nothing[3] = { -1, -1, -1 };
  int r;

  run->runtime->in_step = true;
  r = cleanup_helper_step (run, step, err);
  if (r == -ENOENT && !error_is_set (err))
    r = execute (run, step, NULL, nothing, 3, err);
  run->runtime->in_step = false;
  return r;
}

static void init_stage (struct run *run, void *state)
{
  run->stage = state;
  run->stage->ns[0] = run->stage->ns[1] = -1;
}

static int prepare_stage (struct run *run, void *state, struct error *err)
{
  const struct plan *plan = run->options->plan;
  cleanup_strlist struct strlist hierarchies = { 0 };
  struct run_stage *stage = state;
  int r = run_make_directory (run, "stage", &stage->directory);

  if (r == 0)
    r = run_prewarm_workspace (run);
  if (r == 0)
    r = cgroup_find_shown (plan, run->group, &hierarchies, err);
  return r < 0 ? r : launch_stage (plan, stage->directory, run->transport, &hierarchies, &run->launch, err);
}

static void undo_stage (struct run *run, void *state, struct error *err)
{
  struct run_stage *stage = state;

  (void) err;
  for (size_t i = 0; i < ARRAY_LEN (stage->ns) && !run->leave_namespaces; i++)
    drop_fd (&stage->ns[i]);
  free (take_ptr (stage->directory));
}

const struct run_part stage_part = { .name = "stage",
                                     .size = sizeof (struct run_stage),
                                     .init = init_stage,
                                     .prepare = prepare_stage,
                                     .undo = undo_stage };

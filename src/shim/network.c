/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-network.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"

/* More than an engine plugs in, and an end for a loop. */
#define ROUNDS_MAX 256

struct interface {
  int index; /* 0: there is none */
  bool up;
  char name[IF_NAMESIZE];
};

static int request (int fd, struct nlmsghdr *header, struct error *err)
{
  if (send (fd, header, header->nlmsg_len, 0) != (ssize_t) header->nlmsg_len)
    return error_set_errno (err, errno, "ask for the network's interfaces");
  return 0;
}

static void read_link (struct nlmsghdr *header, int after, struct interface *found)
{
  struct ifinfomsg *info = NLMSG_DATA (header);
  unsigned left = (unsigned) IFLA_PAYLOAD (header);

  if ((info->ifi_flags & IFF_LOOPBACK) != 0 || found->index != 0 || info->ifi_index <= after)
    return;
  found->index = info->ifi_index;
  found->up = (info->ifi_flags & IFF_UP) != 0;
  for (struct rtattr *at = IFLA_RTA (info); RTA_OK (at, left); at = RTA_NEXT (at, left))
    if (at->rta_type == IFLA_IFNAME)
      snprintf (found->name, sizeof (found->name), "%.*s", (int) RTA_PAYLOAD (at),
                (const char *) RTA_DATA (at));
}

/* The first interface behind number AFTER that is not loopback. */
static int find_first (int fd, int after, struct interface *found, struct error *err)
{
  struct {
    struct nlmsghdr header;
    struct ifinfomsg info;
  } ask = { .header = { .nlmsg_len = sizeof (ask),
                        .nlmsg_type = RTM_GETLINK,
                        .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
            .info = { .ifi_family = AF_UNSPEC } };
  static char buffer[32768] __attribute__ ((aligned (NLMSG_ALIGNTO)));
  int r = request (fd, &ask.header, err);

  *found = (struct interface){ 0 };
  while (r == 0) {
    ssize_t n = recv (fd, buffer, sizeof (buffer), 0);
    unsigned len = n > 0 ? (unsigned) n : 0;

    if (n <= 0)
      return error_set_errno (err, n < 0 ? errno : EPROTO, "list the network's interfaces");
    for (struct nlmsghdr *h = (struct nlmsghdr *) (void *) buffer; NLMSG_OK (h, len);
         h = NLMSG_NEXT (h, len)) {
      if (h->nlmsg_type == NLMSG_DONE)
        return 0;
      if (h->nlmsg_type == NLMSG_ERROR)
        return error_set (err, -EPROTO, "list the network's interfaces: the kernel refused");
      if (h->nlmsg_type == RTM_NEWLINK)
        read_link (h, after, found);
    }
  }
  return r;
}

/* The kernel puts ends of tunnels (sit0, tunl0 and their like) into every namespace. They cannot be deleted;
 * as long as they are down they lead nowhere, and no process inside can bring them up. */
static int delete_link (int fd, const struct interface *interface, struct error *err)
{
  struct {
    struct nlmsghdr header;
    struct ifinfomsg info;
  } ask = { .header = { .nlmsg_len = sizeof (ask),
                        .nlmsg_type = RTM_DELLINK,
                        .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
            .info = { .ifi_family = AF_UNSPEC, .ifi_index = interface->index } };
  char buffer[4096] __attribute__ ((aligned (NLMSG_ALIGNTO)));
  struct nlmsghdr *header = (struct nlmsghdr *) (void *) buffer;
  const struct nlmsgerr *answer = NLMSG_DATA (header);
  int r = request (fd, &ask.header, err);
  ssize_t n;

  if (r < 0)
    return r;
  n = recv (fd, buffer, sizeof (buffer), 0);
  if (n < (ssize_t) NLMSG_LENGTH (sizeof (*answer)) || header->nlmsg_type != NLMSG_ERROR)
    return error_set (err, -EPROTO, "network.mode: take interface '%s' away: no answer", interface->name);
  if (answer->error == -EOPNOTSUPP && !interface->up)
    return 0;
  if (answer->error != 0)
    return error_set_errno (
        err, -answer->error,
        "network.mode: the profile allows no network, and interface '%s' cannot be taken away; "
        "start the container with --network none",
        interface->name);
  return 0;
}

static int empty_here (struct error *err)
{
  cleanup_close int fd = socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

  if (fd < 0)
    return error_set_errno (err, errno, "open a route socket");
  for (int round = 0, after = 0; round < ROUNDS_MAX; round++) {
    struct interface found;
    int r = find_first (fd, after, &found, err);

    if (r < 0 || found.index == 0)
      return r;
    r = delete_link (fd, &found, err);
    if (r < 0)
      return r;
    if (!found.up)
      after = found.index;
  }
  return error_set (err, -EBUSY, "network.mode: interfaces appear faster than they can be taken away");
}

/* Opens the namespace, and makes sure that it is not the one that we live in. */
static int open_namespace (pid_t pid, int *ret_fd, struct error *err)
{
  cleanup_free char *path = str_format ("/proc/%d/ns/net", (int) pid);
  cleanup_close int fd = path ? open (path, O_RDONLY | O_CLOEXEC) : -1;
  struct stat theirs, ours;

  if (path == NULL)
    return error_oom (err);
  if (fd < 0 || fstat (fd, &theirs) < 0 || stat ("/proc/self/ns/net", &ours) < 0)
    return error_set_errno (err, errno, "open the network namespace of process %d", (int) pid);
  if (theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev)
    return error_set (err, -EPERM, "network.mode: the container is in the host's network namespace");
  *ret_fd = take_fd (&fd);
  return 0;
}

/* In a child, so that we stay where we are. */
int network_empty (pid_t pid, struct error *err)
{
  cleanup_close int space = -1, said = -1;
  char message[512] = "";
  int pipe_fds[2], status = 0;
  size_t len = 0;
  pid_t child;
  int r = open_namespace (pid, &space, err);

  if (r < 0)
    return r;
  if (pipe2 (pipe_fds, O_CLOEXEC) < 0)
    return error_set_errno (err, errno, "make a pipe");
  child = fork ();
  if (child == 0) {
    struct error inner = { 0 };

    if (setns (space, CLONE_NEWNET) < 0)
      error_set_errno (&inner, errno, "enter the network namespace of process %d", (int) pid);
    else if (empty_here (&inner) == 0)
      _exit (0);
    (void) !write (pipe_fds[1], error_text (&inner), strlen (error_text (&inner)));
    _exit (1);
  }
  close (pipe_fds[1]);
  said = pipe_fds[0];
  if (child < 0)
    return error_set_errno (err, errno, "start a child");
  while (len < sizeof (message) - 1) {
    ssize_t n = read (said, message + len, sizeof (message) - 1 - len);

    if (n <= 0)
      break;
    len += (size_t) n;
  }
  while (waitpid (child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
    return 0;
  return error_set (err, -EPERM, "%s", len > 0 ? message : "network.mode: looking at the network failed");
}

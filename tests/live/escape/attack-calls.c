/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attacks by system calls: what a filter must refuse, and sockets of the host's. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

/* By number: the C library that this is built with has not all of the kernel's headers. */
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#define NEWUSER        0x10000000
#define NEWNS          0x00020000
#define FAMILY_ALG     38
#define FAMILY_VSOCK   40
#define FAMILY_PACKET  17
#define FAMILY_NETLINK 16
#define PROTOCOL_XFRM  6

static void child_or_parent (long pid, const char *what)
{
  if (pid == 0)
    _exit (0);
  if (pid < 0)
    held (what);
  waitpid ((pid_t) pid, NULL, 0);
  escaped ("%s made a user namespace", what);
}

void attack_clone (void)
{
  child_or_parent (syscall (SYS_clone, NEWUSER | SIGCHLD, 0, 0, 0, 0), "clone");
}

/* A filter cannot see its flags, which lie in memory. */
void attack_clone3 (void)
{
  uint64_t arguments[8] = { NEWUSER, 0, 0, 0, SIGCHLD };

  child_or_parent (syscall (SYS_clone3, arguments, sizeof (arguments)), "clone3");
}

/* Nested user namespaces are where most ways into the kernel begin. */
void attack_unshare (void)
{
  if (syscall (SYS_unshare, NEWUSER | NEWNS) < 0)
    held ("unshare");
  escaped ("unshare made user and mount namespaces");
}

#ifdef __x86_64__
void attack_int80 (void)
{
  long number = 20 /* getpid */, result;

  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number) : "memory", "r8", "r9", "r10", "r11");
  errno = (int) -result;
  if (result < 0)
    held_unless (ENOSYS, "a 32-bit call");
  escaped ("a 32-bit call gave %ld", result);
}

void attack_x32 (void)
{
  if (syscall (0x40000000 + SYS_getpid) < 0)
    held_unless (ENOSYS, "an x32 call");
  escaped ("an x32 call was made");
}
#else
static void only_x86 (void)
{
  errno = ENOSYS;
  held_unless (ENOSYS, "only on x86_64");
}

void attack_int80 (void)
{
  only_x86 ();
}

void attack_x32 (void)
{
  only_x86 ();
}
#endif

void attack_io_uring (void)
{
  char parameters[256] = "";

  if (syscall (SYS_io_uring_setup, 4, parameters) < 0)
    held ("io_uring_setup");
  escaped ("a ring, past every filter");
}

/* Keyrings belong to no namespace but the user's. */
void attack_keyctl (void)
{
  long got = syscall (SYS_keyctl, 0 /* get id */, -3 /* session */, 0);

  if (got >= 0)
    escaped ("keyctl found the session's keyring");
  if (syscall (SYS_add_key, "user", "tyrum-escape", "x", 1, -2 /* process */) >= 0)
    escaped ("add_key made a key");
  held ("keyctl, add_key");
}

void attack_userfaultfd (void)
{
  if (syscall (SYS_userfaultfd, 1 /* user mode only, which needs no privilege */) < 0)
    held ("userfaultfd");
  escaped ("page faults can be held up");
}

static void open_socket (int family, int kind, int protocol, const char *what)
{
  if (socket (family, kind | SOCK_CLOEXEC, protocol) < 0)
    held_unless (EAFNOSUPPORT, what);
  escaped ("%s", what);
}

void attack_alg (void)
{
  open_socket (FAMILY_ALG, SOCK_SEQPACKET, 0, "socket AF_ALG");
}

void attack_vsock (void)
{
  open_socket (FAMILY_VSOCK, SOCK_STREAM, 0, "socket AF_VSOCK");
}

void attack_packet (void)
{
  open_socket (FAMILY_PACKET, SOCK_RAW, 0, "socket AF_PACKET");
}

void attack_xfrm (void)
{
  open_socket (FAMILY_NETLINK, SOCK_RAW, PROTOCOL_XFRM, "socket NETLINK_XFRM");
}

void attack_abstract_socket (void)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  const char *name = given ("socket");
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

  if (fd < 0 || name == NULL)
    held ("socket AF_UNIX");
  snprintf (address.sun_path + 1, sizeof (address.sun_path) - 1, "%s", name);
  if (connect (fd, (struct sockaddr *) &address,
               (socklen_t) (offsetof (struct sockaddr_un, sun_path) + 1 + strlen (name)))
      < 0)
    held ("connect");
  escaped ("connected to the host's '@%s'", name);
}

/* Keys for whoever reads the terminal next. Also with the upper half of the number set, which the kernel does
 * not look at. */
void attack_tiocsti (void)
{
  static const unsigned long requests[] = { 0x5412, 0x5412 | 1UL << 32 };
  int terminals[] = { STDIN_FILENO, STDERR_FILENO, open ("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC) };
  size_t i, j;

  for (i = 0; i < sizeof (requests) / sizeof (requests[0]); i++)
    for (j = 0; j < sizeof (terminals) / sizeof (terminals[0]); j++)
      if (syscall (SYS_ioctl, terminals[j], requests[i], "x") >= 0)
        escaped ("ioctl %#lx put a key into a terminal", requests[i]);
  held ("ioctl TIOCSTI");
}

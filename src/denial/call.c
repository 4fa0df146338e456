/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "denial-call.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base-cleanup.h"

/* A call without a name gets the errno for unknown calls, like all calls that the list does not name. */
static int answer_by_name (const struct filter *filter, const char *name, const struct denied_call *call)
{
  int errnum = name ? filter_answer (filter, name, call->arguments) : filter->unknown_errnum;

  return errnum > 0 ? errnum : EPERM;
}

int denied_call_answer (const struct filter *filter, const struct denied_call *call)
{
  cleanup_free char *name = filter_call_name (filter, call->number);

  return answer_by_name (filter, name, call);
}

/* How an argument is written. */
enum form {
  FORM_FAMILY, /* AF_ALG */
  FORM_SPACES, /* CLONE_NEWUSER|CLONE_NEWNET */
  FORM_IOCTL,  /* TIOCSTI */
  FORM_MODE,   /* mode 4755 */
  FORM_NUMBER, /* 0x40000 */
};

/* The argument that the filter tests, or that shows the purpose of the call. */
static const struct {
  const char *name;
  unsigned argument;
  enum form form;
} shown[] = {
  { "socket", 0, FORM_FAMILY },  { "socketpair", 0, FORM_FAMILY }, { "clone", 0, FORM_SPACES },
  { "unshare", 0, FORM_SPACES }, { "setns", 1, FORM_SPACES },      { "ioctl", 1, FORM_IOCTL },
  { "chmod", 1, FORM_MODE },     { "fchmod", 1, FORM_MODE },       { "fchmodat", 2, FORM_MODE },
  { "creat", 1, FORM_MODE },     { "open", 2, FORM_MODE },         { "openat", 3, FORM_MODE },
  { "mknod", 1, FORM_MODE },     { "mknodat", 2, FORM_MODE },      { "personality", 0, FORM_NUMBER },
};

struct constant {
  uint32_t value;
  const char *name;
};

static const struct constant families[] = {
  { 2, "AF_INET" },   { 3, "AF_AX25" },   { 4, "AF_IPX" },        { 5, "AF_APPLETALK" }, { 9, "AF_X25" },
  { 10, "AF_INET6" }, { 15, "AF_KEY" },   { 17, "AF_PACKET" },    { 21, "AF_RDS" },      { 23, "AF_IRDA" },
  { 29, "AF_CAN" },   { 30, "AF_TIPC" },  { 31, "AF_BLUETOOTH" }, { 33, "AF_RXRPC" },    { 38, "AF_ALG" },
  { 39, "AF_NFC" },   { 40, "AF_VSOCK" }, { 41, "AF_KCM" },       { 42, "AF_QIPCRTR" },  { 43, "AF_SMC" },
  { 44, "AF_XDP" },   { 45, "AF_MCTP" },
};

static const struct constant spaces[] = {
  { 0x00020000, "CLONE_NEWNS" },  { 0x02000000, "CLONE_NEWCGROUP" }, { 0x04000000, "CLONE_NEWUTS" },
  { 0x08000000, "CLONE_NEWIPC" }, { 0x10000000, "CLONE_NEWUSER" },   { 0x20000000, "CLONE_NEWPID" },
  { 0x40000000, "CLONE_NEWNET" },
};

static const struct constant ioctls[] = { { 0x5412, "TIOCSTI" },
                                          { 0x541c, "TIOCLINUX" },
                                          { 0x5423, "TIOCSETD" } };

static const char *find_name (const struct constant *constants, size_t count, uint32_t value)
{
  for (size_t i = 0; i < count; i++)
    if (constants[i].value == value)
      return constants[i].name;
  return NULL;
}

static void add_spaces (struct strbuf *buf, uint32_t flags)
{
  bool first = true;

  for (size_t i = 0; i < ARRAY_LEN (spaces); i++) {
    if ((flags & spaces[i].value) == 0)
      continue;
    strbuf_addf (buf, "%s%s", first ? "" : "|", spaces[i].name);
    first = false;
  }
  if (first)
    strbuf_addf (buf, "0x%" PRIx32, flags);
}

/* The lists restrict protocols of AF_INET, AF_INET6 and AF_NETLINK, so the protocol is shown for these. */
static void add_family (struct strbuf *buf, const struct denied_call *call)
{
  uint32_t family = (uint32_t) call->arguments[0], protocol = (uint32_t) call->arguments[2];
  const char *name = find_name (families, ARRAY_LEN (families), family);

  if (family == 16)
    strbuf_addf (buf, "AF_NETLINK, protocol %" PRIu32, protocol);
  else if (name == NULL)
    strbuf_addf (buf, "family %" PRIu32, family);
  else if (family == 2 || family == 10)
    strbuf_addf (buf, "%s, protocol %" PRIu32, name, protocol);
  else
    strbuf_add (buf, name);
}

static void add_argument (struct strbuf *buf, enum form form, unsigned argument,
                          const struct denied_call *call)
{
  uint32_t value = (uint32_t) call->arguments[argument];
  const char *name = form == FORM_IOCTL ? find_name (ioctls, ARRAY_LEN (ioctls), value) : NULL;

  strbuf_add (buf, "(");
  if (form == FORM_FAMILY)
    add_family (buf, call);
  else if (form == FORM_SPACES)
    add_spaces (buf, value);
  else if (form == FORM_MODE)
    strbuf_addf (buf, "mode %" PRIo32, value & 07777);
  else if (name != NULL)
    strbuf_add (buf, name);
  else
    strbuf_addf (buf, "0x%" PRIx32, value);
  strbuf_add (buf, ")");
}

/* "syscall socket(AF_ALG)". NULL: out of memory. */
static char *describe (const char *name, const struct denied_call *call)
{
  cleanup_strbuf struct strbuf buf = { 0 };

  if (name == NULL)
    strbuf_addf (&buf, "syscall %d", call->number);
  else
    strbuf_addf (&buf, "syscall %s", name);
  for (size_t i = 0; name != NULL && i < ARRAY_LEN (shown); i++)
    if (strcmp (shown[i].name, name) == 0)
      add_argument (&buf, shown[i].form, shown[i].argument, call);
  return strbuf_take (&buf);
}

static char *rule_of (const struct plan *plan, const char *name)
{
  unsigned line = name ? filter_line_of (plan->filter, name) : 0;

  return line > 0 ? str_format ("%s:%u", plan->filter->file, line) : str_format ("%s", plan->filter->file);
}

/* All calls beyond LIMIT_DENIALS share one record. */
static void record_other (const struct plan *plan, struct denials *denials)
{
  static const char what[] = "other syscalls, not listed one by one";
  struct denial other = { .control = CONTROL_SECCOMP, .count = 1 };

  if (denials_count (denials, CONTROL_SECCOMP, what, NULL))
    return;
  other.what = strdup (what);
  other.rule = strdup (plan->filter->file);
  other.allow = strdup ("see the list");
  denials_add (denials, &other);
}

void denied_call_record (const struct plan *plan, const struct denied_call *call, struct denials *denials)
{
  cleanup_free char *name = filter_call_name (plan->filter, call->number);
  cleanup_free char *what = describe (name, call);
  struct denial denial = { .control = CONTROL_SECCOMP, .pid = call->pid, .count = 1 };

  if (what == NULL || denials_count (denials, CONTROL_SECCOMP, what, call->program))
    return;
  if (denials_are_full (denials)) {
    record_other (plan, denials);
    return;
  }
  denial.errnum = answer_by_name (plan->filter, name, call);
  denial.what = take_ptr (what);
  denial.program = call->program ? strdup (call->program) : NULL;
  denial.rule = rule_of (plan, name);
  denial.allow = name ? str_format ("add '%s' to process.seccomp.allow in a profile of your own", name)
                      : strdup ("no profile can: the name of this call is not known");
  denials_add (denials, &denial);
}

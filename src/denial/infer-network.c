/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages about failed lookups and unreachable networks, in a run without a network. */
#include <config.h>

#include "denial-infer-internal.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-str.h"

static bool has_network (const struct infer *infer)
{
  return infer->plan->settings.values[SETTING_NETWORK_MODE].level != NETWORK_NONE;
}

static void add (struct infer *infer, int errnum, char *what)
{
  infer_add (infer, CONTROL_NETWORK_MODE, errnum, CONFIDENCE_INFERRED, what,
             infer_origin (infer, SETTING_NETWORK_MODE),
             strdup ("use a profile whose network.mode is not 'none'"));
}

void infer_unreachable (struct infer *infer)
{
  if (!has_network (infer))
    add (infer, ENETUNREACH, strdup ("connection: there is no network"));
}

/* TEXT begins with the host. A loopback address is reachable without a network, so it explains nothing. */
void infer_no_peer (struct infer *infer, const char *text)
{
  struct in_addr address;
  size_t len;
  cleanup_free char *host = NULL;

  text += strspn (text, " '\"");
  len = strspn (text, "0123456789.");
  host = strndup (text, len);
  if (host != NULL && inet_pton (AF_INET, host, &address) == 1 && ntohl (address.s_addr) >> 24 != 127
      && address.s_addr != 0)
    infer_unreachable (infer);
}

/* The host name before ": " and the phrase: "ssh: Could not resolve hostname x.org: Temporary ...". */
static char *host_before (const char *line, const char *phrase)
{
  const char *end = phrase;
  const char *start;

  while (end > line && (isspace ((unsigned char) end[-1]) || end[-1] == ':' || end[-1] == '\''))
    end--;
  start = end;
  while (start > line && (isalnum ((unsigned char) start[-1]) || strchr (".-_", start[-1]) != NULL))
    start--;
  return start < end && phrase[-1] == ' ' ? message_host (start) : NULL;
}

/* Whether the host of a URL in TEXT is on a network; *LOCAL is set if one is not. A quoted word that
 * resembles "localhost" is not. */
static bool names_far_host (const char *text, bool *local)
{
  static const char *const near[] = { "localhost" };

  for (const char *at = text; *at != '\0'; at++) {
    bool url = str_has_prefix (at, "://");
    cleanup_free char *host = url || *at == '\'' || *at == '"' ? message_host (at + (url ? 3 : 1)) : NULL;

    if (host == NULL)
      continue;
    if (url && !message_host_is_local (host))
      return true;
    if (url || str_nearest (host, near, ARRAY_LEN (near)) != NULL)
      *local = true;
  }
  return false;
}

/* For a message without a host name: whether the command's arguments name only local hosts. */
static bool command_means_local (const struct infer *infer)
{
  const struct strlist *argv = &infer->plan->argv;
  bool local = false;

  for (size_t i = 0; i < argv->count; i++)
    if (names_far_host (argv->items[i], &local))
      return false;
  return local;
}

/* Programs often report it on several lines. */
static bool is_recorded (const struct infer *infer)
{
  for (size_t i = 0; i < infer->denials->count; i++)
    if (infer->denials->items[i].control == CONTROL_NETWORK_MODE)
      return true;
  return false;
}

void infer_lookup (struct infer *infer, const char *line, const char *phrase_end, const char *phrase_start)
{
  cleanup_free char *after = message_host (phrase_end);
  cleanup_free char *before = phrase_start > line ? host_before (line, phrase_start) : NULL;
  const char *host = after;

  if (has_network (infer))
    return;
  if (host == NULL || (before != NULL && strchr (host, '.') == NULL))
    host = before ? before : after;
  if (host == NULL ? is_recorded (infer) || command_means_local (infer) : message_host_is_local (host))
    return;
  add (infer, 0,
       host ? str_format ("lookup of %s: there is no network", host)
            : strdup ("lookup of a name: there is no network"));
}

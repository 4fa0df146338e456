/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No network: no interface but loopback, no route, and no external address can be reached. */
#include <config.h>

#include "posture-judge-internal.h"

#include <errno.h>
#include <string.h>

/* The number of interfaces in /proc/net/dev other than "lo", after the two heading lines; -1: unreadable. */
static int count_interfaces (const char *text)
{
  int others = 0;
  size_t lines = 0;

  for (const char *line = text; *line != '\0'; lines++) {
    const char *name = line + strspn (line, " ");
    size_t len = strcspn (line, "\n");

    if (lines >= 2 && strncmp (name, "lo:", 3) != 0)
      others++;
    line += len + (line[len] == '\n');
  }
  return lines >= 2 ? others : -1;
}

/* The number of lines in /proc/net/route after the heading. */
static int count_routes (const char *text)
{
  int lines = 0;

  for (const char *p = strchr (text, '\n'); p != NULL && p[1] != '\0'; p = strchr (p + 1, '\n'))
    lines++;
  return lines;
}

/* The errnos of connect(2) without a route, or without the protocol. */
static bool is_no_route (int errnum)
{
  return errnum == ENETUNREACH || errnum == EHOSTUNREACH || errnum == EAFNOSUPPORT || errnum == EADDRNOTAVAIL;
}

/* Connecting to an external address must fail for lack of a route. As the positive control, the loopback
 * address must succeed or fail in another way. */
static void judge_reach (struct judge *judge)
{
  int far = 0, far6 = 0, near = 0;
  bool asked = inside_connect (judge->in, &probe_far, sizeof (probe_far), &far)
               && inside_connect (judge->in, &probe_far6, sizeof (probe_far6), &far6)
               && inside_connect (judge->in, &probe_near, sizeof (probe_near), &near);

  if (!asked)
    judge_say (judge, CONTROL_NETWORK_MODE, VERDICT_UNVERIFIED, SEEN_NOT, "no connection was tried");
  else if (far == 0 || far6 == 0)
    judge_say (judge, CONTROL_NETWORK_MODE, VERDICT_VIOLATED, SEEN_INSIDE,
               "there is a route to a far address");
  else if (!is_no_route (far) || !is_no_route (far6))
    judge_say (judge, CONTROL_NETWORK_MODE, VERDICT_UNVERIFIED, SEEN_INSIDE,
               "a far address is refused for another reason than the lack of a route: %s",
               strerror (is_no_route (far) ? far6 : far));
  else if (near != 0 && far == near)
    judge_say (judge, CONTROL_NETWORK_MODE, VERDICT_UNVERIFIED, SEEN_INSIDE,
               "the own address is refused like a far one, so the refusal proves nothing: %s",
               strerror (near));
  else
    judge_say (judge, CONTROL_NETWORK_MODE, VERDICT_VERIFIED, SEEN_INSIDE,
               "a far address is refused (%s), the own one %s", strerror (far),
               near == 0 ? "is reached" : strerror (near));
}

void judge_network (struct judge *judge)
{
  const char *interfaces = inside_text (judge->in, QUESTION_FILE, "/proc/net/dev");
  const char *routes = inside_text (judge->in, QUESTION_FILE, "/proc/net/route");
  int others = interfaces ? count_interfaces (interfaces) : -1;

  if (judge->promises->settings->values[SETTING_NETWORK_MODE].level != NETWORK_NONE)
    return;
  if (others < 0)
    judge_say (judge, CONTROL_NETWORK_MODE, VERDICT_UNVERIFIED, SEEN_NOT, "interfaces could not be listed");
  else if (others > 0)
    judge_say (judge, CONTROL_NETWORK_MODE, VERDICT_VIOLATED, SEEN_INSIDE,
               "%d interfaces are there beside loopback", others);
  else if (routes != NULL && count_routes (routes) > 0)
    judge_say (judge, CONTROL_NETWORK_MODE, VERDICT_VIOLATED, SEEN_INSIDE, "there are %d routes",
               count_routes (routes));
  else
    judge_say (judge, CONTROL_NETWORK_MODE, VERDICT_VERIFIED, SEEN_INSIDE,
               "no interface but loopback, no route");
  judge_reach (judge);
}

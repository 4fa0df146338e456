/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "doctor-host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base-json-write.h"
#include "base-str.h"
#include "control-lattice.h"

/* Settings that are named where a profile is looser than another. */
#define LOOSER_SHOWN 4

const char *doctor_state_text (enum doctor_state state)
{
  static const char *const texts[] = { "good", "less", "bad" };

  return texts[state];
}

/* Takes ownership of FOUND; NULL means that memory ran out. ADVICE is used only if the state is not good. */
static void add (struct doctor *doctor, const char *name, enum doctor_state state, char *found,
                 const char *advice)
{
  struct doctor_row *grown = realloc (doctor->rows, (doctor->count + 1) * sizeof (*grown));

  if (grown != NULL)
    doctor->rows = grown;
  if (grown == NULL || found == NULL) {
    doctor->failed = true;
    free (found);
    return;
  }
  grown[doctor->count++] = (struct doctor_row){ name, state, found, state == DOCTOR_GOOD ? NULL : advice };
}

/* Whether a release such as "6.18.44-x" is at least MAJOR.MINOR. */
static bool is_kernel_from (const char *release, unsigned long major, unsigned long minor)
{
  char *end = NULL;
  unsigned long first = strtoul (release, &end, 10);
  unsigned long second = *end == '.' ? strtoul (end + 1, NULL, 10) : 0;

  return first > major || (first == major && second >= minor);
}

static void add_kernel (struct doctor *doctor, const struct host_facts *host)
{
  bool recent = is_kernel_from (host->kernel, 5, 12);

  add (doctor, "kernel", recent ? DOCTOR_GOOD : DOCTOR_LESS,
       str_format ("%s, %s", host->kernel, host->machine),
       "use a kernel from 5.12 on, which mounts by descriptor and maps the ids of the workspace");
  add (doctor, "openat2", host->openat2 ? DOCTOR_GOOD : DOCTOR_LESS, strdup (host->openat2 ? "yes" : "no"),
       "use a kernel from 5.6 on, or allow openat2 in the filter around this program; without it paths are "
       "resolved component by component");
}

static void add_groups (struct doctor *doctor, const struct host_facts *host)
{
  const char *mode = cgroup_mode_text (host->cgroup);
  bool usable = host->uid == 0 ? host->cgroup_writable : host->cgroup_delegated != NULL;

  if (host->cgroup == CGROUP_NONE)
    add (doctor, "cgroups", DOCTOR_BAD, strdup ("none"),
         "mount them at /sys/fs/cgroup; without them memory, processes and cpu are not limited");
  else if (host->uid == 0)
    add (doctor, "cgroups", usable ? DOCTOR_GOOD : DOCTOR_BAD,
         str_format ("%s, %s", mode, usable ? "groups can be created" : "no group can be created"),
         "make /sys/fs/cgroup writable for this program");
  else
    add (doctor, "cgroups", usable ? DOCTOR_GOOD : DOCTOR_BAD,
         str_format ("%s, %s", mode,
                     usable ? "one is delegated to this user" : "none is delegated to this user"),
         "start it with 'systemd-run --user --scope -p Delegate=yes', on a host with cgroup v2; 'hardened' "
         "needs the limits, 'baseline' works without");
  if (host->cgroup != CGROUP_NONE)
    add (doctor, "swap accounting", host->swap_accounting ? DOCTOR_GOOD : DOCTOR_BAD,
         strdup (host->swap_accounting ? "yes" : "no"),
         "boot with swapaccount=1; without it limits.memory does not cover swap");
}

static void add_ids (struct doctor *doctor, const struct host_facts *host)
{
  bool enough = host->subuid.count >= 65535 && host->subgid.count >= 65535;

  add (doctor, "user namespaces", host->user_namespaces ? DOCTOR_GOOD : DOCTOR_BAD,
       strdup (host->user_namespaces ? "yes" : "no"),
       "set user.max_user_namespaces above 0, kernel.unprivileged_userns_clone to 1 and "
       "kernel.apparmor_restrict_unprivileged_userns to 0, where they exist");
  if (host->uid == 0)
    add (doctor, "ids", DOCTOR_GOOD, strdup ("root: each run gets a separate range"), NULL);
  else
    add (
        doctor, "ids", enough ? DOCTOR_GOOD : DOCTOR_BAD,
        str_format ("%" PRIu32 " subordinate uids, %" PRIu32 " gids", host->subuid.count, host->subgid.count),
        "give this user 65536 ids in /etc/subuid and /etc/subgid (usermod --add-subuids, --add-subgids)");
}

static void add_filters (struct doctor *doctor, const struct host_facts *host)
{
  bool filters = strset_has (&host->seccomp_actions, "errno");
  bool notifies = strset_has (&host->seccomp_actions, "user_notif");
  const char *loaded = strset_has (&host->apparmor_profiles, "tyrum-hardened")
                           ? "tyrum-hardened is loaded"
                           : "tyrum-hardened is not loaded";
  enum doctor_state lsm =
      !host->apparmor || strcmp (loaded, "tyrum-hardened is loaded") != 0 ? DOCTOR_LESS : DOCTOR_GOOD;

  add (doctor, "seccomp", filters ? (notifies ? DOCTOR_GOOD : DOCTOR_LESS) : DOCTOR_BAD,
       strdup (!filters   ? "no filters"
               : notifies ? "filters and notifications"
                          : "filters, no notifications"),
       filters ? "use a kernel from 5.0 on; without notifications denials are not reported"
               : "use a kernel with CONFIG_SECCOMP_FILTER");
  add (doctor, "AppArmor", lsm, strdup (host->apparmor ? loaded : "the kernel has none"),
       host->apparmor ? "load it: apparmor_parser -r on the shipped profile; 'hardened' works without"
                      : "boot with apparmor=1 where the kernel has it; 'hardened' works without");
  add (doctor, "Landlock", host->landlock_abi > 0 ? DOCTOR_GOOD : DOCTOR_LESS,
       host->landlock_abi > 0 ? str_format ("version %u", host->landlock_abi) : strdup ("no"),
       "add landlock to the kernel's lsm= list; no shipped profile needs it");
}

static void add_runtimes (struct doctor *doctor, const struct doctor_runtime *runtimes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    add (doctor, runtimes[i].name, runtimes[i].version ? DOCTOR_GOOD : DOCTOR_LESS,
         strdup (runtimes[i].version ? runtimes[i].version : runtimes[i].why),
         runtimes[i].advice ? runtimes[i].advice : "needed only for the backend of that name");
}

static void add_engines (struct doctor *doctor, const struct host_facts *host)
{
  cleanup_strbuf struct strbuf list = { 0 };

  for (size_t i = 0; i < host->sockets.count; i++)
    strbuf_addf (&list, "%s%s", i > 0 ? ", " : "", host->sockets.items[i].path);
  add (doctor, "engine sockets", host->sockets.count > 0 ? DOCTOR_GOOD : DOCTOR_LESS,
       host->sockets.count > 0 ? strbuf_take (&list) : strdup ("none"),
       "start the service of Docker or Podman, or name its socket in DOCKER_HOST or CONTAINER_HOST; needed "
       "only for those backends");
}

int doctor_look_over (const struct host_facts *host, const struct doctor_runtime *runtimes, size_t count,
                      struct doctor *ret_doctor, struct error *err)
{
  cleanup_doctor struct doctor doctor = { 0 };

  add_kernel (&doctor, host);
  add_groups (&doctor, host);
  add_ids (&doctor, host);
  add_filters (&doctor, host);
  add_runtimes (&doctor, runtimes, count);
  add_engines (&doctor, host);
  if (doctor.failed)
    return error_oom (err);
  *ret_doctor = doctor;
  doctor = (struct doctor){ 0 };
  return 0;
}

/* A control that is optional in USED is looser only where CLAIMED requires it. */
static bool is_as_required (const struct profile *claimed, const struct profile *used)
{
  const struct strlist *require = &claimed->settings.values[SETTING_REQUIRE].set;
  const struct strlist *before = &claimed->settings.values[SETTING_OPTIONAL].set;
  const struct strlist *now = &used->settings.values[SETTING_OPTIONAL].set;

  for (size_t i = 0; i < now->count; i++)
    if (!strset_has (before, now->items[i])
        && (strset_has (require, "*") || strset_has (require, now->items[i])))
      return false;
  return true;
}

static bool is_as_strict (enum setting s, const struct profile *claimed, const struct profile *used)
{
  return s == SETTING_OPTIONAL ? is_as_required (claimed, used)
                               : value_within (s, &claimed->settings.values[s], &used->settings.values[s]);
}

/* Lists the settings of USED that are not as strict as in CLAIMED. What cannot be compared is not. */
static size_t find_looser (const struct profile *claimed, const struct profile *used, struct strbuf *list)
{
  size_t count = 0;

  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    if (is_as_strict (s, claimed, used))
      continue;
    if (count < LOOSER_SHOWN)
      strbuf_addf (list, "%s%s", count > 0 ? ", " : "", setting_info (s)->key);
    count++;
  }
  if (count > LOOSER_SHOWN)
    strbuf_addf (list, " and %zu more", count - LOOSER_SHOWN);
  return count;
}

bool doctor_compare_profiles (struct doctor *doctor, const struct profile *gateways,
                              const struct profile *ours)
{
  static const char advice[] = "set toolrunner.profile here, or toolrunner.hardeningProfile in Tyrum's "
                               "deployment configuration, so that the gateway claims what steps get";
  cleanup_strbuf struct strbuf looser = { 0 }, found = { 0 };
  size_t count = find_looser (gateways, ours, &looser);
  /* A file elsewhere can have the name of a shipped profile. */
  bool same = count == 0 && strcmp (gateways->name, ours->name) == 0;

  if (same)
    strbuf_addf (&found, "'%s', and so is toolrunner.profile", gateways->name);
  else
    strbuf_addf (&found, "the gateway says '%s', and toolrunner.profile is '%s', which is %s%s",
                 gateways->name, ours->name, count > 0 ? "looser: " : "as strict or stricter",
                 count > 0 && !looser.failed ? looser.text : "");
  doctor->failed = doctor->failed || looser.failed;
  add (doctor, "Tyrum's profile",
       same        ? DOCTOR_GOOD
       : count > 0 ? DOCTOR_BAD
                   : DOCTOR_LESS,
       strbuf_take (&found), advice);
  return count > 0;
}

int doctor_write (const struct doctor *doctor, const struct doctor_profile *profiles, size_t count,
                  char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };
  bool ready = count > 0;

  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/doctor/1");
  json_array_begin (&w, "host");
  for (size_t i = 0; i < doctor->count; i++) {
    json_object_begin (&w, NULL);
    json_string (&w, "name", doctor->rows[i].name);
    json_string (&w, "state", doctor_state_text (doctor->rows[i].state));
    json_string (&w, "found", doctor->rows[i].found);
    json_string (&w, "advice", doctor->rows[i].advice);
    json_object_end (&w);
  }
  json_array_end (&w);
  json_array_begin (&w, "profiles");
  for (size_t i = 0; i < count; i++) {
    ready = ready && profiles[i].ready;
    json_object_begin (&w, NULL);
    json_string (&w, "name", profiles[i].name);
    json_bool (&w, "ready", profiles[i].ready);
    json_string (&w, "told", profiles[i].told);
    json_object_end (&w);
  }
  json_array_end (&w);
  json_bool (&w, "ready", ready);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}

void doctor_clear (struct doctor *doctor)
{
  for (size_t i = 0; i < doctor->count; i++)
    free (doctor->rows[i].found);
  free (doctor->rows);
  *doctor = (struct doctor){ 0 };
}

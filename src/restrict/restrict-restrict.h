/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An engine's OCI specification, restricted to a profile: the result is nowhere looser than either.
 *
 * In: the tree of a config.json (or of its process, for exec, or its resources, for update), and a policy:
 * settings in force, filter, host facts and ids. Out: the same tree, tightened, and the list of what had to
 * be changed, by control; or a refusal where tightening would break what the container means. A tree for
 * which there is nothing to change is within the policy, which is what the hook's gate checks. Restricting a
 * result again changes nothing.
 *
 * Mount points are judged by where they lie when the links of the image are followed (spec_points), and stay
 * in the document as the engine wrote them.
 *
 * Pure: values in, values out. Keys that are not known here stay as they were, in their places. A key that is
 * known, written in another case, is refused: runtimes written in Go read it as the same one.
 *
 * Must never: loosen anything, drop an unknown key, or keep an annotation that changes a runtime's behaviour.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-error.h"
#include "base-json-edit.h"
#include "base-str.h"
#include "control-catalogue.h"
#include "host-facts.h"
#include "plan-plan.h"
#include "plan-seccomp.h"

/* Annotations that mean something to us; all others of this prefix are taken out of a spec from outside. */
#define SPEC_ANNOTATION_PREFIX  "io.tyrum."
#define SPEC_ANNOTATION_PROFILE "io.tyrum.profile"
#define SPEC_ANNOTATION_DIGEST  "io.tyrum.profile.digest"
#define SPEC_ANNOTATION_DROPPED "io.tyrum.dropped"

/* Where a kubelet keeps its pods, unless it is told otherwise. */
#define SPEC_KUBELET "/var/lib/kubelet"

/* A mount point, and where it lies in the container's root when the links of the image are followed. Both are
 * normal paths. */
struct spec_point {
  char *written, *real;
};

struct spec_points {
  struct spec_point *items;
  size_t count;
};

void spec_points_clear (struct spec_points *points);
#define cleanup_spec_points cleanup (spec_points_clear)

/* Where the mount point WRITTEN lies; itself where no link is known. POINTS may be NULL. */
const char *spec_point_real (const struct spec_points *points, const char *written);

/* A destination or path as the kernel would read it, without "." and doubled slashes; -EINVAL for a relative
 * one and for "..". */
int spec_normal_path (const char *path, char **ret_path);

struct spec_policy {
  const char *profile; /* its name, for the annotation and for messages */
  const char *digest;
  const struct settings *settings;  /* complete, under the ceiling */
  const struct filter *filter;      /* not needed for process and resources */
  const struct host_facts *host;    /* with the facts of every path of spec_sources, and of SPEC_KUBELET */
  const char *container;            /* its id; NULL where it is not known yet */
  const char *bundle;               /* its directory, without links; NULL where it is not known */
  const struct strlist *layers;     /* directories that its root is an overlay of; NULL: none */
  const struct spec_points *points; /* its mount points; NULL: no link is known */
  uint64_t cpus_above;    /* thousandths of a processor that the cgroups above it have; 0: no limit */
  struct plan_id_map ids; /* a private range for a user namespace; count 0: there is none to be had */
};

struct spec_change {
  enum control control;
  char *what; /* "CAP_SYS_ADMIN and 13 more taken away" */
};

struct spec_changes {
  struct spec_change *items;
  size_t count;
};

void spec_changes_clear (struct spec_changes *changes);
#define cleanup_spec_changes cleanup (spec_changes_clear)

/* Reads a document within LIMIT_SPEC_; NAME stands in front of messages. */
int spec_read (const char *name, const char *text, size_t len, struct json_node **ret_tree,
               struct error *err);
int spec_write (const struct json_node *tree, char **ret_text, struct error *err);

/* Host paths that CONFIG binds, and its root (a set): have host_look_path look at them first, and trace_paths
 * find out where they lie. */
int spec_sources (const struct json_node *config, struct strlist *ret_paths, struct error *err);

/* Whether a cgroupsPath is "SLICE:PREFIX:NAME", for a cgroup that systemd makes. */
bool spec_group_is_systemd (const char *group);

/* Refuses FACT as the root of a container. */
int spec_check_root (const struct path_fact *fact, struct error *err);

/* Why what is on a file system of type NAME is no container's: the kernel's own interfaces. NULL: it is not
 * one of those. */
const char *spec_kernels_filesystem (const char *name);

/* Of one entry of "mounts". */
bool spec_mount_is_bind (const struct json_node *mount);
bool spec_mount_is_read_only (const struct json_node *mount);

/* What an annotation of CONFIG says, or NULL. */
const char *spec_annotation (const struct json_node *config, const char *key);

/* Refuses a policy that cannot be enforced in an engine's container (decision 0016). */
int spec_policy_check (const struct spec_policy *policy, struct error *err);

int restrict_spec (struct json_node *config, const struct spec_policy *policy, struct spec_changes *changes,
                   struct error *err);

/* The process object of an exec. */
int restrict_process_spec (struct json_node *process, const struct spec_policy *policy,
                           struct spec_changes *changes, struct error *err);

/* The resources object of an update. Limits that it has are lowered; none is added. */
int restrict_update (struct json_node *resources, const struct spec_policy *policy,
                     struct spec_changes *changes, struct error *err);

/* "process.capabilities: ...; root.read_only: ...", the first few of them. NULL when memory ran out. */
char *spec_changes_text (const struct spec_changes *changes);

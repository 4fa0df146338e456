/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound on outside input, in one place.
 *
 * Code that hits a limit reports its name and number; nothing is truncated silently.
 */
#pragma once

#include <stddef.h>

#define LIMIT_PROFILE_BYTES   ((size_t) 1024 * 1024)
#define LIMIT_PROFILE_DEPTH   32u
#define LIMIT_PROFILE_NODES   ((size_t) 100 * 1000)
#define LIMIT_PROFILE_PARENTS 16u

#define LIMIT_OBJECT_MEMBERS ((size_t) 4096)
#define LIMIT_STRING_BYTES   ((size_t) 64 * 1024)

#define LIMIT_MOUNTS      ((size_t) 512)
#define LIMIT_ENVIRONMENT ((size_t) 4096)
#define LIMIT_ARGUMENTS   ((size_t) 4096)
#define LIMIT_SET_ENTRIES ((size_t) 1024)
#define LIMIT_SECRETS     ((size_t) 64)

#define LIMIT_PATH_BYTES ((size_t) 4095)
#define LIMIT_NAME_BYTES ((size_t) 64)

/* The facts on which a run was judged: a few files of /proc, a mount table among them. */
#define LIMIT_FACTS_BYTES ((size_t) 8 * 1024 * 1024)

/* An OCI image layout: its JSON documents, then the contents of all its layers together. */
#define LIMIT_IMAGE_TAG_BYTES      ((size_t) 255)
#define LIMIT_IMAGE_MARK_BYTES     ((size_t) 4096)
#define LIMIT_IMAGE_DOCUMENT_BYTES ((size_t) 4 * 1024 * 1024)
#define LIMIT_IMAGE_DOCUMENT_DEPTH 32u
#define LIMIT_IMAGE_DOCUMENT_NODES ((size_t) 100 * 1000)
#define LIMIT_IMAGE_MANIFESTS      ((size_t) 1024)
#define LIMIT_IMAGE_NESTING        4u
#define LIMIT_IMAGE_LAYERS         ((size_t) 512)
#define LIMIT_IMAGE_BLOB_BYTES     (64ull * 1024 * 1024 * 1024)
#define LIMIT_IMAGE_UNPACKED_BYTES (64ull * 1024 * 1024 * 1024)
#define LIMIT_IMAGE_ENTRIES        2000000u
#define LIMIT_IMAGE_DEPTH          128u

/* An engine's config.json, the process or resources documents that it passes later, and
 * a hook's state document. */
#define LIMIT_SPEC_BYTES         ((size_t) 4 * 1024 * 1024)
#define LIMIT_SPEC_DEPTH         24u
#define LIMIT_SPEC_NODES         ((size_t) 200 * 1000)
#define LIMIT_STATE_BYTES        ((size_t) 1024 * 1024)
#define LIMIT_CONTAINER_ID_BYTES ((size_t) 255)
/* Allowing rules of a seccomp filter that is merged with another, and changes that a merge may record. */
#define LIMIT_SPEC_RULES   ((size_t) 8192)
#define LIMIT_SPEC_CHANGES ((size_t) 4096)

/* One line of the audit journal, and the default number of lines that a verb shows. */
#define LIMIT_JOURNAL_LINE_BYTES ((size_t) 128 * 1024)
#define LIMIT_JOURNAL_DEPTH      16u
#define LIMIT_JOURNAL_NODES      ((size_t) 16 * 1024)
#define LIMIT_JOURNAL_SHOWN      ((size_t) 1000)

/* The payload that Tyrum's gateway passes to a ToolRunner, and the result that it accepts. */
#define LIMIT_PAYLOAD_BYTES ((size_t) 4 * 1024 * 1024)
#define LIMIT_PAYLOAD_DEPTH 32u
#define LIMIT_PAYLOAD_NODES ((size_t) 200 * 1000)

/* Replies of an engine: a whole reply, its header where we parse it, one value of a stream, and one frame
 * of a container's output. */
#define LIMIT_ENGINE_REPLY_BYTES ((size_t) 32 * 1024 * 1024)
#define LIMIT_ENGINE_REPLY_DEPTH 32u
#define LIMIT_ENGINE_REPLY_NODES ((size_t) 1000 * 1000)
#define LIMIT_ENGINE_HEAD_BYTES  ((size_t) 64 * 1024)
#define LIMIT_ENGINE_VALUE_BYTES ((size_t) 1024 * 1024)
#define LIMIT_ENGINE_FRAME_BYTES ((size_t) 16 * 1024 * 1024)

/* Memory that a command can make us use: distinct denials of one run, and the end of its standard error. */
#define LIMIT_DENIALS       ((size_t) 64)
#define LIMIT_TAIL_BYTES    ((size_t) 8 * 1024)
#define LIMIT_WATCHED_FILES ((size_t) 8)

/* Compiled filters: the largest, with its digest (the kernel accepts 4096 instructions),
 * and how many are cached. */
#define LIMIT_FILTER_BYTES   ((ssize_t) 4096 * 8 + 32)
#define LIMIT_FILTERS_CACHED ((size_t) 64)

/* Values that a kernel interface bounds. */
#define LIMIT_PIDS_MAX       4194304u    /* PID_MAX_LIMIT on 64 bit */
#define LIMIT_OPEN_FILES_MAX 1048576u    /* default fs.nr_open */
#define LIMIT_ID_MAX         4294967294u /* (uid_t) -1 means "no change" */

/* Lines of --events that a reader has not taken. */
#define LIMIT_EVENT_QUEUE_BYTES ((size_t) 256 * 1024)

/* From TERM to KILL. */
#define LIMIT_GRACE_MS 60000u

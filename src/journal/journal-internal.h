/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The journal's directory, its head and its lock: what writer, reader and verifier share. */
#pragma once

#include <sys/types.h>

#include "journal-journal.h"

/* The last line that is known to be written. */
struct journal_head {
  uint64_t file; /* the file that is being written, by the number of its first line */
  uint64_t size; /* of that file */
  uint64_t seq;  /* 0: there is no line yet */
  char hash[SHA256_HEX];
};

struct journal {
  struct journal_options options; /* without the directory, which is open */
  int directory, lock;
  unsigned tries; /* to take the lock */
  int head_fd;    /* -1: not opened yet */
  int file_fd;
  uint64_t file; /* which file FILE_FD is; 0: none */
};

#define JOURNAL_NAME 32
void journal_file_name (uint64_t file, char name[JOURNAL_NAME]);

/* The file that comes after AFTER; 0 for the first. -ENOENT when there is none. */
int journal_next_file (int directory, uint64_t after, uint64_t *ret_file, struct error *err);

/* Numbers of all files, ascending; the caller frees them. */
int journal_list_files (int directory, uint64_t **ret_files, size_t *ret_count, struct error *err);

/* -ENOENT where there is none, -EBADMSG where it cannot be understood. */
int journal_head_read (int fd, struct journal_head *ret_head, struct error *err);
int journal_head_write (int fd, const struct journal_head *head, struct error *err);
/* Reads it by itself, between two writers. */
int journal_head_look (int directory, struct journal_head *ret_head, struct error *err);

#define JOURNAL_HEAD "head"
#define JOURNAL_LOCK "lock"

/* A reader on DIRECTORY, which stays the caller's, at byte OFFSET of FILE. */
int journal_reader_at (int directory, uint64_t file, uint64_t offset, struct journal_reader **ret_reader,
                       struct error *err);

/* journal-mend.c: what the last writer left behind HEAD. On return HEAD is what there really is, and
 * *RET_LINE (with its newline; NULL: none is needed) has to be written next, by which HEAD becomes the
 * journal's again. HEAD may be NULL-like (file 0) where it was missing. */
struct journal_damage {
  bool head_missing;
  uint64_t lost;              /* lines that the head names and that are not there */
  char lost_hash[SHA256_HEX]; /* of the last of them */
  uint64_t torn;              /* bytes that are no line */
  char torn_hash[SHA256_HEX];
  bool unended;   /* they have no newline yet */
  bool restarted; /* the host was started since the last line was written */
};
int journal_look_behind (struct journal *journal, struct journal_head *head,
                         struct journal_damage *ret_damage, struct error *err);
void journal_damage_details (struct json_writer *w, const void *damage);

/* What a line "mended" says; false when it says nothing of the kind. */
bool journal_damage_read (const struct json_node *details, struct journal_damage *ret_damage);

uint64_t journal_now (void);
/* Microseconds since 1970 as RFC 3339; and back. */
#define JOURNAL_TIME 32
void journal_time_text (uint64_t time, char text[JOURNAL_TIME]);

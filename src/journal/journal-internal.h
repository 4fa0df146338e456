/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by writer, reader and verifier: the journal's directory, head and lock. */
#pragma once

#include <sys/types.h>

#include "base-json-object.h"
#include "journal-journal.h"

/* Names the last line that was written. */
struct journal_head {
  uint64_t file; /* the current file, by the number of its first line; 0: the head is missing */
  uint64_t size; /* of that file */
  uint64_t seq;  /* 0: there is no line yet */
  char hash[SHA256_HEX];
};

struct journal {
  struct journal_options options; /* STATE is NULL: the directory is open */
  int directory, lock;
  unsigned tries; /* to take the lock */
  int head_fd;    /* -1: not opened yet */
  int file_fd;
  uint64_t file; /* which file FILE_FD is; 0: none */
};

#define JOURNAL_NAME 32
void journal_file_name (uint64_t file, char name[JOURNAL_NAME]);

/* The file after AFTER, or the first one for 0. -ENOENT: there is none. */
int journal_next_file (int directory, uint64_t after, uint64_t *ret_file, struct error *err);

/* Numbers of all files, ascending; the caller frees them. */
int journal_list_files (int directory, uint64_t **ret_files, size_t *ret_count, struct error *err);

/* -EBADMSG if it is malformed. */
int journal_head_read (int fd, struct journal_head *ret_head, struct error *err);
int journal_head_write (int fd, const struct journal_head *head, struct error *err);
/* Opens and reads it under a shared lock. -ENOENT: there is none. */
int journal_head_look (int directory, struct journal_head *ret_head, struct error *err);

#define JOURNAL_HEAD "head"
#define JOURNAL_LOCK "lock"

/* A reader at byte OFFSET of FILE in DIRECTORY, which the caller keeps open. */
int journal_reader_at (int directory, uint64_t file, uint64_t offset, struct journal_reader **ret_reader,
                       struct error *err);

/* repair.c: compares the files with HEAD (file 0: missing). On return HEAD names the last good line, and the
 * caller records *RET_DAMAGE in the next line. */
struct journal_damage {
  bool head_missing;
  uint64_t lost;              /* lines up to the head that are missing */
  char lost_hash[SHA256_HEX]; /* of the last of them */
  uint64_t torn;              /* bytes that are not part of a valid line */
  char torn_hash[SHA256_HEX];
  bool unended;   /* the file does not end with a newline */
  bool restarted; /* the host has booted since the last line was written */
};
int journal_find_damage (struct journal *journal, struct journal_head *head,
                         struct journal_damage *ret_damage, struct error *err);
void journal_damage_details (struct json_writer *w, const void *damage);

/* Parses the details of a line "repaired"; false if they are malformed. */
bool journal_damage_read (const struct json_node *details, struct journal_damage *ret_damage);

json_reader journal_into_hash; /* into a char[SHA256_HEX] */

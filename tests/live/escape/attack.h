/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the attacks share: how one says how it ended, and what the test tells them.
 *
 * An attack runs in a process of its own. It ends by one of the three words, and does no harm where it gets
 * through: it opens without writing, writes what was there before, or writes into what carries the test's
 * mark.
 */
#ifndef ATTACK_H
#define ATTACK_H

/* Nothing held it. */
__attribute__ ((noreturn, format (printf, 1, 2))) void escaped (const char *format, ...);

/* Something did; WHAT was tried, and errno says how it ended. */
__attribute__ ((noreturn)) void held (const char *what);

/* As held, or as absent where errno is one that a kernel without the means gives. */
__attribute__ ((noreturn)) void held_unless (int lacking, const char *what);

/* The value of NAME=VALUE on the command line, or NULL. */
const char *given (const char *name);

/* Whether PATH, from DIRECTORY on, can be read and holds what the test calls its secret. */
int reads_secret (int directory, const char *path);

void attack_clone (void);
void attack_clone3 (void);
void attack_unshare (void);
void attack_int80 (void);
void attack_x32 (void);
void attack_io_uring (void);
void attack_keyctl (void);
void attack_userfaultfd (void);
void attack_alg (void);
void attack_vsock (void);
void attack_packet (void);
void attack_xfrm (void);
void attack_abstract_socket (void);
void attack_tiocsti (void);

void attack_descriptors (void);
void attack_working_directory (void);
void attack_host_file (void);
void attack_programs (void);
void attack_masked_paths (void);
void attack_null (void);
void attack_console (void);
void attack_proc (void);
void attack_core_pattern (void);
void attack_proc_writes (void);
void attack_sys_writes (void);
void attack_device_nodes (void);
void attack_devices (void);
void attack_hard_links (void);

void attack_release_agent (void);
void attack_cgroup_mount (void);
void attack_inheritable (void);
void attack_file_capabilities (void);
void attack_setuid (void);
void attack_make_setuid (void);
void attack_create_setuid (void);
void attack_tmpfile_setuid (void);

/* What a program that was made to raise its privileges says of itself: "raised" or "plain". */
int tell_privileges (void);

/* Opens PATH for reading, with setuid bits in the register of the mode, which no such open has. Says
 * "opened", and returns 0, where it can. */
int open_unused_mode (const char *path);

#endif

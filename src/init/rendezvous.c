/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-rendezvous.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init-answer.h"
#include "init-command.h"
#include "init-memory.h"
#include "init-tools.h"

/* What was heard last, and what is said to it. Only until the go-ahead. */
static struct {
  struct {
    struct handshake_header header;
    unsigned char questions[LIMIT_ASK_BYTES];
  } message;
  struct answers answers;
} talk;

static struct handshake_header header_of (enum handshake_type type, uint32_t length)
{
  return (struct handshake_header){
    .magic = HANDSHAKE_MAGIC, .version = HANDSHAKE_VERSION, .type = (uint16_t) type, .length = length
  };
}

static bool header_is_ours (const struct handshake_header *header, enum handshake_type type)
{
  return header->magic == HANDSHAKE_MAGIC && header->version == HANDSHAKE_VERSION && header->type == type;
}

static bool header_is (const struct handshake_header *header, enum handshake_type type)
{
  return header_is_ours (header, type) && header->length == 0;
}

/* After a call failed: whether to make it again. The other end may have made the description non-blocking. */
static bool worth_again (int fd, short events)
{
  struct pollfd wait = { .fd = fd, .events = events };

  if (errno == EINTR)
    return true;
  return errno == EAGAIN && (poll (&wait, 1, -1) >= 0 || errno == EINTR);
}

/* One packet. */
static int send_packet (int fd, const void *packet, size_t size)
{
  ssize_t sent;

  do
    sent = send (fd, packet, size, MSG_NOSIGNAL);
  while (sent < 0 && worth_again (fd, POLLOUT));
  if (sent < 0)
    return -errno;
  return (size_t) sent == size ? 0 : -EMSGSIZE;
}

/* One packet; RET_SIZE is that of the whole, also where it did not fit. -EPIPE at the end. */
static int receive_packet (int fd, void *packet, size_t room, size_t *ret_size)
{
  ssize_t got;

  do
    got = recv (fd, packet, room, MSG_TRUNC);
  while (got < 0 && worth_again (fd, POLLIN));
  if (got < 0)
    return -errno;
  if (got == 0)
    return -EPIPE;
  *ret_size = (size_t) got;
  return 0;
}

static int write_all (int fd, const void *data, size_t size)
{
  const char *at = data;

  while (size > 0) {
    ssize_t written = write (fd, at, size);
    if (written < 0) {
      if (!worth_again (fd, POLLOUT))
        return -errno;
      continue;
    }
    at += written;
    size -= (size_t) written;
  }
  return 0;
}

/* Not a byte more than SIZE: what follows is the payload's. */
static int read_all (int fd, void *data, size_t size)
{
  char *at = data;

  while (size > 0) {
    ssize_t got = read (fd, at, size);
    if (got == 0)
      return -EPIPE;
    if (got < 0) {
      if (!worth_again (fd, POLLIN))
        return -errno;
      continue;
    }
    at += got;
    size -= (size_t) got;
  }
  return 0;
}

static int say (enum transport transport, const void *data, size_t size)
{
  if (transport == TRANSPORT_STDIO)
    return write_all (STDOUT_FILENO, data, size);
  return send_packet (HANDSHAKE_FD, data, size);
}

/* The ANSWER, and behind it the bytes in pieces that a packet can take. */
static int send_answers (enum transport transport)
{
  struct handshake_header header = header_of (HANDSHAKE_ANSWER, (uint32_t) talk.answers.used);
  int r = say (transport, &header, sizeof header);

  for (size_t at = 0; r == 0 && at < talk.answers.used;) {
    size_t left = talk.answers.used - at;
    size_t piece = left < REPORT_PIECE_BYTES ? left : REPORT_PIECE_BYTES;

    r = say (transport, talk.answers.bytes + at, piece);
    at += piece;
  }
  return r;
}

/* From a byte stream: no more than the header says, and only if it is one with something behind it. */
static int receive_from_stream (size_t *ret_size)
{
  struct handshake_header *header = &talk.message.header;
  int r = read_all (STDIN_FILENO, header, sizeof *header);

  if (r < 0)
    return r;
  *ret_size = sizeof *header;
  if ((!header_is_ours (header, HANDSHAKE_ASK) && !header_is_ours (header, HANDSHAKE_CONFINE))
      || header->length > sizeof talk.message.questions)
    return 0;
  r = read_all (STDIN_FILENO, talk.message.questions, header->length);
  *ret_size += header->length;
  return r;
}

static int hear (enum transport transport, size_t *ret_size)
{
  if (transport == TRANSPORT_STDIO)
    return receive_from_stream (ret_size);
  return receive_packet (HANDSHAKE_FD, &talk.message, sizeof talk.message, ret_size);
}

/* An ASK of SIZE bytes, header and all, that lies in talk.message. */
static int answer (enum transport transport, size_t size, struct failure *failure)
{
  const unsigned char *questions = talk.message.questions;
  uint32_t length = talk.message.header.length;
  int r = -EBADMSG;

  if (length <= sizeof talk.message.questions && size == sizeof talk.message.header + length)
    r = answer_all ((struct questions){ questions, questions + length }, &talk.answers);
  if (r < 0)
    return failure_set (failure, r, "the supervisor's questions are malformed", NULL);
  r = send_answers (transport);
  return r < 0 ? failure_set_errno (failure, -r, "cannot answer the supervisor", NULL) : 0;
}

/* A CONFINE of SIZE bytes, header and all, that lies in talk.message. */
static int confine (size_t size, struct failure *failure)
{
  uint32_t length = talk.message.header.length;

  if (length > sizeof talk.message.questions || size != sizeof talk.message.header + length)
    return failure_set (failure, -EBADMSG, "the supervisor's list of programs is malformed", NULL);
  return tools_prepare (talk.message.questions, length, failure);
}

/* A COMMAND of SIZE bytes, header and all, that lies in talk.message. */
static int take_command (size_t size, struct options *options, struct failure *failure)
{
  uint32_t length = talk.message.header.length;

  if (length > sizeof talk.message.questions || size != sizeof talk.message.header + length)
    return failure_set (failure, -EBADMSG, "the supervisor's command is malformed", NULL);
  return command_take (talk.message.questions, length, options, failure);
}

/* Answers, until something comes that is no question: a header of SIZE bytes, in talk.message. */
static int answer_until_told (struct options *options, size_t *ret_size, struct failure *failure)
{
  for (;;) {
    enum transport transport = options->transport;
    int r = hear (transport, ret_size);

    if (r == -EPIPE)
      return failure_set (failure, r, "the supervisor went away before the go-ahead", NULL);
    if (r < 0)
      return failure_set_errno (failure, -r, "cannot receive the supervisor's go-ahead", NULL);
    if (*ret_size >= sizeof talk.message.header && header_is_ours (&talk.message.header, HANDSHAKE_CONFINE))
      r = confine (*ret_size, failure);
    else if (*ret_size >= sizeof talk.message.header
             && header_is_ours (&talk.message.header, HANDSHAKE_COMMAND))
      r = take_command (*ret_size, options, failure);
    else if (*ret_size >= sizeof talk.message.header && header_is_ours (&talk.message.header, HANDSHAKE_ASK))
      r = answer (transport, *ret_size, failure);
    else
      return 0;
    if (r < 0)
      return r;
  }
}

int handshake_await_go (struct options *options, struct failure *failure)
{
  enum transport transport = options->transport;
  struct handshake_header hello = header_of (HANDSHAKE_HELLO, 0);
  size_t size;
  int r = say (transport, &hello, sizeof hello);

  if (r < 0)
    return failure_set_errno (failure, -r, "cannot say hello to the supervisor", NULL);
  r = answer_until_told (options, &size, failure);
  if (r < 0)
    return r;
  if (size == sizeof talk.message.header && header_is (&talk.message.header, HANDSHAKE_STOP))
    return failure_set_silent (failure, -ECANCELED);
  if (size != sizeof talk.message.header || !header_is (&talk.message.header, HANDSHAKE_GO))
    return failure_set (failure, -EBADMSG, "the supervisor's answer is neither a question, nor go, nor stop",
                        NULL);
  if (!options->command)
    return failure_set (failure, -EBADMSG, "the supervisor's go-ahead came before a command", NULL);
  memory_forget (&talk, sizeof talk);
  if (transport != TRANSPORT_STDIO)
    close (HANDSHAKE_FD);
  return 0;
}

int handshake_check_supervisor (struct failure *failure)
{
  struct pollfd status = { .fd = STATUS_FD };
  int r;

  do
    r = poll (&status, 1, 0);
  while (r < 0 && errno == EINTR);
  if (r < 0)
    return failure_set_errno (failure, errno, "cannot look at the status socket", NULL);
  if (status.revents)
    return failure_set (failure, -EPIPE, "the supervisor went away after the go-ahead", NULL);
  return 0;
}

void handshake_tell_ended (struct handshake_ended ended)
{
  struct handshake_header told;
  size_t size;
  int r;

  ended.header = header_of (HANDSHAKE_ENDED, sizeof ended - sizeof ended.header);
  if (send_packet (STATUS_FD, &ended, sizeof ended) < 0)
    return;
  do
    r = receive_packet (STATUS_FD, &told, sizeof told, &size);
  while (r == 0 && (size != sizeof told || !header_is (&told, HANDSHAKE_SEEN)));
}

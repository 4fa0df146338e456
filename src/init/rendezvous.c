/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-rendezvous.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "init-answer.h"
#include "init-command.h"
#include "init-memory.h"
#include "init-restrict.h"
#include "init-tools.h"

/* The last message, and the answers to it. Only used until the go-ahead. */
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

/* Whether to repeat a call that failed. The other end may have made the file description non-blocking. */
static bool worth_again (int fd, short events)
{
  struct pollfd wait = { .fd = fd, .events = events };

  if (errno == EINTR)
    return true;
  return errno == EAGAIN && (poll (&wait, 1, -1) >= 0 || errno == EINTR);
}

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

/* Sends one packet, with the descriptor PASSED if it is not negative. */
static int send_passing (const void *packet, size_t size, int passed)
{
  struct iovec part = { .iov_len = size };
  union {
    char bytes[CMSG_SPACE (sizeof (int))];
    struct cmsghdr head;
  } control = {
    .head = { .cmsg_len = CMSG_LEN (sizeof (int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS }
  };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
  ssize_t sent;

  memcpy (&part.iov_base, &packet, sizeof part.iov_base);
  if (passed >= 0) {
    memcpy (CMSG_DATA (&control.head), &passed, sizeof passed);
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
  }
  do
    sent = sendmsg (HANDSHAKE_FD, &message, MSG_NOSIGNAL);
  while (sent < 0 && worth_again (HANDSHAKE_FD, POLLOUT));
  if (sent < 0)
    return -errno;
  return (size_t) sent == size ? 0 : -EMSGSIZE;
}

/* Receives one packet; RET_SIZE is its full size, even if it did not fit. -EPIPE at the end. */
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

/* Never reads more than SIZE bytes: what follows is for the command. */
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

static int send_bytes (enum transport transport, const void *data, size_t size)
{
  if (transport == TRANSPORT_STDIO)
    return write_all (STDOUT_FILENO, data, size);
  return send_packet (HANDSHAKE_FD, data, size);
}

/* Sends the ANSWER, then the bytes in pieces that fit into a packet. */
static int send_answers (enum transport transport)
{
  struct handshake_header header = header_of (HANDSHAKE_ANSWER, (uint32_t) talk.answers.used);
  int r = send_bytes (transport, &header, sizeof header);

  for (size_t at = 0; r == 0 && at < talk.answers.used;) {
    size_t left = talk.answers.used - at;
    size_t piece = left < REPORT_PIECE_BYTES ? left : REPORT_PIECE_BYTES;

    r = send_bytes (transport, talk.answers.bytes + at, piece);
    at += piece;
  }
  return r;
}

/* From a byte stream: reads a header, and what it announces if the message has a body. */
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

static int receive (enum transport transport, size_t *ret_size)
{
  if (transport == TRANSPORT_STDIO)
    return receive_from_stream (ret_size);
  return receive_packet (HANDSHAKE_FD, &talk.message, sizeof talk.message, ret_size);
}

/* Whether the SIZE bytes in talk.message are a header and exactly the body that it announces. */
static bool message_is_whole (size_t size)
{
  uint32_t length = talk.message.header.length;

  return length <= sizeof talk.message.questions && size == sizeof talk.message.header + length;
}

/* Answers an ASK of SIZE bytes, header included, in talk.message. */
static int answer (enum transport transport, size_t size, struct failure *failure)
{
  const unsigned char *questions = talk.message.questions;
  int r = -EBADMSG;

  if (message_is_whole (size))
    r = answer_all ((struct questions){ questions, questions + talk.message.header.length }, &talk.answers);
  if (r < 0)
    return failure_set (failure, r, "the supervisor's questions are malformed", NULL);
  r = send_answers (transport);
  return r < 0 ? failure_set_errno (failure, -r, "cannot answer the supervisor", NULL) : 0;
}

/* Handles a CONFINE of SIZE bytes, header included, in talk.message. */
static int confine (size_t size, struct failure *failure)
{
  if (!message_is_whole (size))
    return failure_set (failure, -EBADMSG, "the supervisor's list of programs is malformed", NULL);
  return tools_prepare (talk.message.questions, talk.message.header.length, failure);
}

/* Handles a RESTRICT of SIZE bytes, header included, in talk.message. A failure is the supervisor's to
 * judge. */
static int restrict_now (size_t size, struct failure *failure)
{
  static bool restricted;
  struct handshake_header header = header_of (HANDSHAKE_RESTRICTED, sizeof (struct handshake_restricted));
  struct handshake_restricted reply = { 0 };
  enum restrict_step step;
  int listener, r;

  if (restricted || !message_is_whole (size))
    return failure_set (failure, -EBADMSG, "the supervisor's restrictions are malformed, or came twice",
                        NULL);
  restricted = true;
  listener = restrict_self (talk.message.questions, talk.message.header.length, &step);
  reply.errnum = listener < 0 ? -listener : 0;
  reply.step = step;
  r = send_passing (&header, sizeof header, listener);
  if (r == 0)
    r = send_packet (HANDSHAKE_FD, &reply, sizeof reply);
  if (listener >= 0)
    close (listener);
  return r < 0 ? failure_set_errno (failure, -r, "cannot hand the filter's listener over", NULL) : 0;
}

/* Handles a COMMAND of SIZE bytes, header included, in talk.message. */
static int take_command (size_t size, struct options *options, struct failure *failure)
{
  if (!message_is_whole (size))
    return failure_set (failure, -EBADMSG, "the supervisor's command is malformed", NULL);
  return command_take (talk.message.questions, talk.message.header.length, options, failure);
}

/* Handles messages until one has another type: it is left in talk.message, with its size in RET_SIZE. */
static int handle_messages (struct options *options, size_t *ret_size, struct failure *failure)
{
  const struct handshake_header *header = &talk.message.header;

  for (;;) {
    int r = receive (options->transport, ret_size);

    if (r == -EPIPE)
      return failure_set (failure, r, "the supervisor went away before the go-ahead", NULL);
    if (r < 0)
      return failure_set_errno (failure, -r, "cannot receive the supervisor's go-ahead", NULL);
    if (*ret_size < sizeof *header)
      return 0;
    if (header_is_ours (header, HANDSHAKE_CONFINE))
      r = confine (*ret_size, failure);
    else if (header_is_ours (header, HANDSHAKE_COMMAND))
      r = take_command (*ret_size, options, failure);
    else if (header_is_ours (header, HANDSHAKE_RESTRICT) && options->transport == TRANSPORT_FD)
      r = restrict_now (*ret_size, failure);
    else if (header_is_ours (header, HANDSHAKE_ASK))
      r = answer (options->transport, *ret_size, failure);
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
  int r = send_bytes (transport, &hello, sizeof hello);

  if (r < 0)
    return failure_set_errno (failure, -r, "cannot say hello to the supervisor", NULL);
  r = handle_messages (options, &size, failure);
  if (r < 0)
    return r;
  if (size == sizeof talk.message.header && header_is (&talk.message.header, HANDSHAKE_STOP))
    return failure_set_silent (failure, -ECANCELED);
  if (size != sizeof talk.message.header || !header_is (&talk.message.header, HANDSHAKE_GO))
    return failure_set (failure, -EBADMSG, "the supervisor's message is neither a question, nor go, nor stop",
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
    return failure_set_errno (failure, errno, "cannot poll the status socket", NULL);
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

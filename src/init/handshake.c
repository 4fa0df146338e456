#include <config.h>

#include "init-handshake.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

static struct handshake_header header_of (enum handshake_type type, uint32_t length)
{
  return (struct handshake_header){
    .magic = HANDSHAKE_MAGIC, .version = HANDSHAKE_VERSION, .type = (uint16_t) type, .length = length
  };
}

static bool header_is (const struct handshake_header *header, enum handshake_type type)
{
  return header->magic == HANDSHAKE_MAGIC && header->version == HANDSHAKE_VERSION && header->type == type
         && header->length == 0;
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

/* One packet that is nothing but a header. -EPIPE at the end, -EBADMSG for a packet of another size. */
static int receive_header (int fd, struct handshake_header *ret_header)
{
  struct handshake_header header;
  ssize_t got;

  do
    got = recv (fd, &header, sizeof header, MSG_TRUNC);
  while (got < 0 && worth_again (fd, POLLIN));
  if (got < 0)
    return -errno;
  if (got == 0)
    return -EPIPE;
  if (got != sizeof header)
    return -EBADMSG;
  *ret_header = header;
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

static int say_hello (enum carrier carrier)
{
  struct handshake_header hello = header_of (HANDSHAKE_HELLO, 0);

  if (carrier == CARRIER_STDIO)
    return write_all (STDOUT_FILENO, &hello, sizeof hello);
  return send_packet (HANDSHAKE_FD, &hello, sizeof hello);
}

static int receive_answer (enum carrier carrier, struct handshake_header *ret_answer)
{
  if (carrier == CARRIER_STDIO)
    return read_all (STDIN_FILENO, ret_answer, sizeof *ret_answer);
  return receive_header (HANDSHAKE_FD, ret_answer);
}

int handshake_ask (enum carrier carrier, struct failure *failure)
{
  struct handshake_header answer;
  int r = say_hello (carrier);

  if (r < 0)
    return failure_set_errno (failure, -r, "cannot say hello to the supervisor", NULL);
  r = receive_answer (carrier, &answer);
  if (r == -EPIPE)
    return failure_set (failure, r, "the supervisor went away before the go-ahead", NULL);
  if (r < 0 && r != -EBADMSG)
    return failure_set_errno (failure, -r, "cannot receive the supervisor's go-ahead", NULL);
  if (r == 0 && header_is (&answer, HANDSHAKE_STOP))
    return failure_set_silent (failure, -ECANCELED);
  if (r < 0 || !header_is (&answer, HANDSHAKE_GO))
    return failure_set (failure, -EBADMSG, "the supervisor's answer is neither go nor stop", NULL);
  if (carrier == CARRIER_FD)
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
  struct handshake_header answer;
  int r;

  ended.header = header_of (HANDSHAKE_ENDED, sizeof ended - sizeof ended.header);
  if (send_packet (STATUS_FD, &ended, sizeof ended) < 0)
    return;
  do
    r = receive_header (STATUS_FD, &answer);
  while (r == -EBADMSG || (r == 0 && !header_is (&answer, HANDSHAKE_SEEN)));
}

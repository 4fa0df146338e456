#include <config.h>

#include "run-stream.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"

static void close_from (struct stream *stream)
{
  close_p (&stream->from);
  stream->from = -1;
}

/* Nobody reads any more: what is left goes nowhere. */
static void stop_writing (struct stream *stream)
{
  if (stream->own_to)
    close_p (&stream->to);
  stream->to = -1;
  stream->start = stream->len = 0;
}

bool stream_wants_read (const struct stream *stream)
{
  return stream->from >= 0 && stream->start + stream->len < STREAM_BUFFER;
}

bool stream_wants_write (const struct stream *stream)
{
  return stream->to >= 0 && stream->len > 0;
}

void stream_read (struct stream *stream)
{
  size_t at = stream->start + stream->len;
  ssize_t n = read (stream->from, stream->buffer + at, STREAM_BUFFER - at);
  uint64_t room;

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n <= 0) {
    close_from (stream);
    if (stream->len == 0)
      stop_writing (stream);
    return;
  }
  stream->seen += (uint64_t) n;
  room = stream->cap > stream->passed ? stream->cap - stream->passed : 0;
  if ((uint64_t) n > room)
    n = (ssize_t) room;
  stream->passed += (uint64_t) n;
  stream->len += (size_t) n;
  if (stream->to < 0)
    stream->start = stream->len = 0;
}

void stream_write (struct stream *stream)
{
  /* A pipe that polls as writable takes this much without blocking; more might not fit. */
  size_t most = stream->own_to ? stream->len : (stream->len < PIPE_BUF ? stream->len : PIPE_BUF);
  ssize_t n = write (stream->to, stream->buffer + stream->start, most);

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n < 0) {
    stop_writing (stream);
    return;
  }
  stream->start += (size_t) n;
  stream->len -= (size_t) n;
  if (stream->len == 0) {
    stream->start = 0;
    if (stream->from < 0)
      stop_writing (stream);
  }
}

bool stream_is_done (const struct stream *stream)
{
  return stream->from < 0 && !stream_wants_write (stream);
}

bool stream_was_cut (const struct stream *stream)
{
  return stream->seen > stream->passed;
}

void stream_clear (struct stream *stream)
{
  close_from (stream);
  if (stream->own_to)
    close_p (&stream->to);
  stream->to = -1;
}

#include <string.h>
#include "file/stream.h"
#include "usage/event.h"
#include "usage/repeat.h"

bool lg_polls(int cls)
{
  switch (cls) {
  case CLS_test: case CLS_testall: case CLS_testany: case CLS_iprobe: case CLS_improbe: case CLS_get_status: case CLS_parrived: case CLS_win_test:
  case CLS_testsome:
    return true;
  default:
    return false;
  }
}

bool lg_unsuccessful(const struct lg_call *c)
{
  if (!lg_polls(c->desc->cls))
    return false;
  int what = c->desc->flag >= 0 ? c->desc->flag : c->desc->outcount;
  return *(const int *)c->args[what] == 0;
}

void lg_repeat_note(struct lg_usage *u, unsigned char *start, unsigned char *body)
{
  u->poll.here = start;
  u->poll.here_body = body;
  u->poll.clock = u->clock;
  u->poll.again = u->poll.begin && u->poll.end == start && u->poll.body - u->poll.begin == body - start &&
                  memcmp(u->poll.begin, start, (size_t)(body - start)) == 0;
}

unsigned char *lg_repeat_begin(struct lg_usage *u, unsigned char **end)
{
  if (u->numbered || !u->poll.begin || !u->poll.count || u->poll.end != u->stream->at)
    return NULL;
  size_t size = (size_t)(u->poll.body - u->poll.begin);
  unsigned char *start = lg_event_begin(u, size + LG_NUMBERS(4));
  if (!start || start != u->poll.end)
    return NULL;
  memcpy(start, u->poll.begin, size);
  *end = start + size;
  return start;
}

/* empty_end counts a poll that did what the one before did, and forgets its begin;
 * of another one it notes where it is. */
void lg_repeat_end(struct lg_usage *u)
{
  if (!u->poll.again) {
    lg_event_plain(u, LG_USE_EMPTY, 0);
    u->poll.begin = u->poll.here;
    u->poll.body = u->poll.here_body;
    u->poll.end = u->stream->at;
    u->poll.count = NULL;
    return;
  }
  uint64_t n = 0;
  unsigned char *p = u->poll.here;
  if (!u->poll.count) {
    p = lg_event_head(p, LG_USE_AGAIN, 0);
    u->poll.count = p;
    p += sizeof n;
    u->poll.end = p;
  } else {
    memcpy(&n, u->poll.count, sizeof n);
  }
  n++;
  memcpy(u->poll.count, &n, sizeof n);
  lg_event_number_back(u, u->poll.clock);
  lg_event_end(u, u->poll.end);
  u->calling = 0;
}

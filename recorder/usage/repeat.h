/* Polls that are repeated without success: from the second time on they are only
 * counted. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"
#include "usage/recording.h"

#pragma GCC visibility push(hidden)

bool lg_polls(int cls); /* whether functions of the class do so */
bool lg_unsuccessful(const struct lg_call *c); /* a poll that found nothing */
/* Notes the begin of a poll, from start to body, and whether it says just what
 * that of the call before said, which was unsuccessful. */
void lg_repeat_note(struct lg_usage *u, unsigned char *start, unsigned char *body);
/* Writes the begin of a poll that was already counted as repeated once more:
 * nothing changed. Its start, and in *end what is behind it; NULL: it cannot be
 * repeated like that. */
unsigned char *lg_repeat_begin(struct lg_usage *u, unsigned char **end);
void lg_repeat_end(struct lg_usage *u); /* the poll was unsuccessful */

#pragma GCC visibility pop

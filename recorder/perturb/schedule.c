#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/pages.h"
#include "perturb/schedule.h"

#define MAX_RULES 4096
#define MAX_BYTES (MAX_RULES * 128)
#define VERSION 1
#define MILLION 1000000u

struct rule {
  uint32_t kind;
  int rank;       /* -1: any */
  uint64_t site;  /* 0: any */
  uint64_t count; /* 0: any */
  uint32_t often; /* of a million choices */
  uint64_t value; /* with a count exactly this, else the most */
};

static const struct {
  const char *name;
  uint32_t kind;
} kinds[] = {LG_CHOICES};

uint32_t lg_perturbing;
uint64_t lg_longest_us, lg_budget_us;
static uint64_t seed;
static struct rule *rules;
static uint32_t nrules;

static uint32_t kind_of(const char *name)
{
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, name) == 0)
      return kinds[i].kind;
  return 0;
}

const char *lg_choice_name(uint32_t kind)
{
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i].kind == kind)
      return kinds[i].name;
  return "";
}

static bool read_rule(const char *line)
{
  char name[16];
  struct rule r;
  if (nrules == MAX_RULES ||
      sscanf(line, "rule %15s %d %" SCNx64 " %" SCNu64 " %" SCNu32 " %" SCNu64, name, &r.rank, &r.site, &r.count, &r.often, &r.value) != 6)
    return false;
  r.kind = kind_of(name);
  rules[nrules++] = r;
  lg_perturbing |= r.kind;
  return r.kind != 0;
}

/* read_text takes the schedule apart: the head, whose order is fixed, and one rule a line. */
static bool read_text(char *text)
{
  unsigned version;
  int head;
  if (sscanf(text, "laggard-schedule %u seed %" SCNu64 " longest %" SCNu64 " budget %" SCNu64 "%n", &version, &seed, &lg_longest_us,
             &lg_budget_us, &head) != 4 || version != VERSION)
    return false;
  char *rest = text + head, *line;
  while ((line = strsep(&rest, "\n")))
    if (*line && !read_rule(line))
      return false;
  return true;
}

bool lg_schedule_read(const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  char *text = lg_pages(MAX_BYTES);
  rules = lg_pages(sizeof *rules * MAX_RULES);
  size_t have = 0;
  ssize_t got = 0;
  while (fd >= 0 && text && have < MAX_BYTES - 1 && (got = read(fd, text + have, MAX_BYTES - 1 - have)) > 0)
    have += (size_t)got;
  if (fd >= 0)
    close(fd);
  if (text && rules && have && got == 0 && read_text(text))
    return true;
  lg_perturbing = 0;
  fprintf(stderr, "laggard: %s is no schedule; no choice is made otherwise\n", path);
  return false;
}

uint64_t lg_schedule_draw(const struct lg_open *o, uint64_t salt)
{
  uint64_t h = lg_mix(lg_mix(seed, o->kind), o->site);
  h = lg_mix(lg_mix(h, (uint64_t)(int64_t)o->rank), o->count);
  return lg_mix(lg_mix(lg_mix(h, o->turn), salt), LG_GOLDEN);
}

static bool is_about(const struct rule *r, const struct lg_open *o)
{
  return r->kind == o->kind && (r->rank < 0 || r->rank == o->rank) && (!r->site || r->site == o->site) &&
         (!r->count || r->count == o->count);
}

bool lg_schedule_takes(const struct lg_open *o, uint64_t *value, uint64_t (*shape)(const struct lg_open *, uint64_t, uint64_t))
{
  for (uint32_t i = 0; i < nrules; i++) {
    const struct rule *r = &rules[i];
    if (!is_about(r, o) || lg_schedule_draw(o, 0) % MILLION >= r->often)
      continue;
    *value = r->value;
    if (!r->count && r->value) {
      *value = 1 + lg_schedule_draw(o, 1) % r->value;
      *value = shape ? shape(o, *value, r->value) : *value;
    }
    return true;
  }
  return false;
}

/* The node file: opened by every rank of a node, grown chunk by chunk, mapped
 * shared so that a killed rank leaves its last state behind. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "core.h"

static char path[4096]; /* of the node file */
static size_t path_end;
static int fd = -1;
static struct stat identity; /* of the file behind fd */
static struct lg_file *head;
static struct lg_chunk *chunk; /* the one records are appended to */
static uint32_t slot, nchunks;
static uint64_t total, limit;

static struct { /* what is mapped, for lg_file_sync */
  void *p;
  size_t n;
} maps[4096];

static uint32_t __attribute__((target("sse4.2"))) crc_by_instruction(uint32_t crc, const unsigned char *b, size_t n)
{
  uint64_t c = ~crc, word;
  for (; n >= 8; n -= 8, b += 8) {
    memcpy(&word, b, 8);
    c = __builtin_ia32_crc32di(c, word);
  }
  while (n--)
    c = __builtin_ia32_crc32qi((uint32_t)c, *b++);
  return ~(uint32_t)c;
}

/* A new call site costs a checksum, and a program may have some thousand. Whoever
 * finds the table empty fills it; two do the same. */
uint32_t lg_crc(uint32_t crc, const void *p, size_t n)
{
  if (likely(__builtin_cpu_supports("sse4.2")))
    return crc_by_instruction(crc, p, n);
  static uint32_t table[256];
  const unsigned char *b = p;
  if (unlikely(!__atomic_load_n(&table[255], __ATOMIC_ACQUIRE)))
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t v = i;
      for (int k = 0; k < 8; k++)
        v = v & 1 ? v >> 1 ^ 0x82f63b78u : v >> 1;
      __atomic_store_n(&table[i], v, __ATOMIC_RELEASE);
    }
  crc = ~crc;
  while (n--)
    crc = table[(crc ^ *b++) & 0xff] ^ crc >> 8;
  return ~crc;
}

void *lg_pages(size_t bytes)
{
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

void *lg_pages_grow(void *old, size_t was, size_t bytes)
{
  void *p = lg_pages(bytes);
  if (!p || !old)
    return p;
  memcpy(p, old, was);
  munmap(old, was);
  return p;
}

/* still_ours tells whether fd is the file that was opened: programs that close
 * every descriptor may have given its number to a file of their own. */
static bool still_ours(void)
{
  struct stat st;
  return fstat(fd, &st) == 0 && st.st_dev == identity.st_dev && st.st_ino == identity.st_ino;
}

/* reserve gives [offset, offset+size) real blocks, so that a full disk is an
 * error here and not a SIGBUS at a store, and a size limit no SIGXFSZ. */
static int reserve(uint64_t offset, size_t size)
{
  struct rlimit r;
  if (getrlimit(RLIMIT_FSIZE, &r) == 0 && r.rlim_cur != RLIM_INFINITY && offset + size > r.rlim_cur)
    return EFBIG;
  if (!still_ours())
    return EBADF;
  int err = posix_fallocate(fd, (off_t)offset, (off_t)size); /* writes zeros where the file system cannot */
  if (err == EINTR)
    return reserve(offset, size);
  return err;
}

static bool fill_header(uint64_t run_id)
{
  struct lg_file h = {.version = LG_VERSION, .page = LG_PAGE, .run_id = run_id, .created_ns = lg_now(), .end = LG_PAGE};
  gethostname(h.host, sizeof h.host - 1);
  h.crc = lg_crc(0, &h.version, offsetof(struct lg_file, crc) - offsetof(struct lg_file, version));
  int err = reserve(0, LG_PAGE);
  if (err || pwrite(fd, &h, sizeof h, 0) != sizeof h) {
    lg_turn_off("cannot write the run file: %s", strerror(err ? err : errno));
    return false;
  }
  uint64_t magic = LG_MAGIC;
  return pwrite(fd, &magic, sizeof magic, 0) == sizeof magic;
}

/* await_header waits for the rank of this node that creates the file. */
static bool await_header(void)
{
  for (int i = 0; i < 600; i++) { /* 3 s */
    struct stat st;
    uint64_t magic = 0;
    if (fstat(fd, &st) == 0 && st.st_size >= LG_PAGE && pread(fd, &magic, sizeof magic, 0) == sizeof magic &&
        magic == LG_MAGIC)
      return true;
    nanosleep(&(struct timespec){0, 5000000}, NULL);
  }
  lg_turn_off("%s is not a run file, or its creator died", path);
  return false;
}

/* check refuses a file that is not ours: a link, another user's, another run's. */
static bool check(uint64_t run_id)
{
  struct lg_file h;
  if (fstat(fd, &identity) || !S_ISREG(identity.st_mode) || identity.st_uid != geteuid() || identity.st_nlink != 1) {
    lg_turn_off("%s is not a plain file of this user", path);
    return false;
  }
  if (!await_header())
    return false;
  if (pread(fd, &h, sizeof h, 0) != sizeof h || h.version != LG_VERSION || h.run_id != run_id) {
    lg_turn_off("%s belongs to another run or version", path);
    return false;
  }
  return true;
}

/* The directory may be made beforehand (laggard run) or by the first rank. It is
 * there for most, and to look costs a file server less than to try to make it. */
static bool directory(const char *dir)
{
  struct stat st;
  if (lstat(dir, &st)) {
    if (mkdir(dir, 0700) && errno != EEXIST) {
      lg_turn_off("cannot make %s: %s", dir, strerror(errno));
      return false;
    }
    if (lstat(dir, &st))
      st.st_mode = 0;
  }
  if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid()) {
    lg_turn_off("%s is not a directory of this user", dir);
    return false;
  }
  return true;
}

/* most_nodes is how many nodes the job has, or an upper bound, or -1. */
static int most_nodes(void)
{
  static const char *const nodes[] = {"SLURM_STEP_NUM_NODES", "SLURM_NNODES", "FLUX_JOB_NNODES", NULL};
  static const char *const local[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", NULL};
  int n = lg_from_launcher(nodes);
  if (n > 0)
    return n;
  int size = lg_from_launcher(lg_size_names), here = lg_from_launcher(local);
  return here > 1 ? (size + here - 1) / here : size;
}

/* A directory of many thousand files is slow on most file systems. From 257
 * nodes on their files go into sub-directories, named for a hash of the node and
 * so few that each holds at most about 256 entries; each node decides by itself
 * and need not agree with others. */
static int levels(void)
{
  int nodes = most_nodes();
  return nodes <= 256 ? 0 : nodes <= 32768 ? 1 : 2;
}

__attribute__((format(printf, 1, 2))) static bool path_add(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  path_end += (size_t)vsnprintf(path + path_end, sizeof path - path_end, format, args);
  va_end(args);
  if (path_end < sizeof path)
    return true;
  lg_turn_off("the path of the run directory is too long");
  return false;
}

/* make_path says where the node file goes: into the run directory, or for the
 * time being into one of the node's own, with a link to the run directory. */
static bool make_path(const char *dir, uint64_t run_id)
{
  const char *live = lg_env("LIVE_DIR");
  char host[64] = "", run[sizeof path];
  gethostname(host, sizeof host - 1);
  for (char *p = host; *p; p++)
    if (*p == '/')
      *p = '_';
  if (!(live ? path_add("%s/laggard-%016" PRIx64, live, run_id) : path_add("%s", dir)) || !directory(path))
    return false;
  if (live && snprintf(run, sizeof run, "%s/run", path) < (int)sizeof run && symlink(dir, run) && errno != EEXIST) {
    lg_turn_off("cannot make %s: %s", run, strerror(errno));
    return false;
  }
  uint32_t hash = lg_crc(0, host, strlen(host));
  for (int n = levels(); n > 0; n--, hash >>= 8)
    if (!path_add("/%02x", hash & 0xff) || !directory(path))
      return false;
  return path_add("/node-%s.lgd", host);
}

/* open_node_file opens the file, which one rank of the node makes. */
static bool open_node_file(uint64_t run_id)
{
  const int way = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
  fd = open(path, way);
  if (fd < 0 && errno == ENOENT) {
    fd = open(path, way | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
      return fstat(fd, &identity) == 0 && fill_header(run_id);
    if (errno == EEXIST)
      fd = open(path, way);
  }
  if (fd < 0) {
    lg_turn_off("cannot open %s: %s", path, strerror(errno));
    return false;
  }
  return check(run_id);
}

/* out_of_the_way moves the descriptor above the low numbers, which programs
 * close, count and reuse. */
static void out_of_the_way(void)
{
  int high = fcntl(fd, F_DUPFD_CLOEXEC, 500);
  if (high < 0)
    return;
  close(fd);
  fd = high;
}

uint32_t lg_slot(void)
{
  return slot;
}

bool lg_file_open(void)
{
  const char *dir = lg_env("DIR"), *id = lg_env("RUN_ID");
  if (!dir)
    return false; /* not started by laggard */
  uint64_t run_id = id ? strtoull(id, NULL, 16) : 0;
  limit = (uint64_t)lg_env_int("MAX_MB", 64) << 20;
  if (!make_path(dir, run_id) || !open_node_file(run_id))
    return false;
  out_of_the_way();
  head = mmap(NULL, LG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (head == MAP_FAILED) {
    lg_turn_off("cannot map the run file: %s", strerror(errno));
    return false;
  }
  slot = __atomic_fetch_add(&head->nslots, 1, __ATOMIC_RELAXED);
  return true;
}

int64_t lg_file_space(size_t size, uint64_t *sum, uint64_t most, const char **why)
{
  if (*sum + size > most) {
    *why = NULL;
    return -1;
  }
  uint64_t at = __atomic_fetch_add(&head->end, size, __ATOMIC_RELAXED);
  int err = reserve(at, size);
  if (err) {
    uint64_t end = at + size; /* give it back, unless another rank has reserved behind it */
    __atomic_compare_exchange_n(&head->end, &end, at, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    *why = strerror(err);
    return -1;
  }
  *sum += size;
  return (int64_t)at;
}

void *lg_file_map(int64_t at, size_t size)
{
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
  return p == MAP_FAILED ? NULL : p;
}

bool lg_file_write(const void *p, size_t n, int64_t at)
{
  return still_ours() && pwrite(fd, p, n, (off_t)at) == (ssize_t)n;
}

static bool new_chunk(size_t need)
{
  size_t size = nchunks ? LG_CHUNK : LG_FIRST_CHUNK;
  const char *why = NULL;
  need += sizeof *chunk;
  if (size < need)
    size = (need + LG_PAGE - 1) / LG_PAGE * LG_PAGE;
  int64_t at = nchunks == sizeof maps / sizeof *maps ? -1 : lg_file_space(size, &total, limit, &why);
  if (at < 0 && !why) {
    lg_turn_off("table full: this rank has used its %lu MB (LAGGARD_MAX_MB)", (unsigned long)(limit >> 20));
    return false;
  }
  struct lg_chunk *c = at < 0 ? NULL : lg_file_map(at, size);
  if (!c) {
    lg_turn_off("cannot extend the run file: %s", why ? why : strerror(errno));
    return false;
  }
  c->size = (uint32_t)size;
  c->slot = slot;
  c->seq = nchunks;
  uint32_t magic = LG_CHUNK_MAGIC;
  c->crc = lg_crc(lg_crc(0, &magic, sizeof magic), &c->size, 12);
  __atomic_store_n(&c->magic, magic, __ATOMIC_RELEASE);
  maps[nchunks].p = c;
  maps[nchunks++].n = size;
  chunk = c;
  return true;
}

void *lg_rec_begin(int type, int thread, uint32_t fixed, uint32_t size)
{
  if (lg_off)
    return NULL;
  size = (size + 7) & ~7u;
  if ((!chunk || chunk->used + sizeof *chunk + size > chunk->size) && !new_chunk(size))
    return NULL;
  struct lg_rec *r = (struct lg_rec *)((char *)(chunk + 1) + chunk->used);
  r->type = (uint16_t)type;
  r->thread = (uint16_t)thread;
  r->size = size;
  r->fixed = fixed;
  return r;
}

void lg_rec_commit(void *rec)
{
  struct lg_rec *r = rec;
  r->crc = lg_crc(lg_crc(0, r, offsetof(struct lg_rec, fixed) + 4), r + 1, r->fixed);
  __atomic_store_n(&chunk->used, chunk->used + r->size, __ATOMIC_RELEASE);
}

void lg_note(const char *text)
{
  uint32_t n = (uint32_t)strlen(text);
  struct lg_rec *r = lg_rec_begin(LG_REC_NOTE, 0, (n + 7) & ~7u, (uint32_t)sizeof *r + n);
  if (!r)
    return;
  memcpy(r + 1, text, n);
  lg_rec_commit(r);
}

/* lg_file_sync makes what a quiet rank recorded visible on other nodes. */
void lg_file_sync(void)
{
  for (uint32_t i = 0; i < nchunks; i++)
    msync(maps[i].p, maps[i].n, MS_SYNC);
  msync(head, LG_PAGE, MS_SYNC);
}

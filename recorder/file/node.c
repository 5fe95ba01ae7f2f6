#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/crc.h"
#include "base/recording.h"
#include "base/settings.h"
#include "base/stat.h"
#include "file/node.h"
#include "file/path.h"
#include "format.h"

#define HIGH_DESCRIPTOR 500 /* programs close, count and reuse the low ones */
#define HEADER_WAIT_NS 5000000 /* between two tries */
#define HEADER_TRIES 600    /* for the header of the file, every 5 ms: 3 s */

static const char *path;
static int fd = -1;
static struct stat identity; /* of the file behind fd */
static struct lg_file *head;
static uint32_t slot;
static bool shared; /* other nodes may read the file */

/* still_ours tells whether fd is the file that was opened: programs that close
 * every descriptor may have given its number to a file of their own. */
static bool still_ours(void)
{
  struct stat st;
  return lg_fstat(fd, &st) == 0 && st.st_dev == identity.st_dev && st.st_ino == identity.st_ino;
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

size_t lg_file_rounded(size_t size)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE), unit = page > LG_PAGE_SIZE ? page : LG_PAGE_SIZE;
  return (size + unit - 1) / unit * unit;
}

static bool fill_header(uint64_t run_id)
{
  struct lg_file h = {.version = LG_VERSION, .page = LG_PAGE_SIZE, .run_id = run_id, .created_ns = lg_now(),
                      .end = lg_file_rounded(LG_PAGE_SIZE)};
  gethostname(h.host, sizeof h.host - 1);
  h.crc = lg_crc(0, &h.version, offsetof(struct lg_file, crc) - offsetof(struct lg_file, version));
  int err = reserve(0, LG_PAGE_SIZE);
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
  for (int i = 0; i < HEADER_TRIES; i++) {
    struct stat st;
    uint64_t magic = 0;
    if (lg_fstat(fd, &st) == 0 && st.st_size >= LG_PAGE_SIZE && pread(fd, &magic, sizeof magic, 0) == sizeof magic &&
        magic == LG_MAGIC)
      return true;
    nanosleep(&(struct timespec){0, HEADER_WAIT_NS}, NULL);
  }
  lg_turn_off("%s is not a run file, or its creator died", path);
  return false;
}

/* check refuses a file that is not ours: a link, another user's, another run's. */
static bool check(uint64_t run_id)
{
  struct lg_file h;
  if (lg_fstat(fd, &identity) || !S_ISREG(identity.st_mode) || identity.st_uid != geteuid() || identity.st_nlink != 1) {
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

/* open_node_file opens the file, which one rank of the node makes. */
static bool open_node_file(uint64_t run_id)
{
  const int way = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
  fd = open(path, way);
  if (fd < 0 && errno == ENOENT) {
    fd = open(path, way | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
      return lg_fstat(fd, &identity) == 0 && fill_header(run_id);
    if (errno == EEXIST)
      fd = open(path, way);
  }
  if (fd < 0) {
    lg_turn_off("cannot open %s: %s", path, strerror(errno));
    return false;
  }
  return check(run_id);
}

/* out_of_the_way gives the descriptor a high number. */
static void out_of_the_way(void)
{
  int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
  if (high < 0)
    return;
  close(fd);
  fd = high;
}

uint32_t lg_slot(void)
{
  return slot;
}

uint32_t *lg_file_ending(void)
{
  return slot < LG_ENDINGS ? &head->endings[slot] : NULL;
}

/* on_shared_disk: the file is on no disk of this node's. */
static bool on_shared_disk(void)
{
  static const long local[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, TMPFS_MAGIC,
                               RAMFS_MAGIC, OVERLAYFS_SUPER_MAGIC};
  struct statfs s;
  if (fstatfs(fd, &s))
    return true;
  for (unsigned i = 0; i < sizeof local / sizeof *local; i++)
    if ((long)s.f_type == local[i])
      return false;
  return true;
}

/* What is mapped of the file, for lg_file_fault. An entry is taken by its address; those
 * that find no room are not looked after. */
#define MAX_MAPPED 4096

static struct mapped {
  uintptr_t at; /* 0 free */
  size_t size;
} mapped[MAX_MAPPED];
static uint32_t nmapped; /* entries that have ever been in use */
static bool cut;

static void look_after(void *p, size_t size)
{
  for (uint32_t i = 0; i < MAX_MAPPED; i++) {
    uintptr_t none = 0;
    if (mapped[i].at || !__atomic_compare_exchange_n(&mapped[i].at, &none, (uintptr_t)p, false, __ATOMIC_ACQ_REL,
                                                     __ATOMIC_RELAXED))
      continue;
    __atomic_store_n(&mapped[i].size, size, __ATOMIC_RELEASE);
    uint32_t n = __atomic_load_n(&nmapped, __ATOMIC_RELAXED);
    while (n <= i && !__atomic_compare_exchange_n(&nmapped, &n, i + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      ;
    return;
  }
}

bool lg_file_open(void)
{
  const char *dir = lg_env("DIR"), *id = lg_env("RUN_ID");
  if (!dir)
    return false; /* not started by laggard */
  uint64_t run_id = id ? strtoull(id, NULL, 16) : 0;
  path = lg_path_of_node(dir, run_id);
  if (!path || !open_node_file(run_id))
    return false;
  out_of_the_way();
  head = mmap(NULL, LG_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (head == MAP_FAILED) {
    lg_turn_off("cannot map the run file: %s", strerror(errno));
    return false;
  }
  look_after(head, LG_PAGE_SIZE);
  shared = on_shared_disk();
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
  if (__atomic_load_n(&head->magic, __ATOMIC_RELAXED) != LG_MAGIC) { /* the end is wrong: what is there is another's */
    *why = "the run file was cut short";
    return -1;
  }
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
  if (p == MAP_FAILED)
    return NULL;
  look_after(p, size);
  return p;
}

void lg_file_unmap(void *p, size_t size)
{
  uint32_t n = __atomic_load_n(&nmapped, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < n; i++)
    if (mapped[i].at == (uintptr_t)p) {
      __atomic_store_n(&mapped[i].size, 0, __ATOMIC_RELAXED);
      __atomic_store_n(&mapped[i].at, 0, __ATOMIC_RELEASE);
      break;
    }
  munmap(p, size);
}

bool lg_file_fault(const void *address)
{
  uint32_t n = __atomic_load_n(&nmapped, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < n; i++) {
    uintptr_t at = __atomic_load_n(&mapped[i].at, __ATOMIC_ACQUIRE);
    uintptr_t end = at + __atomic_load_n(&mapped[i].size, __ATOMIC_ACQUIRE);
    uintptr_t page = (uintptr_t)address & ~(uintptr_t)(lg_file_rounded(1) - 1);
    if (!at || page < at || page >= end)
      continue;
    __atomic_store_n(&cut, true, __ATOMIC_RELEASE);
    /* The rest of the mapping: what lies behind the end of the file is gone too. In a
     * handler no function of the C library is called that another library may watch. */
    return syscall(SYS_mmap, page, end - page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                   0) == (long)page;
  }
  return false;
}

bool lg_file_cut(void)
{
  return __atomic_load_n(&cut, __ATOMIC_ACQUIRE);
}

bool lg_file_write(const void *p, size_t n, int64_t at)
{
  return still_ours() && pwrite(fd, p, n, (off_t)at) == (ssize_t)n;
}

void lg_file_sync_header(void)
{
  msync(head, LG_PAGE_SIZE, MS_SYNC);
}

bool lg_file_shared(void)
{
  return shared;
}

/* A slow file system: slowfs MOUNTPOINT BYTES_PER_SECOND, with libfuse 3. It has whatever files programs create in its one
 * directory, keeps their sizes and no data, and takes its time for each write and each fsync. */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES 64

static struct {
  char path[64];
  off_t size;
} files[FILES];
static double rate = 1 << 20;

static int find_file(const char *path)
{
  for (int i = 0; i < FILES; i++)
    if (strcmp(files[i].path, path) == 0)
      return i;
  return -ENOENT;
}

static int slow_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
  (void)fi;
  memset(st, 0, sizeof *st);
  st->st_mode = S_IFREG | 0600;
  st->st_nlink = 1;
  if (strcmp(path, "/") == 0) {
    st->st_mode = S_IFDIR | 0700;
    return 0;
  }
  int i = find_file(path);
  if (i < 0)
    return i;
  st->st_size = files[i].size;
  return 0;
}

static int slow_create(const char *path, mode_t mode, struct fuse_file_info *fi)
{
  (void)mode;
  int i = find_file("");
  if (i < 0 || strlen(path) >= sizeof files[i].path)
    return -ENOSPC;
  strcpy(files[i].path, path);
  files[i].size = 0;
  fi->direct_io = 1;
  return 0;
}

static int slow_open(const char *path, struct fuse_file_info *fi)
{
  fi->direct_io = 1;
  return find_file(path) < 0 ? -ENOENT : 0;
}

static int slow_unlink(const char *path)
{
  int i = find_file(path);
  if (i >= 0)
    files[i].path[0] = '\0';
  return i < 0 ? i : 0;
}

static int slow_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
  (void)fi;
  int i = find_file(path);
  if (i < 0)
    return i;
  files[i].size = size;
  return 0;
}

static int slow_write(const char *path, const char *data, size_t n, off_t at, struct fuse_file_info *fi)
{
  (void)data, (void)fi;
  int i = find_file(path);
  if (i < 0)
    return i;
  usleep((useconds_t)(1e6 * n / rate));
  if (at + (off_t)n > files[i].size)
    files[i].size = at + n;
  return n;
}

static int slow_read(const char *path, char *data, size_t n, off_t at, struct fuse_file_info *fi)
{
  (void)fi;
  int i = find_file(path);
  if (i < 0)
    return i;
  if (at >= files[i].size)
    return 0;
  n = at + (off_t)n > files[i].size ? (size_t)(files[i].size - at) : n;
  memset(data, 0, n);
  return n;
}

static int slow_fsync(const char *path, int only_data, struct fuse_file_info *fi)
{
  (void)only_data, (void)fi;
  int i = find_file(path);
  if (i < 0)
    return i;
  usleep((useconds_t)(1e6 * files[i].size / rate));
  return 0;
}

static const struct fuse_operations operations = {
    .getattr = slow_getattr,
    .create = slow_create,
    .open = slow_open,
    .unlink = slow_unlink,
    .truncate = slow_truncate,
    .write = slow_write,
    .read = slow_read,
    .fsync = slow_fsync,
};

int main(int argc, char **argv)
{
  char *args[] = {argv[0], "-f", argc > 1 ? argv[1] : NULL, NULL};
  if (argc > 2)
    rate = atof(argv[2]);
  return fuse_main(3, args, &operations, NULL);
}

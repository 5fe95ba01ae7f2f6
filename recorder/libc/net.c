/* The functions of the C library that move bytes through sockets, or between
 * the memories of processes, both ways. write and read take any descriptor; only
 * sockets count. What a descriptor is, is asked once and forgotten when its
 * number may come to mean another file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/stat.h"
#include "libc/libc.h"

/* Names that glibc exports but does not declare. */
ssize_t __write(int, const void *, size_t);
ssize_t __send(int, const void *, size_t, int);
ssize_t __read(int, void *, size_t);
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
int __close(int);

#define EACH(X)                                                                                                  \
  X(write) X(__write) X(writev) X(send) X(__send) X(sendto) X(sendmsg) X(sendmmsg) X(sendfile) X(sendfile64)     \
  X(process_vm_writev) X(read) X(__read) X(__read_chk) X(readv) X(recv) X(__recv_chk) X(recvfrom)                \
  X(__recvfrom_chk) X(recvmsg) X(recvmmsg) X(process_vm_readv) X(close) X(__close) X(dup2) X(dup3)               \
  X(close_range) X(closefrom) X(fclose) X(socket) X(accept) X(accept4) X(socketpair)

EACH(LG_DECLARE_REAL)

__attribute__((constructor)) static void find_all(void)
{
  EACH(LG_FIND_REAL)
}

/* ---- descriptors ---- */

enum { UNKNOWN, SOCKET, OTHER };
#define FDS 65536
static unsigned char kinds[FDS];

static unsigned char ask(int fd)
{
  struct stat st;
  int before = errno;
  unsigned char kind = lg_fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode) ? SOCKET : OTHER;
  errno = before;
  return kind;
}

static inline bool is_socket(int fd)
{
  if (fd < 0 || fd >= FDS)
    return ask(fd) == SOCKET;
  unsigned char kind = __atomic_load_n(&kinds[fd], __ATOMIC_RELAXED);
  if (unlikely(kind == UNKNOWN)) {
    kind = ask(fd);
    __atomic_store_n(&kinds[fd], kind, __ATOMIC_RELAXED);
  }
  return kind == SOCKET;
}

static inline void forget(int fd)
{
  if (fd < 0 || fd >= FDS)
    return;
  __atomic_store_n(&kinds[fd], UNKNOWN, __ATOMIC_RELAXED);
  lg_connection_gone(fd);
}

static void forget_range(unsigned first, unsigned last)
{
  for (unsigned fd = first; fd < FDS && fd <= last; fd++)
    forget((int)fd);
}

/* ---- telling ---- */

/* A datagram may be longer than the buffers it was cut to. */
static size_t held(const struct iovec *iov, size_t n, size_t bytes)
{
  size_t room = 0;
  for (size_t i = 0; i < n && room < bytes; i++)
    room += iov[i].iov_len;
  return bytes < room ? bytes : room;
}

static void __attribute__((noinline)) tell(const char *function, bool out, int fd, const struct iovec *iov, size_t niov, size_t bytes, uint64_t ra, uint64_t cfa)
{
  bytes = held(iov, niov, bytes);
  if (bytes)
    lg_moved(&(struct lg_io){.function = function, .out = out, .fd = fd, .iov = iov, .niov = niov, .bytes = bytes, .ra = ra, .cfa = cfa});
}

/* These are macros because the frame that is told is that of the wrapper. */
#define TOLD_IOV(name, way_out, fd, iov, niov, done)                          \
  do {                                                                        \
    if (unlikely(lg_wants) && (done) > 0 && is_socket(fd))                    \
      tell(name, way_out, fd, iov, niov, (size_t)(done), LG_RA, LG_CFA);      \
  } while (0)

#define TOLD(name, way_out, fd, p, n, done)                                   \
  do {                                                                        \
    if (unlikely(lg_wants) && (done) > 0 && is_socket(fd)) {                  \
      struct iovec one = {(void *)(p), n};                                    \
      tell(name, way_out, fd, &one, 1, (size_t)(done), LG_RA, LG_CFA);        \
    }                                                                         \
  } while (0)

/* ---- out ---- */

LG_EXPORT ssize_t write(int fd, const void *p, size_t n)
{
  ssize_t done = LG_REAL(write)(fd, p, n);
  TOLD("write", true, fd, p, n, done);
  return done;
}

LG_EXPORT ssize_t __write(int fd, const void *p, size_t n)
{
  ssize_t done = LG_REAL(__write)(fd, p, n);
  TOLD("write", true, fd, p, n, done);
  return done;
}

LG_EXPORT ssize_t writev(int fd, const struct iovec *iov, int n)
{
  ssize_t done = LG_REAL(writev)(fd, iov, n);
  TOLD_IOV("writev", true, fd, iov, (size_t)n, done);
  return done;
}

LG_EXPORT ssize_t send(int fd, const void *p, size_t n, int flags)
{
  ssize_t done = LG_REAL(send)(fd, p, n, flags);
  TOLD("send", true, fd, p, n, done);
  return done;
}

LG_EXPORT ssize_t __send(int fd, const void *p, size_t n, int flags)
{
  ssize_t done = LG_REAL(__send)(fd, p, n, flags);
  TOLD("send", true, fd, p, n, done);
  return done;
}

LG_EXPORT ssize_t sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *to, socklen_t len)
{
  ssize_t done = LG_REAL(sendto)(fd, p, n, flags, to, len);
  TOLD("sendto", true, fd, p, n, done);
  return done;
}

LG_EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
  ssize_t done = LG_REAL(sendmsg)(fd, m, flags);
  TOLD_IOV("sendmsg", true, fd, m->msg_iov, m->msg_iovlen, done);
  return done;
}

LG_EXPORT int sendmmsg(int fd, struct mmsghdr *m, unsigned n, int flags)
{
  int done = LG_REAL(sendmmsg)(fd, m, n, flags);
  for (int i = 0; i < done; i++)
    TOLD_IOV("sendmmsg", true, fd, m[i].msg_hdr.msg_iov, m[i].msg_hdr.msg_iovlen, m[i].msg_len);
  return done;
}

/* tell_file: the bytes come from a file, not from a buffer. */
static void tell_file(int fd, ssize_t done, uint64_t ra, uint64_t cfa)
{
  if (unlikely(lg_wants) && done > 0 && is_socket(fd))
    lg_moved(&(struct lg_io){.function = "sendfile", .out = true, .fd = fd, .bytes = (size_t)done, .ra = ra, .cfa = cfa});
}

LG_EXPORT ssize_t sendfile(int to, int from, off_t *at, size_t n)
{
  ssize_t done = LG_REAL(sendfile)(to, from, at, n);
  tell_file(to, done, LG_RA, LG_CFA);
  return done;
}

LG_EXPORT ssize_t sendfile64(int to, int from, off64_t *at, size_t n)
{
  ssize_t done = LG_REAL(sendfile64)(to, from, at, n);
  tell_file(to, done, LG_RA, LG_CFA);
  return done;
}

/* ---- in ---- */

LG_EXPORT ssize_t read(int fd, void *p, size_t n)
{
  ssize_t done = LG_REAL(read)(fd, p, n);
  TOLD("read", false, fd, p, n, done);
  return done;
}

LG_EXPORT ssize_t __read(int fd, void *p, size_t n)
{
  ssize_t done = LG_REAL(__read)(fd, p, n);
  TOLD("read", false, fd, p, n, done);
  return done;
}

LG_EXPORT ssize_t __read_chk(int fd, void *p, size_t n, size_t room)
{
  ssize_t done = LG_REAL(__read_chk)(fd, p, n, room);
  TOLD("read", false, fd, p, n, done);
  return done;
}

LG_EXPORT ssize_t readv(int fd, const struct iovec *iov, int n)
{
  ssize_t done = LG_REAL(readv)(fd, iov, n);
  TOLD_IOV("readv", false, fd, iov, (size_t)n, done);
  return done;
}

/* What is only looked at stays in the socket. */
LG_EXPORT ssize_t recv(int fd, void *p, size_t n, int flags)
{
  ssize_t done = LG_REAL(recv)(fd, p, n, flags);
  if (!(flags & MSG_PEEK))
    TOLD("recv", false, fd, p, n, done);
  return done;
}

LG_EXPORT ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags)
{
  ssize_t done = LG_REAL(__recv_chk)(fd, p, n, room, flags);
  if (!(flags & MSG_PEEK))
    TOLD("recv", false, fd, p, n, done);
  return done;
}

LG_EXPORT ssize_t recvfrom(int fd, void *p, size_t n, int flags, struct sockaddr *from, socklen_t *len)
{
  ssize_t done = LG_REAL(recvfrom)(fd, p, n, flags, from, len);
  if (!(flags & MSG_PEEK))
    TOLD("recvfrom", false, fd, p, n, done);
  return done;
}

LG_EXPORT ssize_t __recvfrom_chk(int fd, void *p, size_t n, size_t room, int flags, struct sockaddr *from, socklen_t *len)
{
  ssize_t done = LG_REAL(__recvfrom_chk)(fd, p, n, room, flags, from, len);
  if (!(flags & MSG_PEEK))
    TOLD("recvfrom", false, fd, p, n, done);
  return done;
}

LG_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
  ssize_t done = LG_REAL(recvmsg)(fd, m, flags);
  if (!(flags & MSG_PEEK))
    TOLD_IOV("recvmsg", false, fd, m->msg_iov, m->msg_iovlen, done);
  return done;
}

LG_EXPORT int recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *timeout)
{
  int done = LG_REAL(recvmmsg)(fd, m, n, flags, timeout);
  for (int i = 0; i < done && !(flags & MSG_PEEK); i++)
    TOLD_IOV("recvmmsg", false, fd, m[i].msg_hdr.msg_iov, m[i].msg_hdr.msg_iovlen, m[i].msg_len);
  return done;
}

/* ---- between processes ---- */

static void tell_process(const char *function, bool out, pid_t pid, const struct iovec *own, size_t n, const struct iovec *remote, size_t nremote, ssize_t done, uint64_t ra, uint64_t cfa)
{
  if (unlikely(lg_wants) && done > 0)
    lg_moved(&(struct lg_io){.function = function, .out = out, .fd = -1, .iov = own, .niov = n, .bytes = (size_t)done,
                             .ra = ra, .cfa = cfa, .pid = pid, .remote = remote, .nremote = nremote});
}

LG_EXPORT ssize_t process_vm_writev(pid_t pid, const struct iovec *own, unsigned long n, const struct iovec *remote, unsigned long nremote, unsigned long flags)
{
  ssize_t done = LG_REAL(process_vm_writev)(pid, own, n, remote, nremote, flags);
  tell_process("process_vm_writev", true, pid, own, n, remote, nremote, done, LG_RA, LG_CFA);
  return done;
}

LG_EXPORT ssize_t process_vm_readv(pid_t pid, const struct iovec *own, unsigned long n, const struct iovec *remote, unsigned long nremote, unsigned long flags)
{
  ssize_t done = LG_REAL(process_vm_readv)(pid, own, n, remote, nremote, flags);
  tell_process("process_vm_readv", false, pid, own, n, remote, nremote, done, LG_RA, LG_CFA);
  return done;
}

/* ---- where a number may come to mean another file ---- */

LG_EXPORT int close(int fd)
{
  forget(fd);
  return LG_REAL(close)(fd);
}

LG_EXPORT int __close(int fd)
{
  forget(fd);
  return LG_REAL(__close)(fd);
}

LG_EXPORT int dup2(int from, int to)
{
  forget(to);
  return LG_REAL(dup2)(from, to);
}

LG_EXPORT int dup3(int from, int to, int flags)
{
  forget(to);
  return LG_REAL(dup3)(from, to, flags);
}

LG_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
  forget_range(first, last);
  return LG_REAL(close_range)(first, last, flags);
}

LG_EXPORT void closefrom(int first)
{
  forget_range(first < 0 ? 0 : (unsigned)first, FDS);
  LG_REAL(closefrom)(first);
}

LG_EXPORT int fclose(FILE *f)
{
  if (f)
    forget(fileno(f));
  return LG_REAL(fclose)(f);
}

/* A socket of its own number: the C library may have closed the one before. */
LG_EXPORT int socket(int domain, int type, int protocol)
{
  int fd = LG_REAL(socket)(domain, type, protocol);
  forget(fd);
  return fd;
}

LG_EXPORT int accept(int fd, struct sockaddr *from, socklen_t *len)
{
  int made = LG_REAL(accept)(fd, from, len);
  forget(made);
  return made;
}

LG_EXPORT int accept4(int fd, struct sockaddr *from, socklen_t *len, int flags)
{
  int made = LG_REAL(accept4)(fd, from, len, flags);
  forget(made);
  return made;
}

LG_EXPORT int socketpair(int domain, int type, int protocol, int made[2])
{
  int err = LG_REAL(socketpair)(domain, type, protocol, made);
  if (!err) {
    forget(made[0]);
    forget(made[1]);
  }
  return err;
}

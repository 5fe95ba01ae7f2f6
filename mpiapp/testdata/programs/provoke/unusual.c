/* A correct program that uses requests in ways which are rare: to and from nobody, of generalised operations, freed while active,
 * cancelled, asked about and not completed, failed, and of types that are not contiguous. Ranks work in pairs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12, UNTOUCHED = 77 };

static int rank, peer, wrong;

static void check(int right, const char *what)
{
  if (!right)
    fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
  wrong |= !right;
}

static void fill(int *a, int n, int value)
{
  for (int i = 0; i < n; i++)
    a[i] = value;
}

/* nobody receives from MPI_PROC_NULL, of which several requests may be the same one. */
static void nobody(void)
{
  int a[N], b[N], flag;
  MPI_Request r[2];
  MPI_Status s;
  fill(a, N, UNTOUCHED);
  fill(b, N, UNTOUCHED);
  MPI_Irecv(a, N, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(b, N, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Wait(&r[0], &s);
  check(a[0] == UNTOUCHED && a[N - 1] == UNTOUCHED, "the buffer of a receive from nobody");
  fill(a, N, 3);
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  check(a[0] == 3 && b[0] == UNTOUCHED, "the other buffer of receives from nobody");
  MPI_Recv_init(b, N, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Send_init(a, N, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[1]);
  for (int i = 0; i < 3; i++) {
    MPI_Startall(2, r);
    for (flag = 0; !flag;)
      MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
    check(b[0] == UNTOUCHED, "a persistent receive from nobody");
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  MPI_Sendrecv(a, N, MPI_INT, MPI_PROC_NULL, 1, b, N, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &s);
  check(s.MPI_SOURCE == MPI_PROC_NULL && b[0] == UNTOUCHED, "MPI_Sendrecv with nobody");
  MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &s);
  check(flag && s.MPI_SOURCE == MPI_PROC_NULL, "a probe of nobody");
  MPI_Message m;
  MPI_Improbe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &m, &s);
  check(flag && m == MPI_MESSAGE_NO_PROC, "a matched probe of nobody");
  MPI_Imrecv(b, N, MPI_INT, &m, &r[0]);
  MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &m, &s);
  MPI_Imrecv(a, N, MPI_INT, &m, &r[1]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  check(b[0] == UNTOUCHED, "the message of nobody");
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  check(a[0] == 3, "the other message of nobody");
}

/* border has a rank send to one that is there and one that is not, as at the border of a grid. */
static void border(void)
{
  int out = rank, in[4];
  MPI_Request r[4];
  fill(in, 4, UNTOUCHED);
  for (int i = 0; i < 2; i++) {
    MPI_Irecv(&in[i], 1, MPI_INT, i ? MPI_PROC_NULL : peer, 2, MPI_COMM_WORLD, &r[i]);
    MPI_Isend(&out, 1, MPI_INT, i ? MPI_PROC_NULL : peer, 2, MPI_COMM_WORLD, &r[2 + i]);
  }
  for (int left = 4, at; left > 0; left--) {
    MPI_Waitany(4, r, &at, MPI_STATUS_IGNORE);
    check(at != 0 || in[0] == peer, "a message at a border");
    check(at != 1 || in[1] == UNTOUCHED, "no message at a border");
  }
}

static void none_left(void)
{
  int flag = 0, at = 0, n = 0, indices[2];
  MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, inactive;
  MPI_Recv_init(&n, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &inactive);
  MPI_Test(&inactive, &flag, MPI_STATUS_IGNORE);
  check(flag, "MPI_Test of an inactive request");
  r[1] = inactive;
  MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
  check(flag, "MPI_Testall of no active request");
  MPI_Testany(2, r, &at, &flag, MPI_STATUS_IGNORE);
  check(flag && at == MPI_UNDEFINED, "MPI_Testany of no active request");
  MPI_Testsome(2, r, &n, indices, MPI_STATUSES_IGNORE);
  check(n == MPI_UNDEFINED, "MPI_Testsome of no active request");
  MPI_Waitany(2, r, &at, MPI_STATUS_IGNORE);
  check(at == MPI_UNDEFINED, "MPI_Waitany of no active request");
  MPI_Waitsome(2, r, &n, indices, MPI_STATUSES_IGNORE);
  check(n == MPI_UNDEFINED, "MPI_Waitsome of no active request");
  MPI_Request_get_status(inactive, &flag, MPI_STATUS_IGNORE);
  check(flag, "MPI_Request_get_status of an inactive request");
  MPI_Request_free(&inactive);
}

static int asked;
static int query(void *state, MPI_Status *s)
{
  int *at = state;
  asked += *at != 0;
  MPI_Status_set_elements(s, MPI_INT, *at);
  MPI_Status_set_cancelled(s, 0);
  s->MPI_SOURCE = MPI_UNDEFINED;
  s->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int forget(void *state) { *(int *)state = 0; return MPI_SUCCESS; }
static int cancel(void *state, int complete) { (void)state; (void)complete; return MPI_SUCCESS; }

/* generalised requests complete among others, in each kind of call. */
static void generalised(void)
{
  for (int way = 0; way < 6; way++) {
    int state = 5, in = UNTOUCHED, out = rank, flag = 0, at, n, done, indices[3];
    MPI_Request r[3];
    MPI_Status s[3];
    MPI_Grequest_start(query, forget, cancel, &state, &r[1]);
    MPI_Irecv(&in, 1, MPI_INT, peer, 4, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(&out, 1, MPI_INT, peer, 4, MPI_COMM_WORLD, &r[2]);
    MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE);
    check(!flag, "a generalised request that is not complete");
    if (way == 5) {
      MPI_Request_get_status(r[1], &flag, &s[1]);
      check(!flag, "the status of a generalised request that is not complete");
    }
    MPI_Grequest_complete(r[1]);
    switch (way) {
    case 0: MPI_Waitall(3, r, s); break;
    case 1: for (done = 0; done < 3; done++) MPI_Waitany(3, r, &at, &s[0]); break;
    case 2: for (done = 0; done < 3; done += n) MPI_Waitsome(3, r, &n, indices, s); break;
    case 3: while (!flag) MPI_Testall(3, r, &flag, s); break;
    case 4: for (done = 0; done < 3; done += n > 0 ? n : 0) MPI_Testsome(3, r, &n, indices, s); break;
    case 5:
      while (!flag) MPI_Request_get_status(r[1], &flag, &s[1]);
      MPI_Wait(&r[1], MPI_STATUS_IGNORE);
      MPI_Wait(&r[0], MPI_STATUS_IGNORE);
      MPI_Wait(&r[2], MPI_STATUS_IGNORE);
      break;
    }
    check(in == peer && state == 0 && asked > 0, "a generalised request");
    for (int i = 0; i < 3; i++)
      check(r[i] == MPI_REQUEST_NULL, "a request is not null");
  }
}

/* freed gives up active sends, of which the receiver knows that they came. */
static void freed(void)
{
  static int out[3][N];
  int in[N], big[70000], *large = malloc(sizeof big);
  MPI_Request r, persistent, back;
  for (int i = 0; i < 3; i++)
    fill(out[i], N, 10 * i + rank);
  fill(large, 70000, rank);
  MPI_Isend(out[0], N, MPI_INT, peer, 5, MPI_COMM_WORLD, &r);
  MPI_Request_free(&r);
  MPI_Send_init(out[1], N, MPI_INT, peer, 5, MPI_COMM_WORLD, &persistent);
  MPI_Start(&persistent);
  MPI_Request_free(&persistent);
  MPI_Isend(large, 70000, MPI_INT, peer, 6, MPI_COMM_WORLD, &r);
  MPI_Request_free(&r);
  check(r == MPI_REQUEST_NULL && persistent == MPI_REQUEST_NULL, "a freed request");
  for (int i = 0; i < 2; i++) {
    MPI_Recv(in, N, MPI_INT, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(in[N - 1] == 10 * i + peer, "what a freed request sent");
  }
  MPI_Irecv(big, 70000, MPI_INT, peer, 6, MPI_COMM_WORLD, &back);
  MPI_Wait(&back, MPI_STATUS_IGNORE);
  check(big[0] == peer && big[69999] == peer, "what a large freed request sent");
  MPI_Sendrecv(in, 1, MPI_INT, peer, 7, in, 1, MPI_INT, peer, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(large);
}

/* given_up cancels receives, of which some are then freed and others completed. */
static void given_up(void)
{
  int in[N], flag, cancelled;
  MPI_Request r;
  MPI_Status s;
  for (int way = 0; way < 5; way++) {
    MPI_Barrier(MPI_COMM_WORLD);
    fill(in, N, UNTOUCHED);
    if (way < 3) {
      MPI_Irecv(in, N, MPI_INT, peer, 8, MPI_COMM_WORLD, &r);
    } else {
      MPI_Recv_init(in, N, MPI_INT, way == 3 ? peer : MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &r);
      MPI_Start(&r);
    }
    MPI_Cancel(&r);
    switch (way) {
    case 0: MPI_Request_free(&r); break;
    case 1: for (flag = 0; !flag;) MPI_Test(&r, &flag, &s); break;
    case 2: MPI_Waitall(1, &r, &s); break;
    default: MPI_Wait(&r, &s);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (way == 0)
      continue;
    MPI_Test_cancelled(&s, &cancelled);
    check(cancelled && in[0] == UNTOUCHED && in[N - 1] == UNTOUCHED, "a cancelled receive");
    if (way > 2) { /* it may be started again */
      int out = 9 + rank;
      MPI_Start(&r);
      MPI_Send(&out, 1, MPI_INT, peer, 8, MPI_COMM_WORLD);
      MPI_Wait(&r, &s);
      check(in[0] == 9 + peer && in[1] == UNTOUCHED, "a receive after it was cancelled");
      MPI_Request_free(&r);
    }
  }
}

/* known asks whether requests are complete; what MPI said once stays true. */
static void known(void)
{
  int in[2], out[2] = {rank, rank + 1}, flag, persistent;
  MPI_Request r[2];
  for (persistent = 0; persistent < 2; persistent++) {
    if (persistent) {
      MPI_Recv_init(&in[0], 1, MPI_INT, peer, 9, MPI_COMM_WORLD, &r[0]);
      MPI_Send_init(&out[0], 1, MPI_INT, peer, 9, MPI_COMM_WORLD, &r[1]);
    }
    for (int round = 0; round < 3; round++) {
      fill(in, 2, UNTOUCHED);
      if (persistent) {
        MPI_Startall(2, r);
      } else {
        MPI_Irecv(&in[0], 1, MPI_INT, peer, 9, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(&out[0], 1, MPI_INT, peer, 9, MPI_COMM_WORLD, &r[1]);
      }
      for (int i = 0; i < 2; i++) {
        for (flag = 0; !flag;)
          MPI_Request_get_status(r[i], &flag, MPI_STATUS_IGNORE);
        check(i != 0 || in[0] == peer, "data of a request that is known to be complete");
        MPI_Request_get_status(r[i], &flag, MPI_STATUS_IGNORE);
        check(flag, "a second look at a complete request");
      }
      MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
      check(flag, "MPI_Test of a request that is known to be complete");
      MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    }
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}

/* refused has messages that are longer than their buffers, and goes on. */
static void refused(void)
{
  int in[N], after[N], out[N], class, code;
  MPI_Request r[3];
  MPI_Status s[3];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int way = 0; way < 3; way++) {
    fill(in, N, UNTOUCHED);
    fill(after, N, UNTOUCHED);
    fill(out, N, 4);
    MPI_Irecv(in, N / 2, MPI_INT, peer, 10, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(after, N, MPI_INT, peer, 11, MPI_COMM_WORLD, &r[1]);
    MPI_Isend(out, N, MPI_INT, peer, 10, MPI_COMM_WORLD, &r[2]);
    if (way == 2)
      MPI_Send(out, N, MPI_INT, peer, 11, MPI_COMM_WORLD);
    if (way == 0) {
      code = MPI_Wait(&r[0], &s[0]);
    } else if (way == 1) {
      int at;
      code = MPI_SUCCESS;
      while (r[0] != MPI_REQUEST_NULL && code == MPI_SUCCESS)
        code = MPI_Waitany(1, r, &at, &s[0]);
    } else {
      code = MPI_Waitall(2, r, s);
      check(code == MPI_ERR_IN_STATUS, "the code of MPI_Waitall");
      code = s[0].MPI_ERROR;
    }
    MPI_Error_class(code, &class);
    check(class == MPI_ERR_TRUNCATE, "the code of a message that is too long");
    check(in[N / 2] == UNTOUCHED, "the bytes behind a buffer");
    fill(in, N, 5);
    if (way < 2)
      MPI_Send(out, N, MPI_INT, peer, 11, MPI_COMM_WORLD);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    check(after[0] == 4 && after[N - 1] == 4, "a message after one that was too long");
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);
    check(r[2] == MPI_REQUEST_NULL, "a send is not null");
    MPI_Irecv(&in[2], 2, MPI_INT, peer, 12, MPI_COMM_WORLD, &r[0]);
    MPI_Send(out, 1, MPI_INT, peer, 12, MPI_COMM_WORLD);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    check(in[0] == 5 && in[2] == 4 && in[3] == 5 && in[N / 2 - 1] == 5, "a buffer after a message that was too long");
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* shapes receives into types with gaps, that overlap, or begin before the buffer. */
static void shapes(void)
{
  MPI_Datatype column, narrow, before, piece, types[4];
  int lengths[2] = {1, 2}, places[2] = {-3, 1}, m[6][6], out[36], in[36];
  MPI_Request r[2];
  MPI_Type_vector(6, 1, 6, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, sizeof(int), &narrow);
  MPI_Type_indexed(2, lengths, places, MPI_INT, &before);
  MPI_Type_create_subarray(2, (int[]){6, 6}, (int[]){3, 2}, (int[]){2, 1}, MPI_ORDER_C, MPI_INT, &piece);
  types[0] = narrow; types[1] = before; types[2] = piece; types[3] = MPI_2INT;
  for (int i = 0; i < 4; i++)
    if (i < 3)
      MPI_Type_commit(&types[i]);
  for (int i = 0; i < 36; i++)
    out[i] = 100 + i;
  fill(&m[0][0], 36, UNTOUCHED);
  MPI_Irecv(m, 3, narrow, peer, 13, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(&m[0][3], 2, narrow, peer, 14, MPI_COMM_WORLD, &r[1]);
  MPI_Send(out, 18, MPI_INT, peer, 13, MPI_COMM_WORLD);
  MPI_Send(out + 18, 12, MPI_INT, peer, 14, MPI_COMM_WORLD);
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  check(m[0][3] == 118 && m[5][4] == 129 && m[5][5] == UNTOUCHED, "columns");
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  for (int c = 0; c < 5; c++)
    for (int i = 0; i < 6; i++)
      check(m[i][c] == 100 + 6 * c + i, "a matrix of columns");
  fill(in, 36, UNTOUCHED);
  MPI_Irecv(in + 10, 1, before, peer, 15, MPI_COMM_WORLD, &r[0]);
  in[8] = 1; /* in a gap */
  MPI_Isend(out, 3, MPI_INT, peer, 15, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  check(in[7] == 100 && in[8] == 1 && in[9] == UNTOUCHED && in[11] == 101 && in[12] == 102, "a type that begins before the buffer");
  MPI_Recv_init(in, 1, piece, peer, 16, MPI_COMM_WORLD, &r[0]);
  MPI_Send_init(out, 1, piece, peer, 16, MPI_COMM_WORLD, &r[1]);
  for (int i = 0; i < 3; i++)
    MPI_Type_free(&types[i]);
  MPI_Type_free(&column);
  for (int k = 0; k < 2; k++) {
    fill(in, 36, UNTOUCHED);
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 36; i++)
      check(in[i] == (i / 6 >= 2 && i / 6 < 5 && i % 6 >= 1 && i % 6 < 3 ? out[i] : UNTOUCHED), "a part of an array");
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  struct { double x; int i; } pair[2] = {{1, 1}, {2, 2}}, got[2] = {{0, 0}, {0, 0}};
  MPI_Irecv(got, 2, MPI_DOUBLE_INT, peer, 17, MPI_COMM_WORLD, &r[0]);
  MPI_Send(pair, 2, MPI_DOUBLE_INT, peer, 17, MPI_COMM_WORLD);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  check(got[1].x == 2 && got[1].i == 2 && got[0].i == 1, "pairs");
  MPI_Irecv(got, 0, MPI_DOUBLE_INT, peer, 18, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(NULL, 0, MPI_INT, peer, 18, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  check(got[1].x == 2, "a message of nothing");
  MPI_Aint at;
  MPI_Datatype absolute;
  int one = 1, here = UNTOUCHED;
  MPI_Get_address(&here, &at);
  MPI_Type_create_hindexed(1, &one, &at, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  MPI_Irecv(MPI_BOTTOM, 1, absolute, peer, 19, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(MPI_BOTTOM, 1, absolute, peer, 20, MPI_COMM_WORLD, &r[1]);
  MPI_Send(out, 1, MPI_INT, peer, 19, MPI_COMM_WORLD);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Recv(in, 1, MPI_INT, peer, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  check(here == 100, "MPI_BOTTOM");
  MPI_Type_free(&absolute);
}

/* modes uses ready and buffered sends, persistent too. */
static void modes(void)
{
  int in[2], out = rank, size, flag = 0, none = 0;
  char room[1000], *got;
  MPI_Request r[4];
  MPI_Buffer_attach(room, sizeof room);
  for (int i = 0; i < 2; i++) {
    MPI_Irecv(&in[0], 1, MPI_INT, peer, 21, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, peer, 22, MPI_COMM_WORLD, &r[1]);
    MPI_Sendrecv(&none, 0, MPI_INT, peer, 23, &none, 0, MPI_INT, peer, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Rsend_init(&out, 1, MPI_INT, peer, 21, MPI_COMM_WORLD, &r[2]);
    MPI_Bsend_init(&out, 1, MPI_INT, peer, 22, MPI_COMM_WORLD, &r[3]);
    MPI_Startall(2, &r[2]);
    while (!flag)
      MPI_Testall(4, r, &flag, MPI_STATUSES_IGNORE);
    check(in[0] == peer && in[1] == peer, "a ready or buffered send");
    flag = 0;
    MPI_Request_free(&r[2]);
    MPI_Start(&r[3]);
    MPI_Request_free(&r[3]);
    MPI_Buffer_detach(&got, &size);
    MPI_Recv(&in[1], 1, MPI_INT, peer, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_attach(room, sizeof room);
  }
  MPI_Buffer_detach(&got, &size);
  check(got == room && size == sizeof room, "the buffer of sends");
}

/* elsewhere uses communicators that are freed while messages are under way, and one between two groups. */
static void elsewhere(void)
{
  int in[3] = {UNTOUCHED, UNTOUCHED, UNTOUCHED}, out = rank, n, flag = 0;
  MPI_Comm dup, half, inter;
  MPI_Request r[2];
  MPI_Status s;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Irecv(in, 1, MPI_INT, peer, 24, dup, &r[0]);
  MPI_Isend(&out, 1, MPI_INT, peer, 24, dup, &r[1]);
  MPI_Comm_free(&dup);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  check(in[0] == peer, "a communicator that was freed");
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 25, &inter);
  MPI_Comm_remote_size(inter, &n);
  MPI_Request *sent = malloc((size_t)n * sizeof *sent);
  for (int i = 0; i < n; i++)
    MPI_Isend(&out, 1, MPI_INT, i, 26, inter, &sent[i]);
  int sum = 0;
  for (int i = 0; i < n; i++) {
    if (i % 2 == 0) {
      MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 26, inter, &s);
    } else {
      while (!flag)
        MPI_Iprobe(MPI_ANY_SOURCE, 26, inter, &flag, &s);
      MPI_Recv(in, 1, MPI_INT, s.MPI_SOURCE, 26, inter, MPI_STATUS_IGNORE);
      flag = 0;
    }
    check(in[0] == 2 * s.MPI_SOURCE + 1 - rank % 2, "the source of a message between groups");
    sum += in[0];
  }
  MPI_Waitall(n, sent, MPI_STATUSES_IGNORE);
  free(sent);
  MPI_Bcast(in, 1, MPI_INT, rank % 2 == 0 ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, inter);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/* together uses collectives in place, of nothing, and begun before others. */
static void together(void)
{
  int size, a[64], b = rank, c = rank, sum = rank;
  MPI_Request r[2];
  MPI_Comm dup;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Ibcast(&b, 1, MPI_INT, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &dup, &r[1]);
  MPI_Bcast(&c, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
  a[rank] = rank;
  if (rank == 0)
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 1, MPI_INT, 0, MPI_COMM_WORLD);
  else
    MPI_Gather(&rank, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &sum, rank == 0 ? &sum : NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Bcast(&sum, 1, MPI_INT, 0, dup);
  check(b == 0 && c == size - 1 && sum == size * (size - 1) / 2, "collectives");
  for (int i = 0; rank == 0 && i < size; i++)
    check(a[i] == i, "what is gathered in place");
  MPI_Comm_free(&dup);
}

/* heard polls for messages in ways that a receive takes them with wildcards. */
static void heard(void)
{
  int flag, in, out = rank, n;
  MPI_Status s;
  MPI_Message m;
  MPI_Request r[3], taken;
  for (int i = 0; i < 3; i++)
    MPI_Isend(&out, 1, MPI_INT, peer, 30 + i, MPI_COMM_WORLD, &r[i]);
  for (flag = 0; !flag;)
    MPI_Iprobe(peer, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Iprobe(peer, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &s);
  check(flag, "a message that was there");
  MPI_Recv(&in, 1, MPI_INT, peer, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
  check(s.MPI_TAG == 30, "the first message");
  MPI_Probe(peer, 32, MPI_COMM_WORLD, &s);
  MPI_Iprobe(MPI_ANY_SOURCE, 32, MPI_COMM_WORLD, &flag, &s);
  check(flag, "a message that MPI_Probe found");
  for (flag = 0; !flag;)
    MPI_Improbe(peer, 31, MPI_COMM_WORLD, &flag, &m, &s);
  MPI_Get_count(&s, MPI_INT, &n);
  MPI_Mrecv(&in, n, MPI_INT, &m, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_ANY_SOURCE, 32, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
  MPI_Imrecv(&in, 1, MPI_INT, &m, &taken);
  MPI_Wait(&taken, MPI_STATUS_IGNORE);
  check(in == peer, "a message");
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
  static void (*const parts[])(void) = {nobody, border, none_left, generalised, freed, given_up, known, refused, shapes, modes,
                                        elsewhere, together, heard};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  peer = rank ^ 1;
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
    parts[i]();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return wrong;
}

/* A server opens a port, writes its name to a file and spawns two clients, which
 * connect to it one by one: a second way in beside the intercommunicator. With
 * "hang" client 1 finds nothing to ask and waits for orders from its parent
 * instead of connecting.
 *
 * Truth: the server waits in MPI_Comm_accept at "accept" for a second client;
 * rank 1 of the 2 spawned processes, which should connect, waits at "orders" for
 * a message of the server; rank 0 of them waits in MPI_Barrier at "barrier" for
 * rank 1. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLIENTS 2

static void publish(const char *file, const char *port)
{
  char draft[4096];
  snprintf(draft, sizeof draft, "%s.new", file);
  FILE *f = fopen(draft, "w");
  fputs(port, f);
  fclose(f);
  rename(draft, file);
}

static void look_up(const char *file, char *port)
{
  FILE *f = fopen(file, "r");
  if (f == NULL || fgets(port, MPI_MAX_PORT_NAME, f) == NULL)
    MPI_Abort(MPI_COMM_WORLD, 2);
  fclose(f);
}

static int serve(const char *port)
{
  int sum = 0, question;
  for (int i = 0; i < CLIENTS; i++) {
    MPI_Comm client;
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &client); /* LAGGARD: accept */
    MPI_Recv(&question, 1, MPI_INT, 0, 1, client, MPI_STATUS_IGNORE);
    sum += question;
    MPI_Comm_disconnect(&client);
  }
  return sum;
}

static void ask(const char *file, int rank)
{
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm server;
  look_up(file, port);
  MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &server);
  MPI_Send(&rank, 1, MPI_INT, 0, 1, server);
  MPI_Comm_disconnect(&server);
}

static void client(MPI_Comm parent, const char *mode, const char *file)
{
  int rank, order;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && strcmp(mode, "hang") == 0)                            /* LAGGARD: cause */
    MPI_Recv(&order, 1, MPI_INT, 0, 3, parent, MPI_STATUS_IGNORE); /* LAGGARD: orders */
  for (int turn = 0; turn < CLIENTS; turn++) { /* Open MPI 4.1 may hang where two connect at once */
    if (rank == turn)
      ask(file, rank);
    MPI_Barrier(MPI_COMM_WORLD); /* LAGGARD: barrier */
  }
}

int main(int argc, char **argv)
{
  MPI_Comm parent, clients;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    client(parent, argv[1], argv[2]);
    MPI_Comm_disconnect(&parent);
  } else {
    char port[MPI_MAX_PORT_NAME], file[64];
    char *arguments[] = {argc > 1 ? argv[1] : "ok", file, NULL};
    snprintf(file, sizeof file, "port.%d", (int)getpid());
    MPI_Open_port(MPI_INFO_NULL, port);
    publish(file, port);
    MPI_Comm_spawn(argv[0], arguments, CLIENTS, MPI_INFO_NULL, 0, MPI_COMM_SELF, &clients, MPI_ERRCODES_IGNORE); /* LAGGARD: spawn */
    printf("sum %d\n", serve(port));
    MPI_Close_port(port);
    remove(file);
    MPI_Comm_disconnect(&clients);
  }
  MPI_Finalize();
  return 0;
}

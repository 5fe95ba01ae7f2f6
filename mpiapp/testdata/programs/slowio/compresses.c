/* A compressed field in HDF5: compresses FILE MEGABYTES. All ranks write their parts of one chunked dataset with the deflate
 * filter in one collective call; rank 0 has nearly all of the data, so that the others wait while it compresses. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHUNK (1 << 17) /* doubles: 1 MB */

static double *make_field(hsize_t n)
{
  double *field = malloc(n * sizeof *field);
  for (hsize_t i = 0; i < n; i++)
    field[i] = (double)(rand() % 4096) / 4096;
  return field;
}

int main(int argc, char **argv)
{
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 3)
    MPI_Abort(MPI_COMM_WORLD, 2);
  hsize_t chunks = atoi(argv[2]), mine = rank == 0 ? chunks : 1;
  hsize_t all = (chunks + size - 1) * CHUNK, n = mine * CHUNK, from = rank == 0 ? 0 : (chunks + rank - 1) * CHUNK, chunk = CHUNK;

  hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_DATASET_CREATE), transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  H5Pset_chunk(create, 1, &chunk);
  H5Pset_deflate(create, 9);
  H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
  hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
  hid_t space = H5Screate_simple(1, &all, NULL), memory = H5Screate_simple(1, &n, NULL);
  hid_t set = H5Dcreate2(file, "field", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, NULL, &n, NULL);
  double *field = make_field(n);
  herr_t failed = H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, field);
  H5Dclose(set);
  H5Fclose(file);
  if (rank == 0)
    puts(failed < 0 ? "failed" : "done");
  free(field);
  MPI_Finalize();
  return 0;
}

// Package launcher knows the programs that start MPI jobs: what mpirun, mpiexec,
// srun and the resource managers around them tell each rank in its environment,
// and what they need in order to hand variables on to the ranks.
package launcher

// Package job records an MPI job. Run starts a launcher under the recorder and
// looks after the job until it has ended. Join prepares one rank behind a launcher,
// together with the other ranks.
//
// What it is made of: the directory (rundir), what launchers say and need
// (launcher), the libraries (preload), whether the job hangs (standstill), who looks
// at it meanwhile (watch), and the files that stay on the nodes (collect). Package
// trial runs the jobs of a campaign of injected faults.
package job

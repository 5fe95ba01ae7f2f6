// Package rundir makes the directory that a job is recorded in, with the number
// of the run and the manifest, and finds in it the file of this node. What the
// files say is package model's.
package rundir

// Package collect brings the files that the ranks of a node keep in a directory of
// the node while they run (live_dir) into the run directory.
//
// Below a live_dir there is a directory for each run, and in it a link to the run
// directory; the recorder makes both (recorder/file/path.c). Any number of
// processes may collect the same files at the same time.
package collect

// Package watch looks at a job while it runs. A Watcher beside the launcher, or
// beside the program of rank 0, tells when the job hangs and ends it. A Keeper on
// each node with files of its own (live_dir) shows them to the watcher while the
// node's ranks stand still, and brings them home in the end.
package watch

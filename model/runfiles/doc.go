// Package runfiles reads the directory of a run: it lists the node files, finds out
// from a scan of all of them which run, world and rank each slot belongs to, and
// decodes the slots some at a time. Several analysis ranks share the work: each scans
// a Part, their Census values merge, and the Verdict gives each its Index.
package runfiles

// Package sight watches the processes of one node's ranks from beside. What it sees
// no record can tell: that a process was stopped, and in which order processes ended
// that were killed. A launcher ends the others within a millisecond when one rank
// dies, so the kernel is asked to tell of each end as it happens. What is seen of a
// job that does not end well is written beside the node file (process.Sightings).
package sight

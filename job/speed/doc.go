// Package speed follows how fast a job is while it runs: it tells the user when the job or some ranks of it become slower, and
// writes what a monitoring system reads.
package speed

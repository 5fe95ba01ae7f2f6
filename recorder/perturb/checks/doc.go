// Package checks holds the test of how the recorder reads and follows a schedule of
// laggard provoke, recorder/perturb/schedule.c.
package checks

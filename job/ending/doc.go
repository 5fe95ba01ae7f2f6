// Package ending ends the processes of a job on this machine, and no others. A process belongs to the job if it
// descends from the launcher, has the number of the run in its environment, or is a recorded rank. Launchers get
// SIGTERM first and ranks later, since a launcher ends its ranks in its own way; what is left after a while gets
// SIGKILL. Every signal goes through a pidfd, so that it never reaches a later process of the same number.
package ending

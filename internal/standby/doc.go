// Package standby starts a child process that costs next to nothing while it waits: a copy of this process that
// runs no Go code but a few system calls. It holds none of this process's files, blocks all signals, and may become
// this program again, with other arguments, when what it waits for comes.
package standby

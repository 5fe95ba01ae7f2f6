// Package procfs reads what the kernel shows of processes in /proc (proc(5)).
package procfs

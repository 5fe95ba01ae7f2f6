// Package stopped reads a process from outside: the registers of its threads, its
// memory and what is mapped where. A process may live ([Open]), or be a core file
// ([ReadCore]); who reads it cannot tell the two apart.
//
// A living process is not stopped, and nothing is loaded into it. The registers of a
// thread that is asleep in a system call are in /proc; a thread that runs is held by
// ptrace for as long as it takes to copy its registers and the top of its stack, at
// most [LongestHold]. Threads are seized and not attached to: if the one who holds
// them is killed, the kernel lets them run on.
package stopped

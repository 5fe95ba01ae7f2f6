// Package ptrace stands breakpoints in a running, unmodified process and says
// who comes by. Input: a process of this machine. Output: a call for every
// thread that arrives at a breakpoint, with its registers and memory.
//
// It is what the fault injector needs and no more (Linux on x86-64 and AArch64):
//
//   - A breakpoint never leaves its place while threads run. The instruction
//     under it is executed as a copy in memory of its own (see moveX86), so no other
//     thread can slip through and no single-stepping is needed. An arrival costs
//     one stop of one thread, and holds up that thread alone: 15 µs measured in a
//     virtual machine, tracer and thread on one processor (see followToCPU).
//   - Libraries are followed as the dynamic linker maps and unmaps them.
//   - Threads are followed. A forked child gets its memory cleaned and is let go;
//     a child that borrows the memory (vfork) is followed until it executes a
//     program.
//   - Detach leaves the process as if nobody had been there, but for the pages
//     that hold the copies.
//
// The kernel ties a tracer to one thread: all calls on a Process must come from
// the goroutine that made it, locked to its thread (runtime.LockOSThread). The
// traced process must not be a child that the tracing process also waits for:
// that wait would swallow stops of the traced threads.
package ptrace

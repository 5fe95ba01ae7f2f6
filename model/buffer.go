package model

import "laggard/model/format"

// Buffer is one of the call within which a process faulted or over which MPI ended the job, or of an operation that was pending then.
type Buffer struct {
	State    int // of the thread, of the call that began the operation; -1: it is an argument of the call that the thread is in
	Position int // of the argument in the prototype in C, from 0
	Element  int // of the array of displacements that gives High, from 0; -1: there is none
	Address  uint64
	// Low and High are the first byte that may be used, from Address, and the one behind the last.
	Low, High int64
	Room      int64 // bytes from Address to the end of the memory there; -1 unknown
	Memory    Memory
	Written   bool  // the call writes the buffer
	ReadOnly  bool  // the memory cannot be written
	Unsure    bool  // Low and High follow from arguments in memory that the call may have overwritten
	Frame     int   // of MemoryStack: which frame of the stack of the call that the thread is in Address is in; -1: it is not known
	InFrame   int64 // the address less the canonical frame address of that frame
	// Variable has one frame, whose offset is a return address in the function of that frame, or of a module's own memory the address
	// in its file; nil: of neither.
	Variable []Frame
}

// Memory is what is at an address.
type Memory uint32

// What may be there.
const (
	MemoryUnknown Memory = format.MemoryUnknown
	MemoryNull    Memory = format.MemoryNull    // the address is 0
	MemoryNone    Memory = format.MemoryNone    // none that can be read
	MemoryMapping Memory = format.MemoryMapping // Room is up to the end of what is mapped
	MemoryBlock   Memory = format.MemoryBlock   // a block of malloc, by what glibc notes beside it
	MemoryFreed   Memory = format.MemoryFreed   // likewise a block that is not in use
	MemoryStack   Memory = format.MemoryStack   // the stack of the thread; Room is up to its end
	MemoryGone    Memory = format.MemoryGone    // that stack, below the function that called MPI: of a function that has returned
)

// Code generated from binary/cpython/layouts.tbl by recorder/gen; DO NOT EDIT.
package cpython

// Offsets are the places of a version's members, in bytes.
type Offsets struct {
	Finalizing        uint32 // in the runtime: not 0 once the interpreter is being ended
	Interpreters      uint32 // in the runtime: the first interpreter
	LockHolder        uint32 // in the runtime, since 3.12 in an interpreter: the thread that has the GIL, or had it last
	LockTaken         uint32 // likewise: not 0 while a thread has the GIL; what threads wait with for it follows
	InterpreterNext   uint32 // in an interpreter: the next one
	Threads           uint32 // in an interpreter: its first thread
	System            uint32 // in an interpreter: the dictionary of the module sys
	ThreadNext        uint32 // in a thread: the next one
	ThreadHandle      uint32 // in a thread: its pthread_t
	ThreadInterpreter uint32 // in a thread: its interpreter
	ThreadTop         uint32 // in a thread: the frame it executes, or the entry into the interpreter that leads there
	ThreadEntry       uint32 // in a thread: the newest entry, on the C stack
	ThreadHandled     uint32 // in a thread: the innermost item of the exceptions that are being handled
	ThreadRaised      uint32 // in a thread: the exception that is set; up to 3.11 its type, itself, its traceback
	EntryFrame        uint32 // in an entry: its frame; absent: thread_top is one
	EntryNext         uint32 // in an entry: the one before
	FrameBack         uint32 // in a frame: the one that called it
	FrameCode         uint32 // in a frame: its code
	FrameInstruction  uint32 // in a frame: the instruction it is at
	FrameKind         uint32 // in a frame: a byte that marks frames by which C code entered the interpreter
	CodeFile          uint32 // in a code object: its file
	CodeName          uint32 // in a code object: its name
	CodeFirst         uint32 // in a code object: its first line
	CodeLines         uint32 // in a code object: the table of lines
	CodeBytes         uint32 // in a code object: where its instructions begin
	ObjectType        uint32 // in any object: its type
	ObjectCode        uint32 // in a frame that is an object: its code; since 3.11 the frame
	TypeName          uint32 // in a type: its name
	TypeFlags         uint32 // in a type: its flags
	Length            uint32 // in a text or bytes: its length
	TextState         uint32 // in a text: its kind
	TextAscii         uint32 // in a text: where ASCII begins
	Bytes             uint32 // in bytes: where they begin
	BytesLength       uint32 // in bytes: the length, which must be at the same offset as that of a text
	ItemException     uint32 // in an item of the handled exceptions: the exception; up to 3.10 behind its type
	ItemNext          uint32 // in an item of the handled exceptions: the next outer one
	ExceptionTrace    uint32 // in an exception: its traceback
	TraceNext         uint32 // in a traceback: the next inner one
	TraceFrame        uint32 // in a traceback: its frame
	TraceInstruction  uint32 // in a traceback: the instruction
	Keys              uint32 // in a dictionary: its keys
}

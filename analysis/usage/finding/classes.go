package finding

// Class is a kind of wrong use of MPI.
type Class struct {
	Name     string
	Severity string // error: the standard forbids it; warning: legal but unsafe
	Standard string // section that says so
	Means    string // what is wrong
	Change   string // what to change
}

// The severities of a Class.
const (
	Error   = "error"
	Warning = "warning"
)

// closed is when a buffer of one-sided access is free again.
const closed = "; of a put or a get, only after the flush, fence or unlock that completes it"

// Classes are all kinds of finding, worst first, except that each comes after what may
// be its cause: an argument that one rank gives is wrong whatever the others do, and
// what then does not match, has no other half or hangs follows from it.
var Classes = []Class{
	{"invalid_argument", Error, "MPI-3.1 §8.3",
		"an argument is out of the range that the function allows, or a handle that is null or was freed",
		"pass what the section allows for this parameter"},
	{"invalid_type", Error, "MPI-3.1 §4.1.9",
		"a datatype is used for communication that was not committed, or was freed",
		"call MPI_Type_commit after making the type, and MPI_Type_free only after its last use"},
	{"collective_mismatch", Error, "MPI-3.1 §5.1, §5.13",
		"members of a communicator call different collectives, " +
			"or the same with other roots, operations, counts or types",
		"let all members of the communicator make the same collective calls in the same order with matching arguments"},
	{"type_mismatch", Error, "MPI-3.1 §3.3.1",
		"the type signature that is sent is not the one that is received",
		"use the same sequence of basic types on both sides"},
	{"truncation", Error, "MPI-3.1 §3.2.4",
		"a message is longer than the buffer that receives it",
		"receive with at least the count that is sent, or ask MPI_Probe and MPI_Get_count first"},
	{"unmatched_message", Error, "MPI-3.1 §8.7",
		"a message was sent and never received, or a receive never got a message",
		"make every send meet a receive before MPI_Finalize"},
	{"deadlock", Error, "MPI-3.1 §3.5",
		"ranks wait for each other, or for a call that will not come, and none can go on",
		"reorder the calls, or start sends and receives with MPI_Isend and MPI_Irecv and complete them together"},
	{"buffer_overlap", Error, "MPI-3.1 §3.7.2",
		"memory that an operation under way writes is also used by another",
		"give each operation memory of its own, or complete the first before the second"},
	{"send_buffer_write", Error, "MPI-3.1 §3.7.2",
		"a send buffer changed while the send was under way",
		"write to the buffer only after MPI_Wait or a successful MPI_Test of the send" + closed},
	{"receive_buffer_write", Error, "MPI-3.1 §3.7.2",
		"the program wrote to a buffer while a receive into it was under way",
		"write to the buffer only after MPI_Wait or a successful MPI_Test of the receive" + closed},
	{"receive_buffer_read", Error, "MPI-3.1 §3.7.2",
		"the program read a buffer while a receive into it was under way",
		"read the buffer only after MPI_Wait or a successful MPI_Test of the receive" + closed},
	{"one_sided", Error, "MPI-3.1 §11.5, §11.7",
		"a window is accessed outside an epoch, an epoch is not opened or closed as it must be, or accesses conflict",
		"open the epoch before the access and close it behind it (fence, start/complete, lock/unlock), " +
			"and separate conflicting accesses by a synchronisation"},
	{"ready_send", Error, "MPI-3.1 §3.4",
		"a ready send began before its receive",
		"begin the receive first and tell the sender so, or use MPI_Send"},
	{"bsend_buffer", Error, "MPI-3.1 §3.6",
		"a buffered send without an attached buffer that is large enough",
		"attach the sum of MPI_Pack_size and MPI_BSEND_OVERHEAD for all buffered sends that can be under way"},
	{"lost_request", Error, "MPI-3.1 §3.7.3",
		"an operation was begun and never completed",
		"complete the request with MPI_Wait or MPI_Test before its handle is overwritten or goes out of scope"},
	{"request_misuse", Error, "MPI-3.1 §3.7.3, §3.9",
		"a request or a matched message is used as its state does not allow",
		"use each request once between start and completion"},
	{"thread_level", Error, "MPI-3.1 §12.4",
		"threads call MPI in a way that the provided level of thread support does not allow",
		"ask MPI_Init_thread for the level, check what it provides, or let one thread at a time call MPI"},
	{"lifecycle", Error, "MPI-3.1 §8.7",
		"MPI is called before MPI_Init or after MPI_Finalize, or MPI_Finalize is missing",
		"call MPI_Init once, first, and MPI_Finalize once, last"},
	{"file_access", Error, "MPI-3.1 §13.2, §13.4",
		"a file is used as the mode it was opened with, or an operation under way on it, does not allow",
		"open the file with the mode that the access needs, " +
			"and complete operations before the next and before MPI_File_close"},
	{"potential_deadlock", Warning, "MPI-3.1 §3.5",
		"the program goes on only because MPI buffers messages; with larger messages, or another MPI, it hangs",
		"use MPI_Sendrecv, or MPI_Irecv before MPI_Send, so that no send waits for a receive that comes later"},
	{"refused", Warning, "MPI-3.1 §8.3",
		"MPI returned an error, and the program, which handles errors itself, went on",
		"check what the call returns; a call that MPI refuses has done nothing"},
	{"leak", Warning, "MPI-3.1 §2.5.1",
		"an object was made and not freed before MPI_Finalize",
		"free it with the function of its kind when it is no longer used"},
}

// ClassNamed returns the class of that name.
func ClassNamed(name string) (Class, bool) {
	for _, c := range Classes {
		if c.Name == name {
			return c, true
		}
	}
	return Class{}, false
}

// rankOf returns the place of a class among Classes; those not there come last.
func rankOf(name string) int {
	for i, c := range Classes {
		if c.Name == name {
			return i
		}
	}
	return len(Classes)
}

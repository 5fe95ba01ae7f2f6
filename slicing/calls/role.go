package calls

// Role says what a function does with one of its arguments.
type Role byte

// The roles. "Decides" is for what decides whether an MPI call completes and
// what its other results are; payload is the data of a message.
const (
	Ignored  Role = '.' // nothing that matters to a slice
	Value    Role = 'v' // the value decides
	Array    Role = 'a' // the memory it points to decides
	Content  Role = 'c' // of the C library: the memory it points to is read
	SendData Role = 'b' // the memory it points to is sent, or combined
	RecvData Role = 'r' // the data that arrive are written there
	BothData Role = 'x' // the memory is read and written
	NewReq   Role = 'q' // a request or message is written there
	Request  Role = 'Q' // the request, or requests, there are waited for
	Status   Role = 's' // a status is written there
	FromStat Role = 'S' // a status there is read
	Out      Role = 'o' // a result is written there
	Written  Role = 'w' // of the C library: the memory it points to is written
	Float    Role = 'f' // the floating-point arguments are read
	Callback Role = 'p' // what the function there returns decides, which is called
	Block    Role = 'k' // of Fortran: a block of parameters there is read, and what its pointers lead to
	Filled   Role = 'K' // of Fortran: what the pointers in a block of parameters there lead to may be written
	NoArg    Role = '-'
)

// Decides reports whether the argument's own value is read, and decides.
func (r Role) Decides() bool { return r == Value || r == Float }

// Reads reports whether memory behind the argument is read; payload says that it
// matters to what is received elsewhere, or to the result, alone.
func (r Role) Reads() (memory, payload bool) {
	switch r {
	case Array, Content, Request, FromStat, Block:
		return true, false
	case SendData, BothData:
		return true, true
	}
	return false, false
}

// Writes reports whether memory behind the argument is written.
func (r Role) Writes() bool {
	switch r {
	case RecvData, BothData, NewReq, Status, Out, Written:
		return true
	}
	return false
}

package synth

import "laggard/model/mpi"

// synchronises reports whether all ranks of a communicator must begin the call
// before any of them returns from it.
func synchronises(call string) bool {
	f := mpi.FunctionOf(call)
	return f.InClass(mpi.ClassColl) && f.HasTrait(mpi.Synchronises)
}

// awaitsMessage reports whether the call waits for a message.
func awaitsMessage(call string) bool {
	return mpi.FunctionOf(call).InClass(mpi.ClassRecv, mpi.ClassMrecv, mpi.ClassProbe, mpi.ClassMprobe, mpi.ClassWait,
		mpi.ClassWaitall, mpi.ClassSendrecv)
}

// pointToPoint reports whether the call waits for, sends or receives a message.
func pointToPoint(call string) bool {
	f := mpi.FunctionOf(call)
	return awaitsMessage(call) || f != nil && (f.Class.SendsMessage() || f.Class.ReceivesMessage())
}

// finalizes reports whether the call ends MPI.
func finalizes(call string) bool { return mpi.FunctionOf(call).InClass(mpi.ClassFinalize) }

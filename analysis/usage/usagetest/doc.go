// Package usagetest answers what a trace says, in a form that a reader can write and
// read: a transcript. Input is text, output is the traces of the ranks, and the other
// way round. It is for tests of package usage.
//
// A transcript has a line for each call, in the order of the file:
//
//	0: MPI_Isend(buf=0x1000, count=2, datatype=MPI_INT, dest=1, tag=7, comm=world) -> request=r1 @ a.c:12
//	0: MPI_Wait(request=r1) -> status=(1,7,8) @ a.c:13
//	1.2: MPI_Recv(source=0) -> …              thread 2 of rank 1; the call never returned
//	1: MPI_Cart_get(maxdims=2) -> refused     nor did this, since MPI reported an error and ended the job
//	1.0: MPI_Send(dest=0) -> later            it returns at the line «1.0: returns»
//	0: MPI_Send(dest=1) -> error 6            it returned that code
//	0-3: MPI_Barrier()                        the same call of several ranks
//
// What is not written has a default: count 1, MPI_INT, tag 0, MPI_COMM_WORLD, root
// 0, MPI_SUM, a buffer of its own for each call, and what MPI gives back in the
// usual case. A site that is not written is the line of the transcript.
//
// Names stand for handles: a name that was not there before is a new one. Of a
// communicator, «comm c 0,1» says the members before its first use; otherwise they
// are those of the communicator that it is made from. Also
// «comm c 0,1 remote 2,3», «comm c 0,1 dests 1 sources 0», «win w 0,1», «file f 0».
// A datatype is made by its constructor: MPI_Type_vector(count=2, blocklength=1,
// stride=3, oldtype=MPI_INT) -> newtype=v.
//
//	rank 1: end=signalled incomplete="killed"   of the rank; also signal=11, thread_level=0..3,
//	                                            phase=running, family=mpich (else openmpi)
//	note 0: send buffer of line 3 changed, seen at line 9    or: receive buffer; read, written, as a sanitizer saw
//
// null, invalid, bottom, inplace, any, procnull, undefined are the special values, and of
// the argument assert noprecede, nosucceed, noput; «nil» is what was not recorded.
package usagetest

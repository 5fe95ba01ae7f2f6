//go:build mpi

package reduce

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	mpi "github.com/sbromberger/gompi"
)

// HasMPI reports whether this build can be a rank of an MPI job.
const HasMPI = true

// ErrStarted: Start was called before; MPI starts once in a process.
var ErrStarted = errors.New("MPI was already started")

// maxChunk keeps the count of a packet well inside 32 bits.
const maxChunk = 1 << 30

// mpiTag marks all messages of this package. Tags do not have to tell messages
// apart: the order per pair of ranks does.
const mpiTag = 7

// Start makes the process a rank of the MPI job it was launched in; without a
// launcher it is the only rank. It ties the calling goroutine to its thread,
// and only that goroutine may use the Comm and call stop.
//
// stop ends MPI, and the Comm with it. It is given the error of the rank's
// work. The error of a collective operation is shared by all ranks, so all of
// them stop. Any other error may have left ranks waiting for this one: stop
// prints it and ends the whole job with status 1.
//
// Transport errors end the job too: MPI does so by default, and the binding
// reports none. Errors wrap ErrStarted.
func Start() (c Comm, stop func(failed error), err error) {
	if mpi.IsOn() {
		return nil, nil, fmt.Errorf("reduce: %w", ErrStarted)
	}
	runtime.LockOSThread()
	mpi.Start(false)
	world := mpi.NewCommunicator(nil)
	p := &packets{link: mpiLink{world}, rank: world.Rank(), size: world.Size(), chunk: maxChunk}
	return p, func(failed error) { stopMPI(world, p.rank, failed) }, nil
}

func stopMPI(world *mpi.Communicator, rank int, failed error) {
	verdict, named := errors.AsType[*RankError](failed)
	if failed != nil && !(named && verdict.agreed) {
		fmt.Fprintf(os.Stderr, "rank %d: %v\n", rank, failed)
		world.Abort(1)
	}
	mpi.Stop()
	runtime.UnlockOSThread()
}

// mpiLink probes and then receives with the same source and tag, and only one
// goroutine receives, so the packet is the one that was probed.
type mpiLink struct{ world *mpi.Communicator }

func (l mpiLink) send(to int, packet []byte) { l.world.SendBytes(packet, to, mpiTag) }

func (l mpiLink) probe(from int) int { return l.world.Probe(from, mpiTag).GetCount(mpi.Byte) }

func (l mpiLink) recv(from int, into []byte) { l.world.RecvPreallocBytes(into, from, mpiTag) }

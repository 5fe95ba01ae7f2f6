package library

import "laggard/model"

// Handles of the standard ABI that mean the same in every library. The others are the library's own in another form,
// and nothing is told of them.
const (
	standardWorld       = 0x101
	standardSelf        = 0x102
	standardRequestNull = 0x180
)

// standard is a library that is used by way of the ABI of MPI-5.
type standard struct {
	unknown
	world, self *model.Comm
}

func openStandard(p *Process) Library { return &standard{world: p.worldComm(), self: p.selfComm()} }

func (s *standard) ResolveComm(handle uint64, _ bool) *model.Comm {
	switch handle {
	case standardWorld:
		return s.world
	case standardSelf:
		return s.self
	}
	return nil
}

func (s *standard) ResolveRequest(handle uint64, _ bool) (Request, bool) {
	return Request{Done: true}, handle == standardRequestNull
}

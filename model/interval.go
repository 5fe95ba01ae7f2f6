package model

import (
	"time"
)

// Interval is what samples of a process over a length of time say. Counts are of samples unless they have a unit.
type Interval struct {
	Begin time.Time // a multiple of Step since 1970
	Step  time.Duration
	// Samples were taken; fewer than Rank.SampleHz says if the process was stopped, or had no processor. Those that are
	// neither Computing, Waiting nor IO found no thread.
	Samples   int
	Computing int           // outside MPI
	Waiting   int           // inside an MPI call, or between polls that found nothing
	IO        int           // in MPI-IO, or asleep on a disk
	CPU       time.Duration // processor time of all threads
	Starved   time.Duration // in which the thread would have run but had no processor
	Faults    int           // major page faults
	Calls     int           // MPI calls of the thread that were no empty polls
	// Thread indexes Rank.Threads: the one that was sampled, which calls MPI most.
	Thread  int
	State   int // index into the states of Thread: what was sampled most, the call or the computation behind it; -1 none
	AtState int // samples there
	Comm    int // index into Rank.Comms: what most of Waiting was on; -1 unknown
	Peer    int // rank in it that was waited for most; None: several, as in a collective
	ForPeer int // samples that waited for it
	// Anchor indexes the states of Thread: one that comes once in each iteration of its loop; -1 none. Turns are its visits.
	Anchor, Turns int
	MHz           int      // clock of the processor; 0 unknown
	Pressure      Pressure // on the node
}

// Pressure is what parts of the time some process of a node waited for what, 0 to 1; 0 also where it is not known.
type Pressure struct {
	CPU, IO, Memory float64
}

// End is when the interval ends.
func (i *Interval) End() time.Time { return i.Begin.Add(i.Step) }

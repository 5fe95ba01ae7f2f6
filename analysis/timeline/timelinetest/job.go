package timelinetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// End is when the samples of all jobs end.
var End = time.Date(2026, 3, 12, 18, 0, 0, 0, time.UTC)

// Doing is what a rank does at a time.
type Doing struct {
	Computing, IO float64 // parts of the time; the rest is waiting
	Stopped       bool    // there are no samples
	Starved       float64
	WaitsFor      int // world rank; -1 several
	Rate          float64
}

// Job is a job that ran for some time.
type Job struct {
	Ranks, PerNode int
	Length         time.Duration
	Do             func(rank int, at time.Duration) Doing
}

// hz is how many samples a second the ranks take.
const hz = 10

// Day is a day of a stencil code: the lower half of the ranks computes more than the upper, each hour there is a checkpoint of
// four minutes, rank 333 computes longer from the 15th hour on, ranks 64 to 95 lose their processors to others for an hour, and
// rank 900 is stopped 20 minutes before the end. In a job that has no such ranks these do not happen.
func Day(ranks int) Job {
	return Job{Ranks: ranks, PerNode: 32, Length: 24 * time.Hour, Do: func(rank int, at time.Duration) Doing {
		d := Doing{Computing: 0.7, WaitsFor: -1, Rate: 4}
		if 2*rank >= ranks {
			d.Computing = 0.4
		}
		if at > 15*time.Hour {
			d.Rate, d.Computing = 2.5, d.Computing*0.6
			switch rank {
			case 333:
				d.Computing = 0.95
			case 332, 334:
				d.WaitsFor = 333
			}
		}
		if at%time.Hour < 4*time.Minute {
			d.Computing, d.IO, d.Rate = 0.1, 0.8, 0.4
		}
		if rank >= 64 && rank < 96 && at > 6*time.Hour && at < 7*time.Hour {
			d.Starved = 0.5
		}
		d.Stopped = rank == 900 && at > 24*time.Hour-20*time.Minute
		return d
	}}
}

// Write writes the run directory dir, which must not exist.
func (j Job) Write(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	begin := End.Add(-j.Length)
	m := &model.Manifest{
		RunID: model.RunIDText(7), Created: begin, Version: "1.0", Command: []string{"mpirun", "./steps"}, Ranks: j.Ranks,
	}
	if err := runfiles.WriteManifest(dir, m); err != nil {
		return err
	}
	for node := 0; node*j.PerNode < j.Ranks; node++ {
		var ranks []*model.Rank
		for rank := node * j.PerNode; rank < min(j.Ranks, (node+1)*j.PerNode); rank++ {
			ranks = append(ranks, j.Rank(rank))
		}
		h := nodefile.Header{RunID: 7, Host: fmt.Sprintf("node%03d", node+1), Created: begin}
		if _, err := nodefile.WriteNode(dir, h, ranks); err != nil {
			return err
		}
	}
	return nil
}

// Rank is one of the ranks, as a reader sees it.
func (j Job) Rank(rank int) *model.Rank {
	app := &model.Module{BuildID: "aa", Path: "/app/steps", Size: 1 << 20}
	state := func(id byte, call string, offset uint64) *model.State {
		return &model.State{ID: model.StateID{id}, Call: call, Stack: []model.Frame{{Module: app, Offset: offset}}}
	}
	members := make([]int, j.Ranks)
	for i := range members {
		members[i] = i
	}
	r := &model.Rank{
		Rank: rank, Size: j.Ranks, Host: fmt.Sprintf("node%03d", rank/j.PerNode+1), PID: 1000 + rank, Start: End.Add(-j.Length),
		Phase: model.Running, Heartbeat: End, Modules: []*model.Module{app}, EndDetail: -1, SampleHz: hz,
		Comms: []*model.Comm{{ID: 1, Kind: model.World, Rank: rank, Size: j.Ranks, Members: members, State: -1}},
		Threads: []*model.Thread{{Op: model.Op{State: 1}, Model: model.Model{
			States: []*model.State{state(1, "MPI_Sendrecv", 0x100), state(2, "MPI_Allreduce", 0x200)}, Visits: []uint64{9, 9},
		}}},
	}
	rng := rand.New(rand.NewPCG(uint64(rank), 1))
	for at := time.Duration(0); at < j.Length; {
		step := stepBefore(j.Length - at)
		d := j.Do(rank, at)
		if !d.Stopped {
			r.Series = append(r.Series, d.interval(rng, End.Add(at-j.Length), step))
		}
		at += step
	}
	return r
}

// stepBefore is how long the steps are that a recorder has of a time ago.
func stepBefore(ago time.Duration) time.Duration {
	switch {
	case ago <= 10*time.Minute:
		return time.Second
	case ago <= 2*time.Hour:
		return 10 * time.Second
	}
	return time.Minute
}

// interval samples what a rank does.
func (d Doing) interval(rng *rand.Rand, begin time.Time, step time.Duration) model.Interval {
	samples := int(hz * step / time.Second)
	i := model.Interval{
		Begin: begin, Step: step, Samples: samples, Starved: time.Duration(d.Starved * float64(step)).Truncate(time.Millisecond),
		State: 1, Comm: 0, Peer: model.None, Anchor: 1, Turns: int(d.Rate*step.Seconds() + rng.Float64()),
	}
	for range samples {
		switch u := rng.Float64(); {
		case u < d.Computing:
			i.Computing++
		case u < d.Computing+d.IO:
			i.IO++
		default:
			i.Waiting++
		}
	}
	i.AtState = samples - i.Waiting/2
	if d.WaitsFor >= 0 {
		i.State, i.Peer, i.ForPeer, i.AtState = 0, d.WaitsFor, i.Waiting, i.Waiting
	}
	return i
}

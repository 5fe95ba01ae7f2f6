package slowness

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// A simulated job: ranks that compute, exchange with all others and wait for the last one, iteration after iteration, and are sampled as
// a recorder does. What the noise of healthy runs is like was measured with programs on a shared machine, see docs/results/slowness.md.
type simulation struct {
	ranks, perNode int
	iteration      float64 // seconds of an iteration at the usual speed
	computing      float64 // the part of it that the median rank computes
	imbalance      float64 // standard deviation of the ranks' computing, as a part of it
	noise          float64 // likewise of one iteration of one rank
	jitter         float64 // likewise of one second of the job as a whole: other jobs on the network, the clock
	every          int     // each so many iterations one takes twice as long (output, reneighbouring); 0 never
	busy           bool    // other load comes and goes on all nodes
	inFiles        bool    // the ranks meet in a collective file call
	inner          int     // so many visits count as an iteration of every other rank, which are of a loop within; 0: one
	fault          fault
	seed           uint64
}

// fault is what becomes slow from a second on.
type fault struct {
	kind   Cause
	at     int // seconds
	ends   int // seconds; 0 never
	rank   int
	factor float64 // of computing; of a link and of I/O of the iteration
	starve bool    // by others that take the processor
	calls  float64 // factor of the MPI calls in an iteration; 0: 1
}

func (f fault) active(second int) bool {
	return f.kind != "" && second >= f.at && (f.ends == 0 || second < f.ends)
}

const simulatedHz = 10

// simulated is the state of a run of a simulation.
type simulated struct {
	simulation
	job       job
	random    *rand.Rand
	usual     []float64 // computing of each rank in an iteration
	progress  float64   // of the iteration in progress
	iterating int
	loop      int     // that it is in
	load      float64 // of others, 0 to 1
}

var simulationBegin = time.Unix(1_800_000_000, 0).UTC()

func newSimulated(s simulation) *simulated {
	m := &simulated{simulation: s, random: rand.New(rand.NewPCG(s.seed, 44)), usual: make([]float64, s.ranks)}
	m.job.hz = simulatedHz
	for r := range s.ranks {
		m.usual[r] = s.iteration * s.computing * math.Exp(s.imbalance*m.random.NormFloat64())
		m.job.tracks = append(m.job.tracks, &track{anchor: anchor{state: -1},
			rank: &runfiles.FollowedRank{SlotInfo: nodefile.SlotInfo{
				Rank: r, Host: fmt.Sprintf("n%d", r/s.perNode), Start: simulationBegin}}})
	}
	return m
}

// run simulates some seconds, and judges every 5 s.
func (m *simulated) run(from, to int) {
	for second := from; second < to; second++ {
		m.second(second)
		if second%5 == 4 {
			m.job.judge(bucketOf(simulationBegin.Add(time.Duration(second+1)*time.Second - lag)))
		}
	}
}

// second simulates a second of all ranks.
func (m *simulated) second(second int) {
	f := m.fault
	m.changeLoad(second)
	compute := make([]float64, m.ranks) // in an iteration of this second
	starved := make([]float64, m.ranks) // part of that
	io := make([]float64, m.ranks)
	longest := 0.0
	for r := range compute {
		perIteration := max(1/m.iteration, 1)
		c := m.usual[r] * math.Exp(m.noise/math.Sqrt(perIteration)*m.random.NormFloat64())
		if m.load > 0 {
			starved[r] = m.load * (0.5 + m.random.Float64()/2)
			c /= 1 - starved[r]
		}
		if f.active(second) {
			switch f.kind {
			case RankComputes, NodeSlow:
				hit := r == f.rank || f.kind == NodeSlow && r/m.perNode == f.rank/m.perNode
				if hit {
					c *= f.factor
					if f.starve {
						starved[r] = max(starved[r], 1-1/f.factor)
					}
				}
			case IOSlow:
				if r == f.rank {
					io[r] = m.iteration * (f.factor - 1)
				}
			}
		}
		compute[r] = c
		longest = max(longest, c+io[r])
	}
	exchange := m.iteration * (1 - m.computing) * 0.5
	if f.active(second) && f.kind == LinkSlow {
		exchange += m.iteration * (f.factor - 1)
	}
	length := (longest + exchange) * math.Exp(m.jitter*m.random.NormFloat64())
	m.progress += 1 / length
	turns := int(m.progress)
	m.progress -= float64(turns)
	m.iterating += turns
	if m.every > 0 && turns > 0 && m.iterating%m.every < turns {
		m.progress-- // it takes as long again
		if m.progress < -float64(turns) {
			m.progress = 0
		}
	}
	begin := simulationBegin.Add(time.Duration(second) * time.Second)
	for r, t := range m.job.tracks {
		visits := turns
		if r%2 == 1 {
			visits *= max(m.inner, 1)
		}
		i := m.sample(begin, compute[r]/length, io[r]/length, starved[r], visits)
		i.Calls = 10 * visits
		if f.active(second) && f.calls > 0 {
			i.Calls = int(float64(i.Calls) * f.calls)
		}
		t.feedInterval(i, simulatedHz)
	}
}

// slowdown is by which part an iteration of the whole job becomes longer by the fault, without noise.
func (m *simulated) slowdown() float64 {
	f := m.fault
	exchange := m.iteration * (1 - m.computing) * 0.5
	before, with := 0.0, 0.0
	for r, c := range m.usual {
		before = max(before, c)
		switch {
		case f.kind == RankComputes && r == f.rank, f.kind == NodeSlow && r/m.perNode == f.rank/m.perNode:
			c *= f.factor
		case f.kind == IOSlow && r == f.rank:
			c += m.iteration * (f.factor - 1)
		}
		with = max(with, c)
	}
	if f.kind == LinkSlow {
		with += m.iteration * (f.factor - 1)
	}
	return (with+exchange)/(before+exchange) - 1
}

// changeLoad has other processes come and go, for minutes at a time.
func (m *simulated) changeLoad(second int) {
	if m.busy && second%60 == 0 && m.random.IntN(5) == 0 {
		m.load = 0
		if m.random.IntN(2) == 0 {
			m.load = 0.1 + 0.4*m.random.Float64()
		}
	}
}

// sample takes the samples of a second.
func (m *simulated) sample(begin time.Time, computing, io, starved float64, turns int) *model.Interval {
	i := &model.Interval{Begin: begin, Step: time.Second, Samples: simulatedHz, Anchor: 1 + m.loop, Turns: turns, State: 1,
		Comm: -1, Peer: model.None,
		Starved: time.Duration(computing * starved * float64(time.Second))}
	for range simulatedHz {
		switch x := m.random.Float64(); {
		case x < computing:
			i.Computing++
		case x < computing+io:
			i.IO++
		case m.inFiles:
			i.IO++
		default:
			i.Waiting++
		}
	}
	return i
}

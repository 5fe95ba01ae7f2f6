package top

import (
	"time"

	"laggard/analysis/share"
	"laggard/analysis/slowness"
	"laggard/model"
	"laggard/report"
	slownessreport "laggard/report/slowness"
	"laggard/report/words"
)

// Snapshot is how fast a job runs at one moment, and what each of its ranks does.
type Snapshot struct {
	SchemaVersion int        `json:"schema_version"` // see Compatibility
	Run           report.Run `json:"run"`            // the run
	Life          Life       `json:"life"`           // running, ended, silent (no samples for some time) or unsampled (none at all)
	Explanation   string     `json:"explanation"`    // why there is nothing to show, or why it is old; "" if the job runs
	Ranks         int        `json:"ranks"`          // size of MPI_COMM_WORLD, 0 unknown
	Sampled       string     `json:"sampled"`        // ranks with samples
	Begin         time.Time  `json:"begin"`          // of the samples
	End           time.Time  `json:"end"`            // of the samples
	Rate          Rate       `json:"rate"`           // iterations per second of the median rank
	// ComparedSeconds is the time over which the job's speed was compared with what it was before; 0: too early, or no iterations.
	ComparedSeconds float64    `json:"compared_seconds"`
	QuietSeconds    float64    `json:"quiet_seconds"` // for so long no rank has made progress, while most waited; 0: some did
	Now             Shares     `json:"now"`           // mean of the ranks with samples now; all 0: unknown
	Slow            bool       `json:"slow"`          // the latest event is a slowdown
	Events          []Event    `json:"events"`        // slowdowns and recoveries, in order of time
	Imbalance       *Imbalance `json:"imbalance"`     // what uneven computation costs; null unknown
	Speeds          []Speed    `json:"speeds"`        // the ranks with samples, by rising rank
	Problems        []string   `json:"problems"`      // what was missing or damaged
	current         model.RankSet
}

// Life says whether a job runs.
type Life string

// What can be said of it.
const (
	Running   Life = "running"
	Ended     Life = "ended"
	Silent    Life = "silent"
	Unsampled Life = "unsampled"
)

// Rate is a speed in iterations per second.
type Rate struct {
	Now    float64 `json:"now"`    // over the latest 10 to 60 s; 0 unknown
	Before float64 `json:"before"` // while the same loop ran at its usual speed; 0 unknown
}

// Shares are parts of a length of time, 0 to 1.
type Shares struct {
	Computing float64 `json:"computing"` // outside MPI
	Waiting   float64 `json:"waiting"`   // inside an MPI call, or between polls that found nothing
	IO        float64 `json:"io"`        // in MPI-IO, or asleep on a disk
	Absent    float64 `json:"absent"`    // without samples: stopped, or without a processor throughout
	Starved   float64 `json:"starved"`   // ready to run but without a processor; a part of the others
}

// Speed is what one rank does.
type Speed struct {
	Rank           int        `json:"rank"`            // in MPI_COMM_WORLD
	Host           string     `json:"host"`            // its node
	Doing          Doing      `json:"doing"`           // what it does most: computing, waiting, io, starved or absent
	Named          bool       `json:"named"`           // the slowdown that lasts lies at this rank
	Latest         time.Time  `json:"latest"`          // end of its latest samples
	Rate           Rate       `json:"rate"`            // its iterations per second
	ComputingRatio float64    `json:"computing_ratio"` // time that it computes in an iteration, now over before; 0 unknown
	Now            Shares     `json:"now"`             // over its latest 10 s; all 0: unknown
	Before         Shares     `json:"before"`          // while the same loop ran at its usual speed; all 0: unknown
	Place          *SampledAt `json:"place"`           // where it was sampled most lately; null unknown
	WaitsFor       int        `json:"waits_for"`       // rank that it waited for most lately; -1 none, several or unknown
}

// Doing is what a rank does most of the time.
type Doing string

// What a rank can do.
const (
	Computing Doing = "computing"
	Waiting   Doing = "waiting"
	IO        Doing = "io"
	Starved   Doing = "starved"
	Absent    Doing = "absent"
)

// SampledAt is a place in the program: an MPI call, or the computation behind it.
type SampledAt struct {
	MPI   string      `json:"mpi"`    // the MPI function
	InMPI bool        `json:"in_mpi"` // inside the call; else in the computation behind it
	Site  report.Site `json:"site"`   // the program's line that makes the call
}

// Event is a moment from which the job or some ranks were slower, or as fast as before again.
type Event struct {
	Kind           string     `json:"kind"`            // slowdown, recovery, settled or other_loop
	Text           string     `json:"text"`            // one sentence about it
	Begin          time.Time  `json:"begin"`           // estimate of when the speed changed
	Noticed        time.Time  `json:"noticed"`         // the samples up to then showed it
	Cause          string     `json:"cause"`           // rank, node, machine, link, io, program or unclear; "" unless a slowdown
	Lack           string     `json:"lack"`            // what a slow node lacks: cpu, memory or clock; "" unknown
	Ranks          string     `json:"ranks"`           // at which the cause lies; "" none can be named
	Hosts          []string   `json:"hosts"`           // their nodes
	ComputingRatio float64    `json:"computing_ratio"` // time that the ranks compute in an iteration, over that before; 0 unknown
	Rate           Rate       `json:"rate"`            // of the job at that time
	Now            Shares     `json:"now"`             // median of the ranks, or of all if there are none
	Before         Shares     `json:"before"`          // the same while the loop ran at its usual speed
	Place          *SampledAt `json:"place"`           // where the ranks are most; null unknown
	Confidence     float64    `json:"confidence"`      // that cause and ranks are right, 0 to 1
}

// Imbalance is what it costs that ranks compute for different times while others wait for them.
type Imbalance struct {
	Cost float64 `json:"cost"` // part of the run that would be saved if each rank computed as long as the mean, 0 to 1
	// ranks that lack a processor, if that may explain more than half of the cost: they need not have more work; "" it does not
	StarvedRanks string          `json:"starved_ranks"`
	Starved      float64         `json:"starved"` // part of the time in which these lack one; 0 if there are none
	Sites        []ImbalanceSite `json:"sites"`   // where it arises, the most expensive first
}

// ImbalanceSite is a place whose computation takes some ranks longer than others.
type ImbalanceSite struct {
	Place *SampledAt `json:"place"` // the call before the computation
	Cost  float64    `json:"cost"`  // its part of the cost
	Ranks string     `json:"ranks"` // that compute longest there
}

// Source is what a Snapshot is made of.
type Source struct {
	Run         report.Run
	Result      *slowness.Result
	Life        Life
	Explanation string
	Quiet       time.Duration // for so long no rank that runs has made progress
	// Site names the place of a state; nil: places have no names.
	Site func(*model.State) report.Site
}

// lately is how old the samples of a rank may be, before those of others, while it counts as running.
const lately = 5 * time.Second

// New makes a Snapshot.
func New(s Source) *Snapshot {
	r := s.Result
	out := &Snapshot{
		SchemaVersion: report.SchemaVersion, Run: s.Run, Life: s.Life, Explanation: words.Printable(s.Explanation),
		Ranks: r.Size, Sampled: r.Sampled.String(), Begin: r.Begin, End: r.End, Rate: Rate(r.Rate), ComparedSeconds: r.Compared.Seconds(),
		Events: []Event{}, Speeds: make([]Speed, 0, len(r.Ranks)), Problems: words.AllPrintable(share.Describe(r.Problems)),
	}
	for _, e := range r.Events {
		out.Events = append(out.Events, s.newEvent(e))
	}
	if last := len(r.Events) - 1; last >= 0 && r.Events[last].Kind == slowness.Slowdown {
		out.Slow, out.current = true, r.Events[last].Ranks
	}
	for i := range r.Ranks {
		out.Speeds = append(out.Speeds, s.newSpeed(&r.Ranks[i], out))
	}
	out.Now = meanShares(out.Speeds)
	if s.Life == Running && out.Now.Waiting > 0.5 {
		out.QuietSeconds = s.Quiet.Seconds()
	}
	if r.Imbalance != nil {
		out.Imbalance = s.newImbalance(r.Imbalance)
	}
	return out
}

func (s Source) newSpeed(k *slowness.RankSpeed, all *Snapshot) Speed {
	out := Speed{
		Rank: k.Rank, Host: words.Printable(k.Host), Named: all.current.Contains(k.Rank), Latest: k.Latest, Rate: Rate(k.Rate),
		ComputingRatio: k.ComputingRatio, Now: Shares(k.Now), Before: Shares(k.Before), Place: s.newPlace(k.Place, k.InMPI),
		WaitsFor: k.WaitsFor,
	}
	out.Doing = out.Now.most()
	if k.Latest.Before(all.End.Add(-lately)) {
		out.Doing = Absent
	}
	return out
}

// areKnown reports whether there were samples.
func (s Shares) areKnown() bool { return s.Computing+s.Waiting+s.IO+s.Absent > 0 }

// most is what takes the largest part. A rank that starves half of the time does so whatever else it does, unless it only waits: one that
// polls where ranks share processors would not get on with one of its own.
func (s Shares) most() Doing {
	best, part := Absent, s.Absent
	for _, other := range []struct {
		doing Doing
		part  float64
	}{{Computing, s.Computing}, {Waiting, s.Waiting}, {IO, s.IO}} {
		if other.part > part {
			best, part = other.doing, other.part
		}
	}
	if s.Starved > 0.5 && s.Waiting <= 0.5 {
		return Starved
	}
	return best
}

// meanShares is over the ranks that take samples now, or did until the job ended.
func meanShares(speeds []Speed) (mean Shares) {
	n := 0.0
	for i := range speeds {
		now := speeds[i].Now
		if speeds[i].Doing == Absent {
			continue
		}
		n++
		mean.Computing += (now.Computing - mean.Computing) / n
		mean.Waiting += (now.Waiting - mean.Waiting) / n
		mean.IO += (now.IO - mean.IO) / n
		mean.Absent += (now.Absent - mean.Absent) / n
		mean.Starved += (now.Starved - mean.Starved) / n
	}
	return mean
}

func (s Source) newPlace(state *model.State, inMPI bool) *SampledAt {
	if state == nil {
		return nil
	}
	p := &SampledAt{MPI: words.Printable(state.Call), InMPI: inMPI}
	if s.Site != nil {
		p.Site = s.Site(state)
	}
	return p
}

func (s Source) newEvent(e slowness.Event) Event {
	return Event{
		Kind: string(e.Kind), Text: slownessreport.Describe(&e), Begin: e.Begin, Noticed: e.Noticed, Cause: string(e.Cause),
		Lack:  string(e.Evidence),
		Ranks: e.Ranks.String(), Hosts: words.AllPrintable(e.Hosts), ComputingRatio: e.ComputingRatio, Rate: Rate(e.Rate),
		Now: Shares(e.Now), Before: Shares(e.Before), Place: s.newPlace(e.Place, e.Cause == slowness.LinkSlow),
		Confidence: e.Confidence,
	}
}

func (s Source) newImbalance(b *slowness.Imbalance) *Imbalance {
	out := &Imbalance{Cost: b.Cost, StarvedRanks: b.Starved.String(), Starved: b.StarvedShare, Sites: []ImbalanceSite{}}
	for _, site := range b.Sites {
		out.Sites = append(out.Sites, ImbalanceSite{Place: s.newPlace(site.State, false), Cost: site.Cost, Ranks: site.Most.String()})
	}
	return out
}

// IsIncomplete reports whether data was missing or damaged.
func (s *Snapshot) IsIncomplete() bool {
	return len(s.Problems) > 0 || s.Life == Unsampled || len(s.Speeds) < s.Ranks
}

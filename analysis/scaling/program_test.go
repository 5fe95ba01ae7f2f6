package scaling

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"laggard/analysis/scaling/recorded"
)

// program is a synthetic MPI program: what each rank sends at each call site,
// and the noise on it.
type program struct {
	sites []programSite
	noise float64 // standard deviation, as a share of the volume
}

type programSite struct {
	site  recorded.Site
	bytes func(rank, ranks int, arg float64) float64
	noisy bool // nothing predicts it: exponential around bytes
}

func libFrame(function string, offset uint64) recorded.Frame {
	return recorded.Frame{Module: "/usr/lib/libmpi.so.40", BuildID: "aa", Offset: offset, Function: function}
}

func appFrame(function string, line int) recorded.Frame {
	return recorded.Frame{Module: "/home/u/app", BuildID: "bb", Offset: uint64(line) * 16, Function: function,
		File: "app.c", Line: line}
}

func siteOf(frames ...recorded.Frame) recorded.Site {
	return recorded.Site{Frames: append(frames, appFrame("main", 99))}
}

// Call sites of the programs below.
var (
	ringSite = siteOf(libFrame("sendrecv_actual", 0x10), libFrame("allgather_ring", 0x20),
		libFrame("allgather", 0x30), appFrame("exchange", 10))
	doubleSite = siteOf(libFrame("sendrecv_actual", 0x10), libFrame("allgather_recursivedoubling", 0x28),
		libFrame("allgather", 0x38), appFrame("exchange", 10))
	blockSite   = siteOf(libFrame("send", 0x40), appFrame("send_by_block", 21), appFrame("distribute", 25))
	wordSite    = siteOf(libFrame("send", 0x40), appFrame("send_by_word", 31), appFrame("distribute", 27))
	haloSite    = siteOf(libFrame("sendrecv", 0x50), appFrame("halo", 40))
	rightSite   = siteOf(libFrame("send", 0x40), appFrame("halo_right", 45))
	wrongSite   = siteOf(libFrame("send", 0x40), appFrame("halo_right", 46))
	smallSite   = siteOf(libFrame("isend", 0x60), appFrame("update", 50))
	treeSite    = siteOf(libFrame("bcast_binomial", 0x70), libFrame("bcast", 0x78), appFrame("setup", 60))
	reduceSite  = siteOf(libFrame("allreduce", 0x80), appFrame("norm", 70))
	timingSite  = siteOf(libFrame("request_wait", 0x90), appFrame("norm", 71))
	messageSite = siteOf(libFrame("send_queued", 0xa0), libFrame("progress", 0xa8), libFrame("wait", 0xb0),
		appFrame("transfer", 80))
	peersSite = recorded.Site{Feature: "neighbours"}
)

// treeChildren counts the children of a rank in the binomial tree where a rank's
// parent is the rank without its highest one bit.
func treeChildren(rank, ranks int) int {
	n := 0
	for bit := 1; rank+bit < ranks; bit <<= 1 {
		if bit > rank {
			n++
		}
	}
	return n
}

// gridNeighbours counts those of a rank in the most compact grid of two dimensions.
func gridNeighbours(rank, ranks int) int {
	side := int(math.Sqrt(float64(ranks)))
	for ; ranks%side != 0; side-- {
	}
	n := 0
	for _, has := range []bool{rank%side > 0, rank%side < side-1, rank >= side, rank+side < ranks} {
		if has {
			n++
		}
	}
	return n
}

func noBytes(int, int, float64) float64 { return 0 }

// chainProgram is a program with an allgather and a distribution as most of its
// volume, a halo exchange along a chain, a broadcast along a tree, reductions,
// a site with one hundredth of the bytes, and one that depends on timing.
func chainProgram(noise float64) program {
	return program{noise: noise, sites: []programSite{
		{site: ringSite, bytes: func(_, ranks int, arg float64) float64 { return 10 * arg * float64(ranks-1) }},
		{site: blockSite, bytes: func(_, ranks int, arg float64) float64 { return 10 * arg * float64(ranks-1) }},
		{site: haloSite, bytes: func(_, _ int, arg float64) float64 { return 5 * arg }},
		{site: rightSite,
			bytes: func(rank, ranks int, arg float64) float64 { return 10 * arg * float64(min(1, ranks-1-rank)) }},
		{site: smallSite, bytes: func(_, ranks int, arg float64) float64 { return 0.21 * arg * float64(ranks) }},
		{site: treeSite,
			bytes: func(rank, ranks int, _ float64) float64 { return 4096 * float64(treeChildren(rank, ranks)) }},
		{site: reduceSite,
			bytes: func(_, ranks int, _ float64) float64 { return 160 * float64(bits.Len(uint(ranks-1))) }},
		{site: timingSite, bytes: func(int, int, float64) float64 { return 300 }, noisy: true},
		{site: peersSite, bytes: func(rank, ranks int, _ float64) float64 {
			return float64(min(rank, 1) + min(ranks-1-rank, 1))
		}},
	}}
}

// gridProgram is a program that divides a fixed problem over a grid: volumes fall with
// the number of ranks, and ranks at the edges have fewer neighbours.
func gridProgram(noise float64) program {
	return program{noise: noise, sites: []programSite{
		{site: haloSite, bytes: func(rank, ranks int, arg float64) float64 {
			return 64 * arg * arg / math.Sqrt(float64(ranks)) * float64(gridNeighbours(rank, ranks))
		}},
		{site: blockSite,
			bytes: func(_, ranks int, arg float64) float64 { return 64 * arg * arg * math.Pow(float64(ranks), -2./3) }},
		{site: smallSite,
			bytes: func(_, ranks int, arg float64) float64 { return 3 * arg * arg / math.Sqrt(float64(ranks)) }},
		{site: reduceSite,
			bytes: func(_, ranks int, _ float64) float64 { return 800 * float64(bits.Len(uint(ranks-1))) }},
		{site: timingSite, bytes: func(int, int, float64) float64 { return 300 }, noisy: true},
	}}
}

// switchingProgram is a program whose library takes another algorithm for powers of
// two, and one for reductions that changes at eight ranks.
func switchingProgram(noise float64) program {
	of := func(power bool) func(int, int, float64) float64 {
		return func(_, ranks int, arg float64) float64 {
			if (ranks&(ranks-1) == 0) != power {
				return 0
			}
			return 20 * arg * float64(ranks-1)
		}
	}
	p := chainProgram(noise)
	return p.withSites(
		programSite{site: ringSite, bytes: of(false)}, programSite{site: doubleSite, bytes: of(true)},
		programSite{site: reduceSite, bytes: func(_, ranks int, _ float64) float64 {
			if ranks < 8 {
				return 1000
			}
			return 4000
		}})
}

// transferProgram sends one large message from rank 0 to each other one.
func transferProgram(noise float64) program {
	return program{noise: noise, sites: []programSite{
		{site: messageSite, bytes: func(rank, ranks int, arg float64) float64 {
			if rank > 0 {
				return 0
			}
			return arg * float64(ranks-1)
		}},
		{site: reduceSite, bytes: func(_, ranks int, _ float64) float64 { return 4096 }},
	}}
}

// withSites replaces sites, or adds them.
func (p program) withSites(sites ...programSite) program {
	out := program{noise: p.noise}
	for _, s := range p.sites {
		for _, changed := range sites {
			if changed.site.Key() == s.site.Key() {
				s = changed
			}
		}
		out.sites = append(out.sites, s)
	}
	for _, s := range sites {
		if out.findSite(s.site) == nil {
			out.sites = append(out.sites, s)
		}
	}
	return out
}

func (p program) findSite(s recorded.Site) *programSite {
	for i := range p.sites {
		if p.sites[i].site.Key() == s.Key() {
			return &p.sites[i]
		}
	}
	return nil
}

// moveBytes lets one site send what another one should.
func (p program) moveBytes(from, to recorded.Site) program {
	return p.withSites(programSite{site: from, bytes: noBytes}, programSite{site: to, bytes: p.findSite(from).bytes})
}

// scaleBytes lets one site send more or less.
func (p program) scaleBytes(site recorded.Site, by float64) program {
	before := p.findSite(site).bytes
	return p.withSites(programSite{site: site, bytes: func(rank, ranks int, arg float64) float64 {
		return by * before(rank, ranks, arg)
	}})
}

// appendRun adds one run.
func (p program) appendRun(t *recorded.Table, run string, ranks int, arg float64, rng *rand.Rand) {
	for rank := range ranks {
		o := recorded.Observation{Run: run, Rank: rank, Ranks: ranks, Controls: map[string]float64{"arg": arg},
			Volume: map[int]float64{}}
		for _, s := range p.sites {
			v := s.bytes(rank, ranks, arg)
			switch {
			case s.noisy:
				v *= rng.ExpFloat64()
			case s.site.Feature == "" && p.noise > 0:
				v *= 1 + p.noise*rng.NormFloat64()
			}
			if v = math.Round(v); v > 0 {
				o.Volume[t.Site(s.site)] = v
			}
		}
		t.Rows = append(t.Rows, o)
	}
}

func (p program) runTable(ranks int, arg float64, rng *rand.Rand) *recorded.Table {
	t := &recorded.Table{}
	p.appendRun(t, "production", ranks, arg, rng)
	return t
}

func (p program) trainingTable(scales []int, args []float64, rng *rand.Rand) *recorded.Table {
	t := &recorded.Table{}
	for _, ranks := range scales {
		for _, arg := range args {
			p.appendRun(t, fmt.Sprintf("p%d-%g", ranks, arg), ranks, arg, rng)
		}
	}
	return t
}

package inference

import (
	"cmp"
	"encoding/binary"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/loops"
	"laggard/model"
)

// Station is a position together with the iterations that the ranks there have
// begun of the loops around it.
type Station struct {
	Place      int           `json:"place"`           // index among the summary's distinct positions
	Iterations []uint64      `json:"turns,omitempty"` // by loop, from the outermost
	Ranks      model.RankSet `json:"ranks"`
}

func compareStations(x, y Station) int {
	return cmp.Or(cmp.Compare(x.Place, y.Place), slices.Compare(x.Iterations, y.Iterations))
}

func joinStations(x, y Station) Station {
	return Station{x.Place, x.Iterations, x.Ranks.Union(y.Ranks)}
}

// stationGatherer counts the iterations of each rank.
type stationGatherer struct {
	places  map[facts.Position]int
	counter *loops.Counter
	found   map[string]*gathered
	key     []byte
}

// gathered is a station whose ranks are not sorted yet.
type gathered struct {
	Station
	ranks []int
}

func newStationGatherer(sum *facts.Summary) *stationGatherer {
	g := &stationGatherer{places: map[facts.Position]int{}, counter: loops.NewCounter(&sum.Flow),
		found: map[string]*gathered{}}
	for i, p := range sum.Positions() {
		g.places[p] = i
	}
	return g
}

// Add is that of Gatherer.
func (g *stationGatherer) Add(rank int, t *model.Thread) {
	at := facts.PositionOf(t)
	place, known := g.places[at]
	if !known {
		return
	}
	s := Station{Place: place, Iterations: g.counter.Iterations(&t.Model, at.State)}
	g.key = s.appendKey(g.key[:0])
	f := g.found[string(g.key)]
	if f == nil {
		f = &gathered{Station: s}
		g.found[string(g.key)] = f
	}
	f.ranks = append(f.ranks, rank)
}

// Partial is that of Gatherer.
func (g *stationGatherer) Partial() Partial {
	var out []Station
	for _, f := range g.found {
		f.Ranks = model.NewRankSet(f.ranks...)
		out = append(out, f.Station)
	}
	slices.SortFunc(out, compareStations)
	return Partial{Stations: out}
}

// OuterIterations is how many iterations of its outermost loop the rank has begun that has begun most; 0: none is in a loop, or the
// algorithm does not count.
func (p *Partial) OuterIterations() (most uint64) {
	for _, s := range p.Stations {
		if len(s.Iterations) > 0 {
			most = max(most, s.Iterations[0])
		}
	}
	return most
}

func (s *Station) appendKey(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Place))
	for _, n := range s.Iterations {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

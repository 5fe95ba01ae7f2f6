package place

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"laggard/internal/checktest"
)

// parseSites reads sites, one a line: "main:10 exchange:31 MPI_Isend". "build X" gives those that follow a build-id.
func parseSites(text string) (sites []Site) {
	build := ""
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if words[0] == "build" {
			build = words[1]
			continue
		}
		s := Site{Call: words[len(words)-1]}
		for _, word := range words[:len(words)-1] {
			name, number, _ := strings.Cut(word, ":")
			line, _ := strconv.Atoi(number)
			s.Steps = append(s.Steps, Step{Function: name, Line: line, Build: build})
		}
		sites = append(sites, s)
	}
	return sites
}

// TestTranscripts matches the sites above the line "to" with those below; -rewrite writes what came out.
func TestTranscripts(t *testing.T) {
	datadriven.RunTest(t, "testdata/match.txt", func(t *testing.T, d *datadriven.TestData) string {
		above, below, _ := strings.Cut(d.Input, "to\n")
		from, to := parseSites(above), parseSites(below)
		var out strings.Builder
		for i, k := range Match(from, to) {
			counterpart := "none"
			if k != None {
				counterpart = to[k].Key()
			}
			fmt.Fprintf(&out, "%s = %s\n", from[i].Key(), counterpart)
		}
		return out.String()
	})
}

// randomSites makes a program of nested functions, with each site once.
func randomSites(rng *rand.Rand, build string) (sites []Site) {
	seen := map[string]bool{}
	for range 1 + rng.IntN(30) {
		s := Site{Call: []string{"MPI_Send", "MPI_Recv", "MPI_Allreduce"}[rng.IntN(3)]}
		function := "main"
		for range 1 + rng.IntN(4) {
			s.Steps = append(s.Steps, Step{Function: function, Line: 1 + rng.IntN(20), Build: build})
			function = string(rune('a' + rng.IntN(4)))
		}
		if !seen[s.Key()] {
			seen[s.Key()] = true
			sites = append(sites, s)
		}
	}
	return sites
}

// TestUnchangedSitesMatchThemselves: whatever is missing in the other build, in any order of the sites.
func TestUnchangedSitesMatchThemselves(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		to := randomSites(rng, "new")
		var from []Site
		for _, s := range to {
			if rng.IntN(4) > 0 {
				s.Steps = slices.Clone(s.Steps)
				for i := range s.Steps {
					s.Steps[i].Build = "old"
				}
				from = append(from, s)
			}
		}
		rng.Shuffle(len(from), func(i, k int) { from[i], from[k] = from[k], from[i] })
		for i, k := range Match(from, to) {
			if k == None || to[k].Key() != from[i].Key() {
				t.Fatalf("seed %d: %s is matched with %d of\n%v", seed, from[i].Key(), k, to)
			}
		}
	}
}

// TestMatchesAreOneToOne: in any two programs, and with one build only equal sites match.
func TestMatchesAreOneToOne(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		builds := []string{"new", "old"}[rng.IntN(2)]
		from, to := randomSites(rng, "new"), randomSites(rng, builds)
		taken := map[int]bool{}
		for i, k := range Match(from, to) {
			switch {
			case k == None:
			case taken[k], from[i].Call != to[k].Call:
				t.Fatalf("seed %d: %v and %v", seed, from[i], to[k])
			case builds == "new" && from[i].Key() != to[k].Key():
				t.Fatalf("seed %d: in one build %v is not %v", seed, from[i], to[k])
			}
			taken[k] = true
		}
	}
}

func TestPlainFunction(t *testing.T) {
	for name, want := range map[string]string{
		"exchange": "exchange", "exchange.part.0": "exchange", "exchange.constprop.0.isra.0": "exchange", "exchange.cold": "exchange",
		"MAIN__": "MAIN__", "a.b": "a.b",
	} {
		checktest.Equal(t, want, PlainFunction(name), name)
	}
}

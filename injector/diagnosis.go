package injector

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"laggard/model"
)

// Diagnosis is what one algorithm says.
type Diagnosis struct {
	Algorithm  string              `json:"algorithm"`        // loop-aware or pdi
	LP         []int               `json:"lp"`               // ranks it calls least progressed or lost
	First      []int               `json:"first"`            // ranks it puts first in the order of progress
	Isolated   []int               `json:"isolated"`         // ranks that are alone in their group
	Method     string              `json:"method"`           // evidence, loop-aware or pdi
	Confidence float64             `json:"confidence"`       // 0 to 1
	Reason     string              `json:"reason,omitempty"` // why, in words
	Cause      string              `json:"cause,omitempty"`  // kind of the cause
	Where      []Location          `json:"where"`            // where the named ranks are
	Divergence *ReportedDivergence `json:"parted,omitempty"` // the divergence it names; null: none
}

// Location is where a diagnosis says a rank is.
type Location struct {
	Rank  int      `json:"rank"`  // the rank
	MPI   string   `json:"mpi"`   // MPI function it is in, "" none
	Stack []Source `json:"stack"` // the call stack, innermost frame first
}

// Source is a level of a call stack, innermost first.
type Source struct {
	Function string `json:"function"` // demangled name, without parameters
	File     string `json:"file"`     // source file
	Line     int    `json:"line"`     // line
}

// ReportedDivergence is the first collective that ranks did not begin alike, as a diagnosis says.
type ReportedDivergence struct {
	Kind    string   `json:"kind"`     // kind of the divergence
	Number  int      `json:"number"`   // number of the first call that differs
	AlikeTo int      `json:"alike_to"` // last number up to which all agree
	Ranks   []int    `json:"ranks"`    // ranks that left the others
	Calls   []Begun  `json:"calls"`    // the calls that differ
	Branch  *Decided `json:"branch"`   // the branch that decided; null: unknown
}

// Decided is the line that decided which way ranks went.
type Decided struct {
	Source
	Or []Source `json:"or,omitempty"` // lines that would decide the same
}

// Begun is a collective that a diagnosis names.
type Begun struct {
	MPI    string   `json:"mpi"`    // the MPI function
	Places []string `json:"places"` // frames of its stack, innermost first: "module+0x123"
}

// diagnosisJSON is what is read of the JSON form of a diagnosis.
type diagnosisJSON struct {
	LeastProgressed *struct {
		Ranks      []int
		Method     string
		Confidence float64
		Reason     string
		Locations  []struct {
			Rank  int
			InMPI *string `json:"in_mpi"`
			Stack []Source
		}
	} `json:"least_progressed"`
	RankOrder []string `json:"rank_order"`
	Groups    []struct {
		Ranks    string
		Isolated bool
	}
	Divergences []struct {
		Kind     string
		Sequence int
		AlikeTo  int `json:"alike_to"`
		Sides    []struct {
			Ranks string
			Kind  string // "" those that the others left
			Calls []struct {
				MPI   string
				Stack []struct{ Module, Offset string }
			}
		}
		Branch *Decided
	}
	Cause *struct{ Kind string }
}

// ReadDiagnosis takes from the JSON form of a diagnosis what is scored.
func ReadDiagnosis(algorithm string, report []byte) (Diagnosis, error) {
	d := Diagnosis{Algorithm: algorithm, LP: []int{}, First: []int{}, Isolated: []int{}}
	var s diagnosisJSON
	if err := json.Unmarshal(report, &s); err != nil {
		return d, fmt.Errorf("injector: diagnosis by %s: %w", algorithm, err)
	}
	if l := s.LeastProgressed; l != nil {
		d.LP, d.Method, d.Confidence, d.Reason = l.Ranks, l.Method, l.Confidence, l.Reason
		for _, at := range l.Locations {
			w := Location{Rank: at.Rank, Stack: at.Stack}
			if at.InMPI != nil {
				w.MPI = *at.InMPI
			}
			d.Where = append(d.Where, w)
		}
	}
	if len(s.RankOrder) > 0 {
		d.First = parseRanks(s.RankOrder[0])
	}
	for _, g := range s.Groups {
		if g.Isolated {
			d.Isolated = append(d.Isolated, parseRanks(g.Ranks)...)
		}
	}
	if d.Divergence = s.reportedDivergence(); s.Cause != nil {
		d.Cause = s.Cause.Kind
	}
	return d, nil
}

func (s *diagnosisJSON) reportedDivergence() *ReportedDivergence {
	if len(s.Divergences) == 0 {
		return nil
	}
	first := s.Divergences[0]
	out := &ReportedDivergence{Kind: first.Kind, Number: first.Sequence, AlikeTo: first.AlikeTo, Branch: first.Branch}
	for i, side := range first.Sides {
		if side.Kind != "" {
			out.Ranks = append(out.Ranks, parseRanks(side.Ranks)...)
		}
		if i > 0 {
			continue
		}
		for _, c := range side.Calls {
			b := Begun{MPI: c.MPI}
			for _, f := range c.Stack {
				b.Places = append(b.Places, filepath.Base(f.Module)+"+"+f.Offset)
			}
			out.Calls = append(out.Calls, b)
		}
	}
	return out
}

func parseRanks(text string) []int {
	set, err := model.ParseRankSet(text)
	if err != nil || set.Max() >= model.MaxRanks {
		return nil
	}
	return set.Slice()
}

package injector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
)

func strikeOf(rank int, class Class, f Fault) Strike {
	return Strike{Rank: rank, Target: Target{Class: class, Function: "f", File: "f.c", Line: 10}, Fault: f}
}

func TestJudge(t *testing.T) {
	hang := strikeOf(3, User, Fault{Kind: Hang})
	at := func(rank int, function string, line int) []Location {
		return []Location{{Rank: 1}, {Rank: rank, Stack: []Source{{"sleep", "", 0}, {function, "f.c", line}}}}
	}
	for name, c := range map[string]struct {
		strike Strike
		d      Diagnosis
		want   Verdict
	}{
		"exact": {hang, Diagnosis{LP: []int{3}, Where: at(3, "f", 10)},
			Verdict{Recall: true, Exact: true, Function: true, HasName: true, HasLine: true, Line: true}},
		"other line": {hang, Diagnosis{LP: []int{3}, Where: at(3, "f", 11)},
			Verdict{Recall: true, Exact: true, Function: true, HasName: true, HasLine: true}},
		"other place": {hang, Diagnosis{LP: []int{3}, Where: at(3, "g", 10)},
			Verdict{Recall: true, Exact: true, HasName: true, HasLine: true}},
		"too many": {hang, Diagnosis{LP: []int{1, 3, 5, 7}, Where: at(3, "f", 10)},
			Verdict{Recall: true, Imprecision: 0.75, Function: true, HasName: true, HasLine: true, Line: true}},
		"isolated": {hang, Diagnosis{LP: []int{1}, Isolated: []int{1, 3}, Where: at(3, "f", 10)},
			Verdict{Isolated: true, Imprecision: 1, HasName: true, HasLine: true}},
		"none": {hang, Diagnosis{}, Verdict{HasName: true, HasLine: true}},
		"slow": {strikeOf(3, User, Fault{Kind: Slow, Factor: 10}), Diagnosis{LP: []int{1}, First: []int{3}},
			Verdict{Recall: true, Exact: true, HasName: true, HasLine: true}},
		"mpi": {Strike{Rank: 3, Target: Target{Class: MPI, Function: "MPI_Send"}},
			Diagnosis{LP: []int{3}, Where: []Location{{Rank: 3, MPI: "MPI_Send"}}},
			Verdict{Recall: true, Exact: true, HasName: true, Function: true}},
		"other mpi": {Strike{Rank: 3, Target: Target{Class: MPI, Function: "MPI_Send"}},
			Diagnosis{LP: []int{3}, Where: []Location{{Rank: 3, MPI: "MPI_Recv"}}},
			Verdict{Recall: true, Exact: true, HasName: true}},
	} {
		checktest.Equal(t, c.want, Judge(c.strike, c.d), name)
	}
}

// paperRecords are the paper's figures for LAMMPS: 19 of 20 user functions and 3 of
// 5 MPI calls named, the others isolated; one named with a wrong rank beside it.
func paperRecords() []Record {
	var out []Record
	for i := range 25 {
		class := User
		if i%mpiEvery == mpiEvery-1 {
			class = MPI
		}
		t := Trial{ID: fmt.Sprintf("1-%03d", i), Strike: strikeOf(i%8, class, Fault{Kind: Hang})}
		d := Diagnosis{Algorithm: "pdi", LP: []int{t.Rank},
			Where: []Location{{Rank: t.Rank, Stack: []Source{{"f", "f.c", 10}}}}}
		switch i {
		case 4, 9, 12:
			d.LP, d.Isolated = []int{}, []int{t.Rank}
		case 6:
			d.LP = append(d.LP, 7)
		case 7:
			d.Where = nil
		}
		exact := Diagnosis{Algorithm: "loop-aware", LP: []int{t.Rank}}
		out = append(out, Record{Trial: t,
			Outcome: &Outcome{Report: Report{State: Injected}, Hang: true, Diagnoses: []Diagnosis{d, exact}}})
	}
	out = append(out,
		Record{Trial: Trial{ID: "1-025"}, Outcome: &Outcome{Report: Report{State: NotReached}}},
		Record{Trial: Trial{ID: "1-026"}, Error: "no memory"})
	return out
}

func TestScoreTable(t *testing.T) {
	s := NewScore(paperRecords())
	var text bytes.Buffer
	musttest.Succeed(t, s.WriteText(&text))
	golden.Check(t, "score.txt", text.Bytes())
	js := musttest.Get(json.MarshalIndent(s, "", "  "))(t)
	golden.Check(t, "score.json", append(js, '\n'))
}

// A hang that nobody noticed is a miss, and the last record of a trial counts.
func TestScoreOfUnnoticedAndRepeated(t *testing.T) {
	records := paperRecords()[:2]
	records[0].Outcome.Hang = false
	records = append(records, Record{Trial: records[1].Trial, Error: "later it failed"})
	s := NewScore(records)
	if s.Injected != 1 || s.Undetected != 1 || s.Failed != 1 {
		t.Errorf("%+v", s)
	}
	for _, r := range s.Rows {
		if r.Functions == "all" && (r.Recall != 0 || r.Trials != 1) {
			t.Errorf("%+v", r)
		}
	}
}

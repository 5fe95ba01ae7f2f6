package injector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
)

// callsOf reads calls as in testdata/truth.txt.
func callsOf(text string) []Collective {
	var out []Collective
	numbers := map[int]int{}
	for _, word := range strings.Fields(text) {
		parts := strings.Split(word, ".")
		c := Collective{Function: strings.ToUpper(parts[0]), Module: "app", Offset: uint64(parts[0][0])}
		if len(parts) > 1 {
			c.Object, _ = strconv.Atoi(parts[1])
		}
		if len(parts) > 2 {
			c.Root, _ = strconv.Atoi(parts[2])
		}
		if parts[0] == "!" {
			c.Object = -1
		} else {
			numbers[c.Object]++
			c.Number = numbers[c.Object]
		}
		out = append(out, c)
	}
	return out
}

func strikeIn(t *testing.T, text string) (Strike, Report) {
	t.Helper()
	var fault, how string
	s, r := Strike{Rank: 1, Divergence: &Divergence{}}, Report{}
	musttest.Get(fmt.Sscan(text, &fault, &how, &s.Invocation))(t, text)
	f := musttest.Get(ParseFault(fault))(t)
	s.Fault, r.Toward = f, how == "toward"
	return s, r
}

func TestTruth(t *testing.T) {
	text := musttest.Get(os.ReadFile("testdata/truth.txt"))(t)
	var got bytes.Buffer
	for i, paragraph := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		given, _, _ := strings.Cut(paragraph, "\n=")
		fmt.Fprintln(&got, given)
		if i == 0 {
			fmt.Fprintln(&got)
			continue
		}
		said := map[string]string{}
		for line := range strings.Lines(given) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			said[key] = value
		}
		s, r := strikeIn(t, said["fault"])
		usual, elsewhere := callsOf(said["usual"]), callsOf(said["usual"])
		if said["elsewhere"] != "" {
			elsewhere = callsOf(said["elsewhere"])
		}
		profiles := []*Profile{{Collectives: elsewhere}, {Collectives: usual}, {Collectives: elsewhere}}
		others := callsOf(said["others"])
		made := [][]Collective{others, callsOf(said["struck"]), others[:len(others)/2]}
		if said["more"] != "" {
			made[2] = callsOf(said["more"])
		}
		r.Call = &usual[s.Invocation-1]
		fmt.Fprintf(&got, "= %s\n\n", TruthOf(s, r, profiles, made).text())
	}
	golden.Check(t, "truth.txt", append(bytes.TrimSpace(got.Bytes()), '\n'))
}

func (t *Truth) text() string {
	out := strings.Join(t.Kinds, " or ") + ", visible"
	if !t.Visible {
		out = strings.Join(t.Kinds, " or ") + ", not visible"
	}
	if !t.Clear {
		out += ", not clear"
	}
	var calls []string
	for _, c := range t.Calls {
		calls = append(calls, fmt.Sprintf("%s %d of object %d", c.Function, c.Number, max(c.Object, 0)))
	}
	if slices.Sort(calls); len(calls) > 0 {
		out += "; " + strings.Join(calls, " | ")
	}
	return out
}

func TestJudgeDivergence(t *testing.T) {
	call := Collective{Function: "MPI_Bcast", Module: "app", Offset: 0x10, Number: 7}
	truth := &Truth{Ranks: []int{2}, Kinds: []string{kindSkipped}, Calls: []Collective{call}, Visible: true,
		Clear: true}
	s := Strike{Rank: 2, Fault: Fault{Kind: Branch}, Divergence: &Divergence{Jump: &Jump{File: "a.c", Line: 4}}}
	parted := func(kind string, number int, place string, line int) *ReportedDivergence {
		return &ReportedDivergence{Kind: kind, Number: number, AlikeTo: number - 3,
			Calls:  []Begun{{"MPI_Bcast", []string{place, "app+0x99"}}},
			Branch: &Decided{Source: Source{File: "a.c", Line: line}}}
	}
	right := parted(kindSkipped, 7, "app+0x10", 4)
	for name, c := range map[string]struct {
		d    Diagnosis
		want string
	}{
		"all": {Diagnosis{LP: []int{2}, Confidence: 0.9, Divergence: right}, "ranks, kind, call, branch"},
		"other branch": {Diagnosis{LP: []int{2}, Confidence: 0.9, Divergence: parted(kindSkipped, 7, "app+0x10", 5)},
			"ranks, kind, call, BRANCH MISSED"},
		"other number": {Diagnosis{LP: []int{2}, Confidence: 0.9, Divergence: parted(kindSkipped, 8, "app+0x10", 4)},
			"ranks, kind, branch, MISLEADING"},
		"other place": {Diagnosis{LP: []int{2}, Confidence: 0.9, Divergence: parted(kindSkipped, 7, "app+0x20", 4)},
			"ranks, kind, branch, MISLEADING"},
		"other kind, unsure": {Diagnosis{LP: []int{2}, Confidence: 0.5, Divergence: parted(kindExtra, 7, "app+0x10", 4)},
			"ranks, call, branch"},
		"no kind": {Diagnosis{LP: []int{2}, Confidence: 0.9, Divergence: parted(kindDifferent, 7, "app+0x10", 4)},
			"ranks, call, branch"},
		"earlier": {Diagnosis{LP: []int{2}, Confidence: 0.9, Divergence: parted(kindEarlier, 8, "app+0x20", 4)},
			"ranks, bracket, branch"},
		"both":     {Diagnosis{LP: []int{1, 2}, Confidence: 0.5, Divergence: right}, "among, kind, call, branch"},
		"too many": {Diagnosis{LP: []int{1, 2}, Confidence: 0.6, Divergence: right}, "kind, call, branch, WRONG"},
		"silent":   {Diagnosis{LP: []int{3}, Confidence: 0.99}, "BRANCH MISSED, SILENT, WRONG"},
		"unsure":   {Diagnosis{LP: []int{3}, Confidence: 0.5}, "BRANCH MISSED, SILENT"},
	} {
		checktest.Equal(t, c.want, JudgeDivergence(s, truth, c.d).String(), name)
	}
}

// The rows of a campaign, and what is counted apart.
func TestDivergenceScore(t *testing.T) {
	call := Collective{Function: "MPI_Bcast", Module: "app", Offset: 0x10, Number: 7}
	right := Diagnosis{Algorithm: "laggard", LP: []int{2}, Confidence: 0.9,
		Divergence: &ReportedDivergence{Kind: kindSkipped, Number: 7, Calls: []Begun{{"MPI_Bcast", []string{"app+0x10"}}}}}
	wrong := Diagnosis{Algorithm: "laggard", LP: []int{0, 1, 2}, Confidence: 0.99}
	var records []Record
	add := func(kind Kind, visible, clear, ended, hang bool, d Diagnosis) {
		s := Strike{Rank: 2, Fault: Fault{Kind: kind}, Divergence: &Divergence{}}
		if s.Fault.flipsJump() {
			s.Divergence.Jump = &Jump{File: "a.c", Line: 4}
		}
		truth := &Truth{Ranks: []int{2}, Kinds: []string{kindSkipped}, Calls: []Collective{call}, Visible: visible,
			Clear: clear}
		records = append(records, Record{Trial: Trial{ID: fmt.Sprintf("1-%03d", len(records)), Strike: s},
			Outcome: &Outcome{Report: Report{State: Injected}, Hang: hang, Ended: ended, Truth: truth,
				Diagnoses: []Diagnosis{d}}})
	}
	add(Skip, true, true, false, true, right)
	add(Skip, true, true, false, true, wrong)
	add(Loop, true, true, false, true, right)
	add(Skip, false, true, false, true, wrong)
	add(Leave, true, true, true, true, right)
	add(Branch, true, false, false, true, right)
	add(Root, true, true, false, false, Diagnosis{})
	score := NewScore(records)
	var out bytes.Buffer
	musttest.Succeed(t, score.WriteText(&out))
	golden.Check(t, "partings.txt", out.Bytes())
	for _, r := range records[:6:6] {
		if r.String() == "" || strings.Contains(r.String(), "not diagnosed") {
			t.Error(r)
		}
	}
}

func TestReadDiagnosis(t *testing.T) {
	d, err := ReadDiagnosis("laggard", []byte(`{"least_progressed": {"ranks": [3], "method": "evidence", "confidence": 0.9,
		"reason": "so", "locations": [{"rank": 3, "in_mpi": "MPI_Bcast", "stack": [{"function": "f", "file": "f.c", "line": 2}]}]},
		"rank_order": ["3", "0-2"], "groups": [{"ranks": "3", "isolated": true}, {"ranks": "0-2"}],
		"divergences": [{"kind": "skipped", "sequence": 9, "alike_to": 8, "sides": [{"ranks": "3", "kind": "skipped", "calls": [{"mpi": "MPI_Bcast",
		"stack": [{"module": "/bin/app", "offset": "0x10"}]}]}, {"ranks": "0-2"}], "branch": {"function": "f", "file": "f.c", "line": 1}}]}`))
	want := `{"algorithm":"laggard","lp":[3],"first":[3],"isolated":[3],"method":"evidence","confidence":0.9,"reason":"so",` +
		`"where":[{"rank":3,"mpi":"MPI_Bcast","stack":[{"function":"f","file":"f.c","line":2}]}],` +
		`"parted":{"kind":"skipped","number":9,"alike_to":8,"ranks":[3],"calls":[{"mpi":"MPI_Bcast",` +
		`"places":["app+0x10"]}],"branch":{"function":"f","file":"f.c","line":1}}}`
	if got, _ := json.Marshal(d); string(got) != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := ReadDiagnosis("laggard", []byte(`{`)); err == nil {
		t.Error("no error")
	}
}

// Several campaigns together: the seeds that were tuned on are left out.
func TestWriteCombinedText(t *testing.T) {
	var campaigns []*Campaign
	var records [][]Record
	for i, name := range []string{"one", "two"} {
		c := musttest.Get(ParseCampaign(strings.Replace(Example, "crack", name, 1)))(t)
		var some []Record
		for seed := range uint64(3) {
			r := Record{Trial: Trial{ID: fmt.Sprintf("%d-000", seed), Seed: seed, Strike: Strike{Rank: 2,
				Fault: Fault{Kind: Skip, Ranks: 1}, Divergence: &Divergence{}}},
				Outcome: &Outcome{Report: Report{State: Injected}, Hang: true, Truth: &Truth{Ranks: []int{2},
					Kinds: []string{kindSkipped}, Visible: true, Clear: true},
					Diagnoses: []Diagnosis{{Algorithm: "laggard", LP: []int{2 - i}, Confidence: 0.9}}}}
			some = append(some, r, Record{Trial: r.Trial, Error: "it would not start"}, r)
		}
		campaigns, records = append(campaigns, c), append(records, some)
	}
	var out bytes.Buffer
	musttest.Succeed(t, WriteCombinedText(&out, campaigns, records))
	golden.Check(t, "sum.txt", out.Bytes())
}

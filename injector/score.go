package injector

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// Row is the paper's measures (PDI §5.2) over some trials by one algorithm.
type Row struct {
	Algorithm string  `json:"algorithm"` // the algorithm
	Functions string  `json:"functions"` // class of the functions struck: user, mpi or all
	Trials    int     `json:"trials"`    // trials in which the fault was injected
	Recall    float64 `json:"recall"`    // share in which the faulty rank is named
	Isolation float64 `json:"isolation"` // share in which it is not named, but alone in its group
	// mean share of wrong ranks among those named; 0 where none is named
	Imprecision float64 `json:"imprecision"`
	Clean       float64 `json:"clean"`    // share in which no wrong rank is named
	Exact       float64 `json:"exact"`    // share in which the faulty rank is named and no other
	Function    float64 `json:"function"` // share of names in which the function is named too
	Names       int     `json:"names"`    // recalled trials whose function has a name
	Line        float64 `json:"line"`     // share of lines in which the line is named too
	Lines       int     `json:"lines"`    // recalled trials whose line is known
}

// Score is the sum of a campaign.
type Score struct {
	Rows        []Row               `json:"rows"`                // the scores, one for each algorithm and class of functions
	Divergences []DivergenceRow     `json:"partings,omitempty"`  // the scores of faults that make ranks diverge
	Slowdowns   []SlowdownRow       `json:"slowdowns,omitempty"` // the scores of faults that make a rank slower
	Injected    int                 `json:"injected"`            // trials in which the fault was injected
	NotReached  int                 `json:"not_reached"`         // the run ended before the drawn entry
	Undetected  int                 `json:"undetected"`          // injected, and no hang or loss was noticed
	Early       int                 `json:"early"`               // injected, and a hang was noticed before that
	Over        int                 `json:"over"`                // for slow: the job ended before it was to be observed
	Failed      int                 `json:"failed"`              // could not be run or injected
	Absorbed    int                 `json:"absorbed,omitempty"`  // ranks diverged, and the job ended well
	Misses      map[string][]string `json:"misses"`              // IDs of the trials that are not exact, for each algorithm
}

// NewScore sums up records. Only trials whose fault was injected count; one that
// no diagnosis was made of counts as not recalled by any algorithm. Of several
// records of a trial the last counts.
func NewScore(records []Record) Score {
	s := Score{Misses: map[string][]string{}}
	records = latestRecords(records)
	var scored []Record
	for _, r := range records {
		switch {
		case r.Trial.Fault.Kind == None: // see NewHealth
		case r.Outcome == nil || r.Outcome.Report.State == Failed || r.Outcome.Report.State == NotFound:
			s.Failed++
		case r.Outcome.Report.State == NotReached:
			s.NotReached++
		case r.Outcome.Over:
			s.Over++
		case r.Trial.Fault.CausesDivergence() && !r.Outcome.Hang:
			s.Absorbed++
		default:
			s.Injected++
			if !r.Outcome.Hang && !r.Trial.Fault.CausesSlowdown() {
				s.Undetected++
			}
			if r.Outcome.Early {
				s.Early++
			}
			scored = append(scored, r)
		}
	}
	if s.Slowdowns = slowdownRows(scored); len(s.Slowdowns) > 0 {
		return s
	}
	if s.Divergences = divergenceRows(scored); len(s.Divergences) > 0 {
		return s
	}
	for _, algorithm := range algorithmNames(scored) {
		for _, functions := range []string{string(User), string(MPI), "all"} {
			s.Rows = append(s.Rows, s.newRow(scored, algorithm, functions))
		}
	}
	return s
}

// latestRecords keeps the last record of each trial, in the order of the first.
func latestRecords(records []Record) []Record {
	at := map[string]int{}
	var out []Record
	for _, r := range records {
		i, seen := at[r.Trial.ID]
		if !seen {
			at[r.Trial.ID] = len(out)
			out = append(out, r)
			continue
		}
		out[i] = r
	}
	return out
}

func algorithmNames(records []Record) []string {
	names := map[string]bool{}
	for _, r := range records {
		for _, d := range r.Outcome.Diagnoses {
			names[d.Algorithm] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// newRow sums up and notes the misses.
func (s *Score) newRow(records []Record, algorithm, functions string) Row {
	row := Row{Algorithm: algorithm, Functions: functions}
	for _, r := range records {
		if functions != "all" && functions != string(r.Trial.Target.Class) {
			continue
		}
		v := Judge(r.Trial.Strike, diagnosisBy(r, algorithm))
		row.add(v)
		if functions == "all" && !v.Exact {
			s.Misses[algorithm] = append(s.Misses[algorithm], r.Trial.ID)
		}
	}
	row.toFractions()
	return row
}

// diagnosisBy returns an empty diagnosis where the algorithm made none.
func diagnosisBy(r Record, algorithm string) Diagnosis {
	for _, d := range r.Outcome.Diagnoses {
		if d.Algorithm == algorithm && r.Outcome.Hang {
			return d
		}
	}
	return Diagnosis{}
}

func (r *Row) add(v Verdict) {
	r.Trials++
	r.Recall += indicator(v.Recall)
	r.Isolation += indicator(v.Isolated)
	r.Imprecision += v.Imprecision
	r.Clean += indicator(v.Imprecision == 0)
	r.Exact += indicator(v.Exact)
	r.Function += indicator(v.Function)
	if v.Recall && v.HasName {
		r.Names++
	}
	r.Line += indicator(v.Recall && v.Line)
	if v.Recall && v.HasLine {
		r.Lines++
	}
}

// toFractions turns the sums into fractions.
func (r *Row) toFractions() {
	n := max(r.Trials, 1)
	r.Function /= float64(max(r.Names, 1))
	r.Line /= float64(max(r.Lines, 1))
	for _, sum := range []*float64{&r.Recall, &r.Isolation, &r.Imprecision, &r.Clean, &r.Exact} {
		*sum /= float64(n)
	}
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// WriteText prints the paper's table. What has no trials is shown as "-".
func (s Score) WriteText(w io.Writer) error {
	switch {
	case len(s.Slowdowns) > 0:
		return s.writeSlowdowns(w)
	case len(s.Divergences) > 0:
		return s.writeDivergences(w)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t,
		"algorithm\tfunctions\ttrials\trecall\tisolation\timprecision\tno wrong rank\texact\tfunction\tline\t")
	for _, r := range s.Rows {
		fmt.Fprintf(t, "%s\t%s\t%d\t", r.Algorithm, r.Functions, r.Trials)
		for _, v := range []float64{r.Recall, r.Isolation, r.Imprecision, r.Clean, r.Exact} {
			fmt.Fprintf(t, "%s\t", formatShare(v, r.Trials > 0))
		}
		fmt.Fprintf(t, "%s\t%s\t\n", formatShare(r.Function, r.Names > 0), formatShare(r.Line, r.Lines > 0))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "injected %d, of these without a hang noticed %d, and with one noticed before %d; "+
		"not reached %d; over too soon %d; failed %d\n",
		s.Injected, s.Undetected, s.Early, s.NotReached, s.Over, s.Failed)
	for _, algorithm := range slices.Sorted(maps.Keys(s.Misses)) {
		if err == nil {
			_, err = fmt.Fprintf(w, "not exact by %s: %v\n", algorithm, s.Misses[algorithm])
		}
	}
	return err
}

// writeDivergences prints the table of a campaign in which ranks part.
func (s Score) writeDivergences(w io.Writer) error {
	if err := writeDivergenceRows(w, s.Divergences); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "injected %d; absorbed, so that the job ended well, %d; a hang noticed before %d; "+
		"not reached %d; failed %d\n", s.Injected+s.Absorbed, s.Absorbed, s.Early, s.NotReached, s.Failed)
	return err
}

func formatShare(v float64, some bool) string {
	if !some {
		return "-"
	}
	return fmt.Sprintf("%.3f", v)
}

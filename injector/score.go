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
	Algorithm string `json:"algorithm"`
	Functions string `json:"functions"` // "user", "mpi" or "all"
	Trials    int    `json:"trials"`    // with a fault injected
	// Recall is the fraction of trials whose faulty rank is named.
	Recall float64 `json:"recall"`
	// Isolation is the fraction in which it is not named but alone in its group.
	Isolation float64 `json:"isolation"`
	// Imprecision is the mean share of wrong ranks among those named; 0 where none
	// is named.
	Imprecision float64 `json:"imprecision"`
	// Clean is the fraction in which no wrong rank is named.
	Clean float64 `json:"clean"`
	// Exact is the fraction in which the faulty rank is named and no other.
	Exact float64 `json:"exact"`
	// Function is the fraction, of the recalled whose function has a name, in which
	// it is named too; Names is their number.
	Function float64 `json:"function"`
	Names    int     `json:"names"`
	// Line is the fraction, of the recalled whose line is known, in which it is
	// named; Lines is their number.
	Line  float64 `json:"line"`
	Lines int     `json:"lines"`
}

// Score is the sum of a campaign.
type Score struct {
	Rows       []Row        `json:"rows"`
	Partings   []PartingRow `json:"partings,omitempty"` // where ranks were to part
	Injected   int          `json:"injected"`
	NotReached int          `json:"not_reached"`        // the run ended before the drawn entry
	Undetected int          `json:"undetected"`         // injected, and no hang or loss was noticed
	Early      int          `json:"early"`              // injected, and a hang noticed before that
	Over       int          `json:"over"`               // of a slow-down: the job ended before it was to be looked at
	Failed     int          `json:"failed"`             // could not be run or injected
	Absorbed   int          `json:"absorbed,omitempty"` // ranks parted, and all ended well
	// Misses are the trials that are not exact, by algorithm.
	Misses map[string][]string `json:"misses"`
}

// NewScore sums up records. Only trials whose fault was injected count; one that
// no diagnosis was made of counts as not recalled by any algorithm. Of several
// records of a trial the last counts.
func NewScore(records []Record) Score {
	s := Score{Misses: map[string][]string{}}
	records = latest(records)
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
		case r.Trial.Fault.Parts() && !r.Outcome.Hang:
			s.Absorbed++
		default:
			s.Injected++
			if !r.Outcome.Hang {
				s.Undetected++
			}
			if r.Outcome.Early {
				s.Early++
			}
			scored = append(scored, r)
		}
	}
	if s.Partings = partingRows(scored); len(s.Partings) > 0 {
		return s
	}
	for _, algorithm := range algorithms(scored) {
		for _, functions := range []string{string(User), string(MPI), "all"} {
			s.Rows = append(s.Rows, s.row(scored, algorithm, functions))
		}
	}
	return s
}

// latest keeps the last record of each trial, in the order of the first.
func latest(records []Record) []Record {
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

func algorithms(records []Record) []string {
	names := map[string]bool{}
	for _, r := range records {
		for _, d := range r.Outcome.Diagnoses {
			names[d.Algorithm] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// row sums up and notes the misses.
func (s *Score) row(records []Record, algorithm, functions string) Row {
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
	row.average()
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
	r.Recall += count(v.Recall)
	r.Isolation += count(v.Isolated)
	r.Imprecision += v.Imprecision
	r.Clean += count(v.Imprecision == 0)
	r.Exact += count(v.Exact)
	r.Function += count(v.Function)
	if v.Recall && v.HasName {
		r.Names++
	}
	r.Line += count(v.Recall && v.Line)
	if v.Recall && v.HasLine {
		r.Lines++
	}
}

// average turns the sums into fractions.
func (r *Row) average() {
	n := max(r.Trials, 1)
	r.Function /= float64(max(r.Names, 1))
	r.Line /= float64(max(r.Lines, 1))
	for _, sum := range []*float64{&r.Recall, &r.Isolation, &r.Imprecision, &r.Clean, &r.Exact} {
		*sum /= float64(n)
	}
}

func count(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// Text prints the paper's table. What has no trials is shown as "-".
func (s Score) Text(w io.Writer) error {
	if len(s.Partings) > 0 {
		return s.partings(w)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t,
		"algorithm\tfunctions\ttrials\trecall\tisolation\timprecision\tno wrong rank\texact\tfunction\tline\t")
	for _, r := range s.Rows {
		fmt.Fprintf(t, "%s\t%s\t%d\t", r.Algorithm, r.Functions, r.Trials)
		for _, v := range []float64{r.Recall, r.Isolation, r.Imprecision, r.Clean, r.Exact} {
			fmt.Fprintf(t, "%s\t", share(v, r.Trials > 0))
		}
		fmt.Fprintf(t, "%s\t%s\t\n", share(r.Function, r.Names > 0), share(r.Line, r.Lines > 0))
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

// partings prints the table of a campaign in which ranks part.
func (s Score) partings(w io.Writer) error {
	if err := partingText(w, s.Partings); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "injected %d; absorbed, so that the job ended well, %d; a hang noticed before %d; "+
		"not reached %d; failed %d\n", s.Injected+s.Absorbed, s.Absorbed, s.Early, s.NotReached, s.Failed)
	return err
}

func share(v float64, some bool) string {
	if !some {
		return "-"
	}
	return fmt.Sprintf("%.3f", v)
}

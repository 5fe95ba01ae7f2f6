package metrics

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"laggard/analysis/slowness"
	"laggard/report"
)

// State is how a job is.
type State struct {
	Result        *slowness.Result
	Hung, Running bool
	Quiet         time.Duration // since some rank made progress
	Now           time.Time
}

// Write writes the state of a job.
func Write(w io.Writer, run report.Run, s State) error {
	labels := fmt.Sprintf("{job_id=%s,run=%s}", quote(cmp.Or(run.Job, run.ID)), quote(run.ID))
	for _, m := range all {
		if v := m.value(s); v >= 0 {
			if _, err := fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s gauge\n%s%s %s\n", m.name, m.help, m.name, m.name, labels,
				strconv.FormatFloat(v, 'g', -1, 64)); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintln(w, "# EOF")
	return err
}

// quote writes the value of a label.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// metric is a number about a job; a value below 0 is not known, and left out.
type metric struct {
	name, help string
	value      func(State) float64
}

var all = []metric{
	{"laggard_ranks", "Ranks of the job.", func(s State) float64 { return float64(s.Result.Size) }},
	{"laggard_ranks_sampled", "Ranks that have taken samples.", func(s State) float64 { return float64(s.Result.Sampled.Len()) }},
	{"laggard_running", "1 while the job runs; what the other metrics say is of its last moments then.",
		func(s State) float64 { return flag(s.Running) }},
	{"laggard_iterations_per_second", "Iterations of the median rank's loop, a second.",
		func(s State) float64 { return known(s.Result.Rate.Now) }},
	{"laggard_iterations_per_second_usual", "The same at the usual speed of the loop.",
		func(s State) float64 { return known(s.Result.Rate.Before) }},
	{"laggard_mpi_time_ratio", "Part of the time that ranks are inside MPI, 0 to 1.",
		mean(func(s slowness.Shares) float64 { return s.Waiting })},
	{"laggard_io_time_ratio", "Part of the time that ranks wait for files, 0 to 1.",
		mean(func(s slowness.Shares) float64 { return s.IO })},
	{"laggard_starved_time_ratio", "Part of the time that ranks would run but have no processor, 0 to 1.",
		mean(func(s slowness.Shares) float64 { return s.Starved + s.Absent })},
	{"laggard_seconds_without_progress", "Seconds since a rank made progress.", func(s State) float64 { return s.Quiet.Seconds() }},
	{"laggard_hung", "1 if the job hangs.", func(s State) float64 { return flag(s.Hung) }},
	{"laggard_slow", "1 if the job is slower than usual.", func(s State) float64 { return flag(slowdown(s) != nil) }},
	{"laggard_slow_ranks", "Ranks at which the cause of that lies.", func(s State) float64 {
		if e := slowdown(s); e != nil {
			return float64(e.Ranks.Len())
		}
		return 0
	}},
	{"laggard_updated_timestamp_seconds", "When these metrics were written.", func(s State) float64 { return float64(s.Now.Unix()) }},
}

func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// known is a number that is not known if it is 0.
func known(v float64) float64 {
	if v == 0 {
		return -1
	}
	return v
}

// mean is over the ranks with samples; -1 if there are none.
func mean(of func(slowness.Shares) float64) func(State) float64 {
	return func(s State) float64 {
		if len(s.Result.Ranks) == 0 {
			return -1
		}
		sum := 0.0
		for i := range s.Result.Ranks {
			sum += of(s.Result.Ranks[i].Now)
		}
		return sum / float64(len(s.Result.Ranks))
	}
}

// slowdown is the one that lasts; nil: there is none.
func slowdown(s State) *slowness.Event {
	for i := len(s.Result.Events) - 1; i >= 0; i-- {
		switch e := &s.Result.Events[i]; {
		case e.Kind != slowness.Slowdown:
			return nil
		case e.IsAlert():
			return e
		}
	}
	return nil
}

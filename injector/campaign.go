package injector

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"laggard/internal/lateregexp"
	"laggard/model/mpi"
)

// Duration is a time that TOML and JSON write as "90s".
type Duration time.Duration

// UnmarshalText reads a positive duration.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err == nil && v <= 0 {
		err = fmt.Errorf("duration %q is not positive", text)
	}
	*d = Duration(v)
	return err
}

// MarshalText writes what UnmarshalText reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// Campaign is CAMPAIGN.toml: a program, how to start it, and how many faults of
// which kinds to inject. See Example for a commented one.
type Campaign struct {
	Program struct {
		Name        string            `toml:"name" json:"name"`               // name of the program
		Command     []string          `toml:"command" json:"command"`         // command line of the program
		Prepare     []string          `toml:"prepare" json:"prepare"`         // command that builds it, once
		Directory   string            `toml:"directory" json:"directory"`     // where it runs, "" in the current directory
		Environment map[string]string `toml:"environment" json:"environment"` // additional environment variables
	} `toml:"program" json:"program"`
	Launch struct {
		Family  mpi.Family `toml:"family" json:"family"`   // openmpi or mpich
		Command []string   `toml:"command" json:"command"` // {ranks} stands for the number
		Ranks   int        `toml:"ranks" json:"ranks"`     // number of ranks
		Timeout Duration   `toml:"timeout" json:"timeout"` // time without progress that counts as a hang
		Limit   Duration   `toml:"limit" json:"limit"`     // time limit of a whole trial
	} `toml:"launch" json:"launch"`
	Functions struct {
		Modules []string `toml:"modules" json:"modules"`     // files of the program whose functions may be drawn
		Exclude []string `toml:"exclude" json:"exclude"`     // patterns of function names not to draw
		Entry   Entry    `toml:"mpi_entry" json:"mpi_entry"` // where entries of MPI calls are counted: library or caller
		Cap     int      `toml:"cap" json:"cap"`             // entries counted of one function, at most
	} `toml:"functions" json:"functions"`
	Trials struct {
		Count   int      `toml:"count" json:"count"`     // trials for each seed
		Tune    []uint64 `toml:"tune" json:"tune"`       // seeds for development
		Report  []uint64 `toml:"report" json:"report"`   // seeds for reported results
		Faults  []Fault  `toml:"faults" json:"faults"`   // faults to inject, in turn
		Healthy int      `toml:"healthy" json:"healthy"` // runs without a fault
	} `toml:"trials" json:"trials"`
	Slowness struct {
		From  Duration `toml:"from" json:"from"`   // a rank gets slower at a moment between this
		To    Duration `toml:"to" json:"to"`       // and this after its start
		Watch Duration `toml:"watch" json:"watch"` // how long an alert is waited for
	} `toml:"slowness" json:"slowness"`
}

// Example is a campaign with every key; its values are the defaults where there
// is one.
const Example = `# What to inject into: laggard inject CAMPAIGN.toml

[program]
name = "crack"
command = ["lmp", "-in", "in.crack"]
# A command that makes the program and its input, run once, in the current
# directory; [] is none.
prepare = []
# Where it runs; "" is the current directory.
directory = ""
environment = { OMP_NUM_THREADS = "1" }

[launch]
family = "openmpi"                     # or "mpich"
command = ["mpirun", "-np", "{ranks}"]
ranks = 8
timeout = "20s"                        # no progress for so long is a hang
limit = "5m"                           # a trial that takes longer is ended

[functions]
# Libraries whose functions are the program's own; [] are those outside the
# system's directories. The program itself always is.
modules = ["liblammps.so.*"]
# Functions not to inject into.
exclude = []
mpi_entry = "library"                  # inside the MPI call; "caller": before it
cap = 1000                             # entries of a function are counted up to here

[trials]
count = 100                            # for each seed
tune = [1]                             # seeds to look at while algorithms change
report = [2]                           # seeds to report on
faults = ["hang"]                      # spin, slow:10, segv, kill, exit:3
# Or faults by which ranks leave the common sequence of collectives: skip, skip:2 (two
# ranks), extra, extra:2, leave:exit, leave:finalize, leave:abort, root, count, type,
# order, loop, branch; each in turn.
# Or faults by which a rank gets slower while the job goes on: compute:1.5 (it computes 1.5 times as long between its
# MPI calls), steal (a busy process takes its processor half of the time; pin the ranks), io:10 (its reads and writes of files
# make 10 MB/s), late:1 (what it sends is late by 1 ms in each call); each in turn. Nothing is profiled for these, and
# [functions] is not used.
healthy = 0                            # runs without a fault, half of them beside other load

# For ranks that get slower. The program has to run for longer than to and watch.
[slowness]
from = "45s"                           # at a moment between from and to after the start
to = "55s"
watch = "1m0s"                         # an alert is waited for so long, and of runs without a fault as well
`

// ReadCampaign reads a campaign file. Errors name the file and, where they are
// about one, the line; they wrap ErrCampaign.
func ReadCampaign(path string) (*Campaign, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("injector: %w", err)
	}
	c, err := ParseCampaign(string(text))
	if err != nil {
		return nil, fmt.Errorf("injector: %s:%w", path, err)
	}
	return c, nil
}

// ParseCampaign reads the text of a campaign. Its errors begin with the line.
func ParseCampaign(text string) (*Campaign, error) {
	c := &Campaign{}
	c.Launch.Timeout, c.Launch.Limit = Duration(20*time.Second), Duration(5*time.Minute)
	c.Functions.Entry, c.Functions.Cap = Library, 1000
	c.Slowness.From, c.Slowness.To, c.Slowness.Watch = Duration(45*time.Second), Duration(55*time.Second), Duration(time.Minute)
	c.Trials.Count, c.Trials.Faults = 100, []Fault{{Kind: Hang}}
	meta, err := toml.Decode(text, c)
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return nil, fmt.Errorf("%d: %w: %w", parse.Position.Line, ErrCampaign, errors.New(parse.Message))
	}
	if err != nil {
		return nil, wrongTypeError(err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%d: %w: unknown key %q", lineOf(text, unknown[0]), ErrCampaign, unknown[0])
	}
	for _, w := range c.complaints() {
		return nil, fmt.Errorf("%d: %w: %s: %s", lineOf(text, w.key), ErrCampaign, w.key, w.what)
	}
	return c, nil
}

// typeError is how the TOML package words a value of the wrong type.
var typeError = lateregexp.New(`^toml: line (\d+) \(last key "([^"]*)"\): `)

func wrongTypeError(err error) error {
	m := typeError.FindStringSubmatch(err.Error())
	if m == nil {
		return fmt.Errorf("1: %w: %w", ErrCampaign, err)
	}
	return fmt.Errorf("%s: %w: %s: %s", m[1], ErrCampaign, m[2], strings.TrimPrefix(err.Error(), m[0]))
}

// complaint is something wrong with the value of a key.
type complaint struct {
	key  toml.Key
	what string
}

func (c *Campaign) complaints() []complaint {
	var out []complaint
	check := func(ok bool, table, name, what string) {
		if !ok {
			out = append(out, complaint{toml.Key{table, name}, what})
		}
	}
	p, l, f, t := c.Program, c.Launch, c.Functions, c.Trials
	check(p.Name != "", "program", "name", "the program has no name")
	check(len(p.Command) > 0, "program", "command", "no command")
	check(l.Family == mpi.OpenMPI || l.Family == mpi.MPICH, "launch", "family", "must be openmpi or mpich")
	check(len(l.Command) > 0, "launch", "command", "no command")
	check(l.Ranks >= 1, "launch", "ranks", "must be at least 1")
	check(slices.ContainsFunc(l.Command, func(s string) bool { return strings.Contains(s, "{ranks}") }),
		"launch", "command", "{ranks} is missing")
	check(validPatterns(f.Modules), "functions", "modules", "bad pattern")
	check(validPatterns(f.Exclude), "functions", "exclude", "bad pattern")
	check(f.Entry == Library || f.Entry == Caller, "functions", "mpi_entry", "must be library or caller")
	check(f.Cap >= 1, "functions", "cap", "must be at least 1")
	check(t.Count >= 1, "trials", "count", "must be at least 1")
	check(len(t.Tune)+len(t.Report) > 0, "trials", "report", "no seeds")
	check(len(t.Faults) > 0, "trials", "faults", "no fault")
	check(!slices.Contains(t.Faults, Fault{Kind: None}), "trials", "faults",
		"use healthy for runs without a fault")
	check(c.allOrNone(Fault.CausesDivergence), "trials", "faults",
		"some by which ranks leave the common sequence of collectives, and others, are for two campaigns")
	check(c.allOrNone(Fault.CausesSlowdown), "trials", "faults", "some by which a rank gets slower, and others, are for two campaigns")
	check(c.Slowness.From <= c.Slowness.To, "slowness", "to", "must not be before from")
	check(t.Healthy >= 0, "trials", "healthy", "must be 0 or greater")
	return append(out, c.duplicateSeeds()...)
}

// duplicateSeeds complains about a seed that stands in both lists, or twice in one: what
// is tuned on must not be reported on.
func (c *Campaign) duplicateSeeds() []complaint {
	all := slices.Sorted(slices.Values(slices.Concat(c.Trials.Tune, c.Trials.Report)))
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			return []complaint{{toml.Key{"trials", "report"}, "seed " + strconv.FormatUint(all[i], 10) +
				" is given twice"}}
		}
	}
	return nil
}

func validPatterns(list []string) bool {
	return !slices.ContainsFunc(list,
		func(p string) bool { _, err := filepath.Match(p, ""); return err != nil || p == "" })
}

// lineOf finds the line of a key, or of its table where it is not set; the TOML
// package tells lines for syntax errors only.
func lineOf(text string, key toml.Key) int {
	table, header := "", 1
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		if strings.HasPrefix(line, "[") && !strings.Contains(line, "=") {
			table = strings.Trim(line, "[] \t")
			if table == key.String() {
				return i + 1
			}
			if len(key) > 1 && table == key[0] {
				header = i + 1
			}
			continue
		}
		name, _, set := strings.Cut(line, "=")
		full := strings.Trim(strings.TrimSpace(name), `"'`)
		if table != "" {
			full = table + "." + full
		}
		if set && full == key.String() {
			return i + 1
		}
	}
	return header
}

// LaunchCommand is the launcher's command line with the number of ranks in it,
// without the program.
func (c *Campaign) LaunchCommand() []string {
	var out []string
	for _, word := range c.Launch.Command {
		out = append(out, strings.ReplaceAll(word, "{ranks}", strconv.Itoa(c.Launch.Ranks)))
	}
	return out
}

// ProfileOrder asks for the profiles to draw from, to be written into out; jumps are
// those to look at as well.
func (c *Campaign) ProfileOrder(out string, jumps []Jump) Order {
	return Order{Out: out, Profile: &Profile{Modules: c.Functions.Modules, Entry: c.Functions.Entry,
		Cap: c.Functions.Cap, Follow: c.causesDivergence(), Jumps: jumps}}
}

// allOrNone reports whether something is so of all faults, or of none.
func (c *Campaign) allOrNone(is func(Fault) bool) bool {
	return !slices.ContainsFunc(c.Trials.Faults, func(f Fault) bool { return is(f) != is(c.Trials.Faults[0]) })
}

// CausesSlowdown reports whether the faults are such by which a rank gets slower.
func (c *Campaign) CausesSlowdown() bool {
	return slices.ContainsFunc(c.Trials.Faults, Fault.CausesSlowdown)
}

// causesDivergence reports whether the faults are such by which ranks part.
func (c *Campaign) causesDivergence() bool {
	return slices.ContainsFunc(c.Trials.Faults, Fault.CausesDivergence)
}

// Draw makes the trials of all seeds, those to tune on first, and after them the
// healthy runs. Those by which a rank gets slower need no profiles.
func (c *Campaign) Draw(profiles []*Profile) ([]Trial, error) {
	var out []Trial
	if c.CausesSlowdown() {
		for _, seed := range slices.Concat(c.Trials.Tune, c.Trials.Report) {
			out = append(out, DrawSlowdowns(seed, c.Trials.Count, c.Launch.Ranks, c.Trials.Faults,
				time.Duration(c.Slowness.From), time.Duration(c.Slowness.To))...)
		}
		return append(out, HealthyTrials(c.Trials.Healthy)...), nil
	}
	for _, seed := range slices.Concat(c.Trials.Tune, c.Trials.Report) {
		draw := Draw
		if c.causesDivergence() {
			draw = DrawDivergences
		}
		trials, err := draw(seed, c.Trials.Count, profiles, c.Trials.Faults, c.mayDraw)
		if err != nil {
			return nil, err
		}
		out = append(out, trials...)
	}
	return append(out, HealthyTrials(c.Trials.Healthy)...), nil
}

func (c *Campaign) mayDraw(t Target) bool {
	return !slices.ContainsFunc(c.Functions.Exclude,
		func(p string) bool { return matchesPattern(p, t.Function) || matchesPattern(p, t.Name()) })
}

// Parts are the names of what can be run of a campaign by itself.
var Parts = []string{"tune", "report", "healthy"}

// CheckPart returns an error that says what to set if the campaign has no trials of a part, "" of any.
func (c *Campaign) CheckPart(part string) error {
	t := c.Trials
	has := map[string]bool{"tune": len(t.Tune) > 0 && t.Count > 0, "report": len(t.Report) > 0 && t.Count > 0, "healthy": t.Healthy > 0}
	switch {
	case has[part], part == "" && slices.Contains(slices.Collect(maps.Values(has)), true):
		return nil
	case part == "":
		return errors.New("the campaign has no trials: all of trials.tune, report and healthy are empty or 0, or trials.count is 0")
	case part == "healthy":
		return errors.New("the campaign has no such trials: trials.healthy is 0")
	}
	return fmt.Errorf("the campaign has no such trials: trials.%s is empty, or trials.count is 0", part)
}

// Part picks the trials of a part of the campaign, "" all.
func (c *Campaign) Part(part string, trials []Trial) []Trial {
	if part == "" {
		return trials
	}
	seeds := map[string][]uint64{"tune": c.Trials.Tune, "report": c.Trials.Report}[part]
	return slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool {
		if t.Fault.Kind == None {
			return part != "healthy"
		}
		return !slices.Contains(seeds, t.Seed)
	})
}

package injector

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func TestExampleCampaign(t *testing.T) {
	c := musttest.Get(ParseCampaign(Example))(t)
	checktest.Equal(t, []string{"mpirun", "-np", "8"}, c.LaunchCommand())
	trials, err := c.Draw(profilesOf(8))
	if err != nil || len(trials) != 200 || trials[0].ID != "1-000" || trials[199].ID != "2-099" {
		t.Errorf("%d trials, %v", len(trials), err)
	}
	if o := c.ProfileOrder("x", nil); o.check() != nil || o.Profile.Cap != 1000 {
		t.Errorf("%+v", o)
	}
}

// What the example says beside its comments is the default, where there is one.
func TestCampaignDefaults(t *testing.T) {
	var short []string
	for line := range strings.Lines(Example) {
		key, _, _ := strings.Cut(line, " ")
		switch key {
		case "from", "to", "watch", "[slowness]",
			"timeout", "limit", "mpi_entry", "cap", "count", "faults", "directory", "exclude", "prepare", "healthy":
		default:
			short = append(short, line)
		}
	}
	a := musttest.Get(ParseCampaign(strings.Join(short, "")))(t)
	b := musttest.Get(ParseCampaign(Example))(t)
	b.Functions.Exclude, b.Program.Prepare = nil, nil
	checktest.Equal(t, a, b)
}

func TestCampaignErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`ranks = 8`, `rnaks = 8`, `16: not a usable campaign: unknown key "launch.rnaks"`},
		{`[trials]`, "[trails]\nx = 1\n[trials]", `29: not a usable campaign: unknown key "trails"`},
		{`ranks = 8`, `ranks = "x"`, `16: not a usable campaign: launch.ranks: incompatible types`},
		{`ranks = 8`, `ranks = 0`, `16: not a usable campaign: launch.ranks: must be at least 1`},
		{`ranks = 8`, `ranks = `, `16: not a usable campaign: `},
		{`"{ranks}"`, `"8"`, `15: not a usable campaign: launch.command: {ranks} is missing`},
		{`family = "openmpi"`, ``, `13: not a usable campaign: launch.family: must be openmpi or mpich`},
		{`"hang"`, `"hung"`, `33: not a usable campaign: `},
		{`"hang"`, ``, `33: not a usable campaign: trials.faults: no fault`},
		{`limit = "5m"`, `limit = "-5m"`, `18: not a usable campaign: `},
		{`report = [2]`, `report = [1]`, `32: not a usable campaign: trials.report: seed 1 is given twice`},
		{`exclude = []`, `exclude = ["["]`, `25: not a usable campaign: functions.exclude: bad pattern`},
		{`"library"`, `"inside"`, `26: not a usable campaign: functions.mpi_entry: must be library or caller`},
		{`"hang"`, `"none"`,
			`33: not a usable campaign: trials.faults: use healthy for runs without a fault`},
		{`"hang"`, `"hang", "skip"`, `33: not a usable campaign: trials.faults: some by which ranks leave the ` +
			`common sequence of collectives, and others, are for two campaigns`},
		{`"hang"`, `"hang", "steal"`, `33: not a usable campaign: trials.faults: some by which a rank gets slower, and others, ` +
			`are for two campaigns`},
		{`from = "45s"`, `from = "56s"`, `46: not a usable campaign: slowness.to: must not be before from`},
		{`healthy = 0`, `healthy = -1`, `41: not a usable campaign: trials.healthy: must be 0 or greater`},
		{`cap = 1000`, `cap = 0`, `27: not a usable campaign: functions.cap: must be at least 1`},
	} {
		if !strings.Contains(Example, c.from) {
			t.Fatalf("the example has no %q", c.from)
		}
		path := filepath.Join(t.TempDir(), "c.toml")
		musttest.Succeed(t, os.WriteFile(path, []byte(strings.Replace(Example, c.from, c.to, 1)), 0o600))
		got, err := ReadCampaign(path)
		if got != nil || !errors.Is(err, ErrCampaign) || !strings.HasPrefix(err.Error(), "injector: "+path+":"+c.want) {
			t.Errorf("%s for %s: %v\nwant %s", c.to, c.from, err, c.want)
		}
	}
	checktest.Fails(ReadCampaign("no such file"))(t, os.ErrNotExist)
}

func TestExcludedFunctions(t *testing.T) {
	c := musttest.Get(ParseCampaign(strings.Replace(Example, "exclude = []", `exclude = ["MPI_I*", "ns::g*"]`, 1)))(t)
	for function, want := range map[string]bool{"MPI_Init": false, "MPI_Send": true, "_ZN2ns4gaspEi": false,
		"_ZN2ns4huffEi": true} {
		checktest.Equal(t, want, c.mayDraw(Target{Function: function}), function)
	}
}

// Whatever the text: an error and no campaign, or a campaign that can be drawn from.
func FuzzParseCampaign(f *testing.F) {
	f.Add(Example)
	f.Add("[launch]\nranks=1")
	f.Add("program = 1")
	f.Add("=")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCampaign(text)
		if (c == nil) == (err == nil) {
			t.Fatalf("%v, %v", c, err)
		}
		if c != nil && c.Launch.Ranks < 1 {
			t.Errorf("ranks %d", c.Launch.Ranks)
		}
	})
}

// TestCheckPart: a part that a campaign has no trials of is told, and not run as nothing.
func TestCheckPart(t *testing.T) {
	var c Campaign
	c.Trials.Count, c.Trials.Report = 2, []uint64{7}
	for part, has := range map[string]bool{"": true, "report": true, "tune": false, "healthy": false} {
		if err := c.CheckPart(part); (err == nil) != has || err != nil && !strings.Contains(err.Error(), "trials."+part) {
			t.Errorf("part %q: %v", part, err)
		}
	}
	c.Trials.Count = 0
	if c.CheckPart("") == nil || c.CheckPart("report") == nil {
		t.Error("a campaign without trials is not refused")
	}
}

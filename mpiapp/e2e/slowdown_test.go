//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"laggard/injector"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// iterations is how long an iteration took, in microseconds.
type iterations struct{ least, cpu float64 }

// slowdowns are what makes a rank slow, and how an iteration of timed.c shows it.
var slowdowns = []struct {
	fault string
	shows func(before, after iterations) bool
}{
	{"compute:2", func(b, a iterations) bool { return a.cpu > b.cpu+1700 && a.cpu < b.cpu+2600 }}, // 2 ms more
	{"io:20", func(b, a iterations) bool { return a.least > b.least+9000 && a.cpu < 1.5*b.cpu }},  // 200 KB: 10 ms
	{"late:10", func(b, a iterations) bool { return a.least > b.least+9000 && a.cpu < 1.5*b.cpu }},
}

// TestSlowdowns: a rank gets slower in each way, from the moment on that the order says, and only in that way. How much slower
// it gets by what takes its processor depends on what else runs; TestSteal of package injector has that.
func TestSlowdowns(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for number, s := range slowdowns {
			if number > 0 && !f.runsCase(number) { // the first is on each MPI: most of it is in the libraries before MPI
				continue
			}
			t.Run(s.fault, func(t *testing.T) {
				fault := musttest.Get(injector.ParseFault(s.fault))(t)
				bin := binaryDir(t)
				order := injector.Order{Out: t.TempDir(), Slow: &injector.SlowLibraries{
					Before: filepath.Join(bin, "liblaggard-before.so"), Behind: filepath.Join(bin, "liblaggard-behind.so")},
					Strike: &injector.Strike{Fault: fault, After: injector.Duration(2500 * time.Millisecond)}}
				path := filepath.Join(order.Out, "order.json")
				musttest.Succeed(t, order.Write(path))
				inject := []string{laggardPath(t), "inject", "exec", path, "--", f.buildProgram(t, "timed.c", "-O1"), "2"}
				o := runCommand(t, f.runEnvironment(t), f.underRun(t, filepath.Join(t.TempDir(), "run"), nil, 1, inject...)...)
				var before, after iterations
				_, err := fmt.Sscanf(o.stdout, "before %f %f\nafter %f %f", &before.least, &before.cpu, &after.least, &after.cpu)
				if err != nil || o.status != 0 || !s.shows(before, after) {
					t.Errorf("%v, status %d: %s%s", err, o.status, o.stdout, o.stderr)
				}
				checktest.Equal(t, injector.Injected, musttest.Get(order.ReadReport())(t).State)
			})
		}
	})
}

// TestSlowdownCampaign: of each trial it is kept what the user was told; here nothing, as the job is over too soon for that.
func TestSlowdownCampaign(t *testing.T) {
	f := installedFamilies()[0]
	launch := musttest.Get(json.Marshal(append(append([]string{}, f.launcher...), "-np", "{ranks}")))(t)
	dir := t.TempDir()
	campaign := filepath.Join(dir, "campaign.toml")
	musttest.Succeed(t, os.WriteFile(campaign, fmt.Appendf(nil, `[program]
name = "steady"
command = [%q, "60"]
[launch]
family = %q
command = %s
ranks = 2
[trials]
count = 1
report = [5]
faults = ["compute:3"]
healthy = 1
[slowness]
from = "1s"
to = "1s"
watch = "1s"
`, f.buildProgram(t, "steady.c", "-O1"), f.name, launch), 0o600))
	var d injector.Document
	runForJSON(t, f.runEnvironment(t), &d, "inject", "--json", campaign).mustSucceed(t)
	rows := d.Totals.Report.Slowdowns
	if len(rows) != 1 || rows[0].Trials != 1 || rows[0].Told != 0 || d.Totals.Health.Runs != 1 || len(d.Totals.Health.FalseAlarms) > 0 {
		t.Errorf("%+v, %+v", rows, d.Totals.Health)
	}
}

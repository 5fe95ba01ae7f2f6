package injector

import (
	"errors"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func TestFaultText(t *testing.T) {
	for text, want := range map[string]string{
		"hang": "hang", "spin": "spin", "segv": "segv", "kill": "kill",
		"slow": "slow:10", "slow:2.5": "slow:2.5", "exit": "exit:1", "exit:0": "exit:0",
		"skip": "skip", "skip:1": "skip", "extra:2": "extra:2", "leave": "leave:exit", "leave:abort": "leave:abort",
		"compute": "compute:2", "compute:1.25": "compute:1.25", "steal": "steal",
		"io": "io:10", "io:0.5": "io:0.5", "late": "late:1", "late:20": "late:20",
		"root": "root", "order": "order", "loop": "loop", "branch": "branch",
	} {
		f := musttest.Get(ParseFault(text))(t, text)
		checktest.Equal(t, want, f.String(), text)
		checktest.Equal(t, f, musttest.Get(ParseFault(f.String()))(t), "does not come back")
	}
	for _, text := range []string{"", "Hang", "hang:1", "slow:1", "slow:NaN", "slow:x", "slow:", "exit:256",
		"exit:-1", "kill:9", "slow:+Inf", "skip:0", "skip:x", "leave:x", "root:1", "compute:1", "compute:101",
		"compute:", "compute:NaN", "steal:2", "io:0", "io:-1", "late:x", "late:1001"} {
		if f, err := ParseFault(text); !errors.Is(err, ErrFault) || f != (Fault{}) {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
}

func TestOrderChecks(t *testing.T) {
	good := Strike{Target: Target{Class: User, Function: "f"}, Invocation: 1, Fault: Fault{Kind: Hang}}
	for name, change := range map[string]func(*Order){
		"both":          func(o *Order) { o.Profile = &Profile{Cap: 1} },
		"neither":       func(o *Order) { o.Strike = nil },
		"no cap":        func(o *Order) { o.Strike, o.Profile = nil, &Profile{} },
		"no folder":     func(o *Order) { o.Out = "" },
		"invocation 0":  func(o *Order) { o.Strike.Invocation = 0 },
		"no target":     func(o *Order) { o.Strike.Target.Function = "" },
		"without fault": func(o *Order) { o.Strike.Fault = Fault{} },
		"no jump":       func(o *Order) { o.Strike.Fault = Fault{Kind: Loop} },
	} {
		s := good
		o := Order{Out: t.TempDir(), Strike: &s}
		musttest.Succeed(t, o.check())
		change(&o)
		checktest.ErrorIs(t, ErrOrder, o.Write(o.Out+"/order.json"), name)
	}
}

func TestRank(t *testing.T) {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "SLURM_PROCID"} {
		t.Setenv(name, "")
	}
	checktest.Fails(Rank())(t, ErrNoRank, "no rank")
	t.Setenv("SLURM_PROCID", "3")
	t.Setenv("PMI_RANK", "5")
	checktest.Equal(t, 5, musttest.Get(Rank())(t), "rank")
}

package recorded

import (
	"slices"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/model"
)

// Modules of a process over OpenMPI, as a rank has them.
var (
	appModule      = &model.Module{Path: "/home/u/app", BuildID: "aa"}
	mpiModule      = &model.Module{Path: "/usr/lib/libmpi.so.40", BuildID: "bb"}
	tcpModule      = &model.Module{Path: "/usr/lib/openmpi/mca_btl_tcp.so", BuildID: "cc"}
	launcherModule = &model.Module{Path: "/usr/lib/libpmix.so.2", BuildID: "dd"}
	libcModule     = &model.Module{Path: "/lib/libc.so.6", BuildID: "ee"}
	laggardModule  = &model.Module{Path: "/opt/laggard/liblaggard.so", BuildID: "ff"}
)

func stackAt(frames ...model.Frame) []model.Frame { return frames }

func frameIn(m *model.Module, offset uint64) model.Frame {
	return model.Frame{Module: m, Offset: offset}
}

// sendingRank is a rank that sends from two call sites, one of them in two threads.
func sendingRank() *model.Rank {
	main := frameIn(appModule, 0x900)
	initial := &model.State{Call: "MPI_Init", Stack: stackAt(frameIn(appModule, 0x100), main)}
	send := &model.State{Call: "MPI_Send", Stack: stackAt(frameIn(appModule, 0x200), main)}
	gather := &model.State{Call: "MPI_Allgather", Stack: stackAt(frameIn(appModule, 0x300), main)}
	below := func(call *model.State, inner ...model.Frame) []model.Frame {
		return slices.Concat(inner, stackAt(frameIn(laggardModule, 0x1)), call.Stack)
	}
	return &model.Rank{
		Rank: 3, Size: 8, Exe: appModule.Path, Arguments: []string{"10"},
		Threads: []*model.Thread{
			{
				Model: model.Model{States: []*model.State{initial, send, gather}, Visits: []uint64{1, 4, 2}},
				Sent: []model.Sent{{State: 1, Traffic: model.Traffic{Calls: 4, Bytes: 400}, Distance: 8},
					{State: 2, Traffic: model.Traffic{Calls: 2, Bytes: 64}}},
			},
			{
				Index: 1, Model: model.Model{States: []*model.State{send}, Visits: []uint64{1}},
				Sent: []model.Sent{{State: 0, Traffic: model.Traffic{Calls: 4, Bytes: 100}, Distance: 4}},
			},
		},
		Sites: []*model.Site{
			{Function: "writev", Stack: below(send, frameIn(tcpModule, 0x10), frameIn(mpiModule, 0x20)),
				Traffic: model.Traffic{Calls: 5, Bytes: 700}},
			{Function: "send", Stack: below(send, frameIn(libcModule, 0x5), frameIn(tcpModule, 0x11), frameIn(mpiModule, 0x20)),
				Traffic: model.Traffic{Calls: 1, Bytes: 7}},
			{Function: "send", Stack: below(send, frameIn(launcherModule, 0x5), frameIn(mpiModule, 0x20)),
				Traffic: model.Traffic{Calls: 1, Bytes: 9}},
			{Function: "writev", Stack: below(initial, frameIn(tcpModule, 0x10), frameIn(mpiModule, 0x21)),
				Traffic: model.Traffic{Calls: 1, Bytes: 11}},
			{Function: "writev", Stack: stackAt(frameIn(launcherModule, 0x10), frameIn(libcModule, 0x21)),
				Traffic: model.Traffic{Calls: 1, Bytes: 13}},
			{Function: "sendmsg", Stack: stackAt(frameIn(tcpModule, 0x50), frameIn(mpiModule, 0x51), frameIn(libcModule, 0x21)),
				Traffic: model.Traffic{Calls: 1, Bytes: 17}},
		},
	}
}

// observeOne gives the only row by the functions, or else offsets, of its sites.
func observeOne(t *testing.T, source Source) map[string]float64 {
	t.Helper()
	table := &Table{}
	if !Observe(table, sendingRank(), source, "run", map[string]float64{"n": 10}) {
		t.Fatal("nothing was seen")
	}
	row := table.Rows[0]
	if err := table.Validate(); err != nil || len(table.Rows) != 1 || row.Rank != 3 || row.Ranks != 8 ||
		row.Controls["n"] != 10 {
		t.Fatalf("%+v: %v", row, err)
	}
	out := map[string]float64{}
	for site, amount := range row.Volume {
		out[strings.ReplaceAll(table.Sites[site].Key(), "MPI!", "")] = amount
	}
	return out
}

func TestObserveCalls(t *testing.T) {
	want := map[string]float64{
		"MPI_Send@:0;aa+200;aa+900":                  500,
		"MPI_Allgather@:0;aa+300;aa+900":             64,
		"feature distance;MPI_Send@:0;aa+200;aa+900": 1.5,
	}
	checktest.Equal(t, want, observeOne(t, AtMPI))
}

// TestObserveSockets: transport and recorder are taken off, the MPI call is put
// in; what goes to the launcher, or at the start, is no message.
func TestObserveSockets(t *testing.T) {
	want := map[string]float64{
		"bb+20;MPI_Send@:0;aa+200;aa+900": 707,
		"bb+51;ee+21":                     17,
	}
	checktest.Equal(t, want, observeOne(t, AtSocket))
}

func TestObserveUnknownRank(t *testing.T) {
	table := &Table{}
	if Observe(table, &model.Rank{Rank: -1, Size: 4}, AtMPI, "run", nil) ||
		Observe(table, &model.Rank{Rank: 4, Size: 4}, AtMPI, "run", nil) || len(table.Rows) > 0 {
		t.Error("a rank that is none was taken")
	}
}

func TestArgumentControls(t *testing.T) {
	for _, c := range []struct {
		args string
		want map[string]float64
	}{
		{"", map[string]float64{}},
		{"100 in.dat 2.5", map[string]float64{"arg1": 100, "arg3": 2.5}},
		{"-n 64 --size 2K", map[string]float64{"-n": 64, "--size": 2048}},
		{"size=64 --steps=1e3 -n32", map[string]float64{"size": 64, "--steps": 1000, "-n": 32}},
		{"0x10 4G -5", map[string]float64{"arg1": 16, "arg2": 4 << 30, "arg3": -5}},
		{"-n 1 -n 2", map[string]float64{"-n": 1, "-n#2": 2}},
		{"-v in.dat 7", map[string]float64{"arg3": 7}},
		{"nan inf 1e999 K --=3", map[string]float64{}},
		{"--name=x --name 3", map[string]float64{"--name": 3}},
	} {
		checktest.Equal(t, c.want, ArgumentControls(strings.Fields(c.args)), c.args)
	}
}

func TestFindCrash(t *testing.T) {
	when := time.Unix(1000, 0)
	state := &model.State{Call: "MPI_Abort", Stack: stackAt(frameIn(appModule, 0x10))}
	capture := func(why model.CaptureReason, signal int) *model.Capture {
		return &model.Capture{Time: when, Why: why, Signal: signal,
			Stack: stackAt(frameIn(laggardModule, 1), frameIn(appModule, 0x20))}
	}
	inCall := model.Thread{Model: model.Model{States: []*model.State{state}}, Op: model.Op{State: 0, InMPI: true}}
	for _, c := range []struct {
		name string
		rank model.Rank
		want string
	}{
		{"well", model.Rank{Threads: []*model.Thread{{Op: model.Op{State: -1}}}}, ""},
		{"segmentation fault", model.Rank{Threads: []*model.Thread{{Captured: capture(model.CaptureFatal, 11)}}},
			"segmentation fault at aa+20"},
		{"ended by the launcher", model.Rank{Threads: []*model.Thread{
			{Op: model.Op{State: -1}, Captured: capture(model.CaptureFatal, 15)}}}, ""},
		{"a stack that was asked for", model.Rank{Threads: []*model.Thread{
			{Op: model.Op{State: -1}, Captured: capture(model.CaptureQuiet, 11)}}}, ""},
		{"abort", model.Rank{End: model.Aborted, Threads: []*model.Thread{&inCall}}, "MPI_Abort at MPI!MPI_Abort@:0"},
		{"an exit inside MPI", model.Rank{End: model.Exited, EndDetail: 14, Threads: []*model.Thread{&inCall}},
			"MPI_Abort at MPI!MPI_Abort@:0"},
		{"a good exit inside MPI", model.Rank{End: model.Exited, Threads: []*model.Thread{&inCall}}, ""},
	} {
		got := ""
		if crash := FindCrash(&c.rank); crash != nil {
			got = crash.What + " at " + crash.Stack[0].Key()
		}
		checktest.Equal(t, c.want, got, c.name)
	}
}

func TestEarlierCrash(t *testing.T) {
	first := &Crash{Rank: 5, Time: time.Unix(1, 0)}
	later := &Crash{Rank: 1, Time: time.Unix(2, 0)}
	same := &Crash{Rank: 2, Time: time.Unix(1, 0)}
	for _, c := range []struct{ a, b, want *Crash }{
		{nil, nil, nil}, {nil, first, first}, {first, nil, first}, {first, later, first}, {later, first, first},
		{first, same, same}, {same, first, same},
	} {
		if got := EarlierCrash(c.a, c.b); got != c.want {
			t.Errorf("%+v and %+v: %+v", c.a, c.b, got)
		}
	}
}

//go:build e2e

package e2e

import "fmt"

// scenario is a program with the fault chosen by its argument, and the answer
// that is known beforehand.
type scenario struct {
	source, mode string
	least        []int    // the least progressed ranks
	function     []string // they are in one of these functions
	mark         []string // on a line with one of these marks
	inMPI        []string // in one of these MPI functions; none: in computation
	cycle        []int    // ranks of the deadlock, rising
	lost         []int
	deeper       bool     // the marked line calls other functions of the program
	optimised    bool     // try it with -O2 too
	flags        []string // for the compiler then
	ranks        int      // 8 if 0
	standard     int      // the first MPI that has what it calls; 3 if 0
}

func (s scenario) rankCount() int {
	if s.ranks == 0 {
		return 8
	}
	return s.ranks
}

// runsOn reports whether an MPI has what the program calls.
func (s scenario) runsOn(f family) bool { return s.standard <= f.standard }

// runsAsCase reports whether it is run on an MPI, as a case of a list: always where no other could.
func (s scenario) runsAsCase(f family, number int) bool {
	return s.runsOn(f) && (f.runsCase(number) || s.standard > families[0].standard)
}

func (s scenario) String() string { return fmt.Sprintf("%s-%s", s.source, s.mode) }

// loopScenario is a rank that never leaves a loop of its own.
func loopScenario(source string, rank int, function string) scenario {
	return scenario{source: source, mode: "hang", least: []int{rank}, function: []string{function},
		mark: []string{inLoop}}
}

// loopScenarioIn is looping in one of several modes of a program.
func loopScenarioIn(source, mode string, rank int, function string) scenario {
	s := loopScenario(source, rank, function)
	s.mode = mode
	return s
}

// withStandard says which MPI the program needs.
func (s scenario) withStandard(standard int) scenario {
	s.standard = standard
	return s
}

func (s scenario) orInFunction(function string) scenario {
	s.function = append(s.function, function)
	return s
}

func (s scenario) andOptimised(flags ...string) scenario {
	s.optimised, s.flags = true, flags
	return s
}

// hangs are the programs that hang while all their processes live.
var hangs = []scenario{
	loopScenario("before_collective.c", 3, "relax").andOptimised(),
	loopScenario("nested_loop.c", 2, "limit").andOptimised(),
	loopScenario("ring.c", 4, "work"),
	loopScenario("halo.c", 6, "stencil").andOptimised(),
	loopScenario("rowcol.c", 5, "local_part"),
	loopScenario("master_worker.c", 3, "collatz"),
	loopScenario("spin_iprobe.c", 0, "produce"),
	loopScenario("spin_test.c", 2, "take_lock").andOptimised(),
	loopScenario("no_finalize.c", 2, "checksum"),
	loopScenario("endless.c", 7, "find_seed"),
	loopScenario("intercomm.c", 6, "digest"),
	loopScenario("cart.c", 5, "cell"),
	loopScenario("groups.c", 4, "weigh"),
	loopScenario("persistent.c", 4, "find"),
	loopScenario("nonblocking_coll.c", 2, "root_of"),
	loopScenario("threads.c", 3, "mix"),
	loopScenario("chain.f", 2,
		"passon").orInFunction("passon_"), // with or without the linker's decoration
	// where it is inlined, lines of the caller move into the loop
	loopScenario("jacobi.f90", 5, "smoother::smooth").orInFunction("smooth").andOptimised("-fno-inline"),
	{source: "templates.cc", mode: "hang", least: []int{3}, function: []string{"solve::retry<double>"},
		mark:   []string{inLoop},
		deeper: true, optimised: true},
	{source: "cycle.c", mode: "recv", least: []int{1, 4, 6}, function: []string{"recv_first"},
		mark:  []string{"here recv"},
		inMPI: []string{"MPI_Recv"}, cycle: []int{1, 4, 6}},
	{source: "cycle.c", mode: "ssend", least: []int{1, 4, 6}, function: []string{"send_first"},
		mark:  []string{"here ssend"},
		inMPI: []string{"MPI_Ssend"}, cycle: []int{1, 4, 6}, optimised: true},
	{source: "mismatch.c", mode: "hang", least: []int{0}, function: []string{"agree"},
		mark:  []string{"here"},
		inMPI: []string{"MPI_Bcast"}, cycle: []int{0, 1}}, // the other seven agree
	{source: "teams.f90", mode: "hang", least: []int{4, 5, 6}, function: []string{"main", "share"},
		mark: []string{"here"}, inMPI: []string{"MPI_Recv", "MPI_Bcast", "MPI_Reduce"}, cycle: []int{4, 5, 6}},
	{source: "blocked.c", mode: "read", least: []int{1}, function: []string{"ask_helper"}, mark: []string{"here read"}},
	{source: "blocked.c", mode: "sleep", least: []int{1}, function: []string{"pause_a_little"},
		mark: []string{"here sleep"}, optimised: true},
	{source: "blocked.c", mode: "lock", least: []int{1}, function: []string{"guarded"}, mark: []string{"here lock"}},
	loopScenario("successor.c", 2, "settle"),
	{source: "successor.c", mode: "replaced", least: []int{1}, lost: []int{1}, function: []string{"agree"},
		mark: []string{"here replaced"}},
}

// blocking are hangs in which every other way to block shows for whom a rank
// waits; on each MPI, as far as it has the call and lets it block.
var blocking = []scenario{
	loopScenarioIn("neighbours.c", "cart", 5, "settle"),
	loopScenarioIn("neighbours.c", "graph", 5, "settle"),
	loopScenarioIn("neighbours.c", "dist", 5, "settle"),
	{source: "neighbours.c", mode: "cross", least: []int{3}, function: []string{"ask"}, mark: []string{"here cross"},
		inMPI: []string{"MPI_Recv"}, cycle: []int{2, 3}}, // no rank has been there before
	loopScenarioIn("pscw.c", "post", 2, "weigh"),
	loopScenarioIn("pscw.c", "complete", 0, "weigh"),
	loopScenarioIn("pscw.c", "test", 0, "weigh"),
	loopScenarioIn("locks.c", "exclusive", 3, "brood"),
	loopScenarioIn("locks.c", "shared", 3, "brood"),
	loopScenarioIn("locks.c", "all", 3, "brood"),
	loopScenarioIn("locks.c", "flush", 0, "brood"),
	loopScenarioIn("locks.c", "fetch", 0, "brood"),
	{source: "locks.c", mode: "cross", least: []int{3, 5}, function: []string{"holder", "asker"},
		mark:  []string{"here cross"},
		inMPI: []string{"MPI_Recv", "MPI_Win_lock"}, cycle: []int{3, 5}},
	loopScenarioIn("fileio.c", "begun", 6, "format"),
	loopScenarioIn("fileio.c", "halves", 6, "format"),
	loopScenarioIn("leaders.c", "member", 6, "muster"),
	loopScenarioIn("leaders.c", "leader", 1, "muster"),
	{source: "started.c", mode: "ssend", least: []int{1, 4}, function: []string{"swap"}, mark: []string{"here ssend"},
		inMPI: []string{"MPI_Wait"}, cycle: []int{1, 4}},
	{source: "started.c", mode: "bsend", least: []int{1, 4}, function: []string{"expect"}, mark: []string{"here last"},
		inMPI: []string{"MPI_Recv"}, cycle: []int{1, 4}},
	{source: "started.c", mode: "detach", least: []int{1, 4}, function: []string{"give_up", "expect"},
		mark:  []string{"here detach", "here last"},
		inMPI: []string{"MPI_Buffer_detach", "MPI_Recv"}, cycle: []int{1, 4}},
	loopScenarioIn("window.f90", "post", 2, "loss::settle").orInFunction("settle"),
	loopScenarioIn("window.f90", "lock", 2, "loss::settle").orInFunction("settle"),
	loopScenarioIn("window.f90", "line", 2, "loss::settle").orInFunction("settle"),
	loopScenarioIn("sessions.c", "one", 4, "enrol").withStandard(4),
	loopScenarioIn("sessions.c", "two", 4, "enrol").withStandard(4),
	loopScenarioIn("sessions.c", "behind", 4, "enrol").withStandard(4),
	{source: "edges.c", mode: "some-hang", least: []int{0, 7}, function: []string{"collect"}, mark: []string{inLoop},
		inMPI: []string{"", "MPI_Testsome"}},
	{source: "edges.c", mode: "any-hang", least: []int{0, 7}, function: []string{"collect"}, mark: []string{inLoop},
		inMPI: []string{"", "MPI_Testany"}},
	loopScenarioIn("mpi4.c", "coll", 3, "sift").withStandard(4),
	loopScenarioIn("mpi4.c", "parts", 3, "sift").withStandard(4),
	loopScenarioIn("mpi4.c", "exchange", 3, "sift").withStandard(4),
}

// frozen is a rank that the kernel does not let go on: it is lost, and known to
// be behind its last call.
var frozen = scenario{source: "halo.c", mode: "freeze", least: []int{6}, function: []string{"exchange"},
	mark: []string{afterCall}, lost: []int{6}}

// departures are the programs of which one rank goes away in the middle.
var departures = []scenario{
	{source: "leaves.c", mode: "kill", least: []int{3}, function: []string{"step"}, mark: []string{afterCall},
		lost: []int{3}},
	{source: "leaves.c", mode: "exit", least: []int{3}, function: []string{"leave"}, mark: []string{"exits"},
		lost: []int{3}},
	{source: "leaves.c", mode: "_exit", least: []int{3}, function: []string{"leave"}, mark: []string{"ends at once"},
		lost: []int{3}},
	{source: "leaves.c", mode: "segv", least: []int{3}, function: []string{"leave"}, mark: []string{"here"},
		lost: []int{3}},
}

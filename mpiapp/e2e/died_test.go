//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// death is a mode of a program in which a rank dies in a call of MPI, and what must be said of the call's arguments.
type death struct {
	source, mode string
	want         string   // part of the reason; by hand, and the same with both libraries
	on           string   // the only MPI with which it dies; "": all
	flags        []string // of the compiler; nil: -O0
	short        bool     // in the default suite
}

// diedVictim is the rank that dies, of four.
const diedVictim = "2"

var optimised = []string{"-O2"}

var deaths = []death{
	{source: "dieddispls.c", mode: "gather", short: true,
		want: "displs[2] is -1294967296, an int overflow: displs[1] + recvcounts[1] is 3000000000"},
	{source: "dieddispls.c", mode: "exchange", want: "rdispls[3] is -2147483640: an int overflow is likely"},
	{source: "dieddispls.c", mode: "scatter", flags: optimised,
		want: "the buffer sendbuf probably has room for at most 32008 bytes (a block of malloc), " +
			"and the call reads 960008000 bytes, with displs[3]"},
	{source: "diedbuffers.c", mode: "block", short: true,
		want: "the receive buffer probably has room for at most 808 bytes (a block of malloc), and the call receives up to 32000000 bytes"},
	{source: "diedbuffers.c", mode: "static", flags: optimised,
		want: "the receive buffer has room for 800 bytes (variable halo), and the call receives up to 32000000 bytes"},
	{source: "diedbuffers.c", mode: "local",
		want: "the buffer recvbuf has room for 800 bytes (a local variable), and the call writes 32000000 bytes"},
	{source: "diedbuffers.c", mode: "local", flags: optimised,
		want: "the buffer recvbuf has room for 800 bytes (a local variable), and the call writes 32000000 bytes"},
	{source: "diedbuffers.c", mode: "null", want: "the send buffer is a null pointer, and the call sends 800 bytes"},
	{source: "diedbuffers.c", mode: "unmapped", want: ", where no memory is"},
	{source: "diedbuffers.c", mode: "constant", want: "the receive buffer is in memory that cannot be written (variable table)"},
	{source: "diedbuffers.c", mode: "columns", flags: optimised,
		want: "the send buffer probably has room for at most 8003568 bytes (a block of malloc), and the call sends 31968000008 bytes"},
	{source: "diedbuffers.c", mode: "later", want: "the receive buffer of MPI_Irecv (diedbuffers.c:123), which is pending, " +
		"probably has room for at most 808 bytes (a block of malloc), and it receives up to 32000000 bytes"},
	{source: "diedarrays.f90", mode: "module",
		want: "the receive buffer has room for 800 bytes (variable fields::halo), and the call receives up to 32000000 bytes"},
	{source: "diedarrays08.f90", mode: "module", flags: optimised, short: true,
		want: "the receive buffer has room for 800 bytes (variable fields::halo), and the call receives up to 32000000 bytes"},
	{source: "diedarrays.f90", mode: "local", flags: optimised,
		want: "the buffer recvbuf has room for 800 bytes (a local variable), and the call"},
	{source: "diedarrays08.f90", mode: "local", want: "the buffer recvbuf has room for 800 bytes (a local variable), " +
		"and the call probably wrote beyond it, over its own arguments"},
	{source: "diedarrays.f90", mode: "allocated", on: "openmpi",
		want: "the send buffer probably has room for at most 323568 bytes (a block of malloc), and the call sends 3200000000 bytes"},
	{source: "diedarrays.f90", mode: "offsets", want: "displs[3] is -794967296: an int overflow is likely"},
	{source: "diedarrays08.f90", mode: "offsets", flags: optimised, want: "displs[3] is -794967296: an int overflow is likely"},
	{source: "diedpending.cc", mode: "temporary", want: "the receive buffer of MPI_Irecv (diedpending.cc:18), which is pending, is at 0x"},
	{source: "diedpending.cc", mode: "local", flags: optimised,
		want: "the receive buffer of MPI_Irecv (diedpending.cc:51), which is pending, " +
			"was a local variable of a function that has returned"},
	{source: "diedhandles.c", mode: "halves", on: "openmpi", want: "comm is MPI_COMM_NULL"},
	{source: "diedhandles.c", mode: "stale", want: "comm was freed before, by MPI_Comm_free (diedhandles.c:30)", short: true},
	{source: "diedhandles.c", mode: "row", on: "openmpi", want: "datatype is MPI_DATATYPE_NULL", flags: optimised},
	{source: "diedhandles.c", mode: "unset",
		want: "array_of_requests[2] is no request that is pending: it was never set, or is complete already"},
	{source: "dieddispls.c", mode: "product", want: "count is -1794967296: an int overflow is likely", flags: optimised},
}

// TestDied has ranks die of bad arguments. The argument is named; of the correct program nothing is said.
func TestDied(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for _, d := range deaths {
			if (d.short || runEverything()) && (d.on == "" || d.on == f.name) {
				t.Run(strings.Join(append([]string{d.source, d.mode}, d.flags...), "/"), func(t *testing.T) { f.checkDeath(t, d) })
			}
		}
	})
}

func (f family) checkDeath(t *testing.T, d death) {
	flags := d.flags
	if flags == nil {
		flags = []string{"-O0"}
	}
	program := f.buildProgram(t, d.source, flags...)
	a := f.diagnoseDeath(t, program, d.mode)
	if l := a.LeastProgressed; l == nil || l.Set != diedVictim || l.Confidence < 0.9 {
		t.Errorf("rank %s is not named: %+v", diedVictim, l)
	}
	said := ""
	for _, l := range a.Losses {
		if l.Ranks == diedVictim {
			said += l.Argument + l.Text
		}
	}
	if !strings.Contains(said, d.want) {
		t.Errorf("it is said %q, want %q in it", said, d.want)
	}
	if a := f.diagnoseDeath(t, program, d.mode, "right"); len(a.Losses) > 0 || a.LeastProgressed != nil {
		t.Errorf("of the correct program: %+v, %+v", a.Losses, a.LeastProgressed)
	}
}

// diagnoseDeath runs a program with four ranks, and diagnoses the run.
func (f family) diagnoseDeath(t *testing.T, program string, args ...string) *diagnosisJSON {
	env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "run")
	startJob(t, env, nil, f.underRun(t, dir, []string{"--timeout", "6s"}, 4, append([]string{program}, args...)...)...).wait()
	return runDiagnose(t, env, dir)
}

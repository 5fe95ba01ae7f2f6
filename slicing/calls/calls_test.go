package calls

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/model/mpi"
)

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		linker, name, roles string
		byReference         bool
	}{
		{"MPI_Recv", "MPI_Recv", "rv.vvvs", false},
		{"PMPI_Recv", "MPI_Recv", "rv.vvvs", false},
		{"mpi_recv_", "MPI_Recv", "rv.vvvso", true},
		{"mpi_recv__", "MPI_Recv", "rv.vvvso", true},
		{"MPI_RECV", "MPI_Recv", "rv.vvvso", true},
		{"pmpi_bcast_", "MPI_Bcast", "xv.vvo", true},
		{"mpi_wait_f08_", "MPI_Wait", "Qso", true},
		{"mpi_wait_f08ts_", "MPI_Wait", "Qso", true},
		{"memcpy@GLIBC_2.14", "memcpy", "wcv", false},
		{"qsort", "qsort", "xvvp", false},
		{"__memcpy_chk", "memcpy", "wcv", false},
		{"__isoc99_sscanf", "sscanf", "ccw", false},
		{"_ZSt20__throw_length_errorPKc", "_ZSt%throw_length_error%", ".", false},
		{"_ZSt24__throw_out_of_range_fmtPKcz", "_ZSt%throw%", ".", false},
		{"_gfortran_transfer_integer_write", "_gfortran_transfer_%_write", ".", false},
		{"_gfortran_transfer_integer", "_gfortran_transfer_%", "kwv", false},
	} {
		m, ok := Lookup(c.linker)
		if !ok || m.Name != c.name || m.roles != c.roles || m.ByReference != c.byReference {
			t.Errorf("%s: %+v, %v", c.linker, m, ok)
		}
	}
	for _, name := range []string{"", "Popen", "my_function", "mpi", "MPI_", "pool", "_ZSt3foo"} {
		if m, ok := Lookup(name); ok {
			t.Errorf("%s: taken for %s", name, m.Name)
		}
	}
}

// TestThrows: a program expects that a value is out of range, not that memory is over.
func TestThrows(t *testing.T) {
	for name, want := range map[string]bool{"__cxa_throw": true, "_ZSt24__throw_out_of_range_fmtPKcz": true,
		"_ZSt20__throw_length_errorPKc": false, "_Znwm": false, "_Unwind_Resume": false, "read_deck": false,
		"_ZN4Deck4readEi": true, "_ZN4DeckD1Ev": false, "_ZNSt6localeC1Ev": false, "MPI_Recv": false,
		"_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6substrEmm": true} {
		if Throws(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// TestGives: what a rank gets from others is its own, unless all get the same.
func TestGives(t *testing.T) {
	for name, want := range map[string]mpi.Gives{"MPI_Allreduce": mpi.GivesAlike, "mpi_bcast_": mpi.GivesAlike,
		"MPI_Comm_rank": mpi.GivesOwn,
		"MPI_Recv":      mpi.GivesOwn, "MPI_Scatter": mpi.GivesOwn, "MPI_Iprobe": mpi.GivesOwn, "MPI_Type_size": mpi.GivesUnknown,
		"memcpy": mpi.GivesUnknown} {
		if m, _ := Lookup(name); m.Gives() != want {
			t.Errorf("%s gives %v, want %v", name, m.Gives(), want)
		}
	}
	for name, want := range map[string][3]int{"MPI_Bcast": {-1, 4, 1}, "mpi_bcast_": {5, 4, 1}, "MPI_Allgather": {-1, 6, 4},
		"MPI_Group_size": {-1, 0, -1}} {
		m, _ := Lookup(name)
		if !m.IsErrorCode(want[0]) || m.CommIndex() != want[1] || m.CountIndex() != want[2] || m.IsErrorCode(0) {
			t.Errorf("%s: communicator %d, count %d", name, m.CommIndex(), m.CountIndex())
		}
	}
	if m, _ := Lookup("MPI_Wtime"); m.IsErrorCode(-1) {
		t.Error("the time is taken for an error code")
	}
	for name, want := range map[string][2]bool{"getpid": {true, false}, "fgets": {false, true}, "getenv": {false, true}, "atoi": {}} {
		if m, _ := Lookup(name); m.Own != want[0] || m.Outside != want[1] {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestNoReturn(t *testing.T) {
	for name, want := range map[string]bool{"exit": true, "__assert_fail": true, "__stack_chk_fail": true,
		"_gfortran_stop_string": true, "printf": false, "MPI_Finalize": false} {
		if m, ok := Lookup(name); !ok || m.NoReturn != want {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// TestDelivers: who can get what from whom (MPI-3.1, chapters 3 and 5).
func TestDelivers(t *testing.T) {
	for _, c := range []struct {
		send, recv string
		want       bool
	}{
		{"MPI_Send", "MPI_Recv", true},
		{"MPI_Isend", "MPI_Irecv", true},
		{"MPI_Ssend", "MPI_Sendrecv", true},
		{"MPI_Sendrecv", "MPI_Recv", true},
		{"MPI_Send_init", "MPI_Mrecv", true},
		{"MPI_Bcast", "MPI_Bcast", true},
		{"MPI_Ibcast", "MPI_Ibcast", true},
		{"MPI_Allreduce", "MPI_Allreduce", true},
		{"MPI_Send", "MPI_Bcast", false},
		{"MPI_Recv", "MPI_Recv", false},
		{"MPI_Allreduce", "MPI_Recv", false},
		{"MPI_Barrier", "MPI_Barrier", false},
		{"printf", "MPI_Recv", false},
	} {
		checktest.Equal(t, c.want, Delivers(c.send, c.recv), c.send, "to", c.recv)
	}
}

func TestTag(t *testing.T) {
	for _, c := range []struct {
		name string
		sent bool
		want int
	}{{"MPI_Send", true, 4}, {"MPI_Irecv", false, 4}, {"MPI_Sendrecv", true, 4}, {"MPI_Sendrecv", false,
		9}, {"MPI_Sendrecv_replace", false, 6}, {"MPI_Mrecv", false, -1}, {"MPI_Bcast", true, -1}} {
		checktest.Equal(t, c.want, TagIndex(c.name, c.sent), c.name)
	}
}

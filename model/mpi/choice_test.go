package mpi

import "testing"

// TestSynchronousForms: a send whose mode is open has a synchronous form, and what the program chose itself is not open.
func TestSynchronousForms(t *testing.T) {
	for name, want := range map[string]string{
		"MPI_Send": "MPI_Ssend", "MPI_Isend": "MPI_Issend", "MPI_Send_init": "MPI_Ssend_init", "MPI_Send_c": "MPI_Ssend_c",
		"MPI_Rsend": "", "MPI_Ssend": "", "MPI_Bsend": "", "MPI_Irsend": "", "MPI_Psend_init": "", "MPI_Recv": "", "MPI_Sendrecv": "",
	} {
		got := ""
		if f := FindFunction(name).SynchronousForm(); f != nil {
			got = f.Name
		}
		if got != want {
			t.Errorf("%s has the form %q, want %q", name, got, want)
		}
	}
	for _, f := range Functions() {
		if f.Choices&SendMode != 0 && f.HasTrait(Synchronous|Ready|Buffered) {
			t.Errorf("%s has a mode of its own", f.Name)
		}
		if f.Choices&Synchronising != 0 && f.HasTrait(Synchronises) {
			t.Errorf("%s synchronises already", f.Name)
		}
	}
}

// TestChoicesOfForms: a function and its form with large counts leave the same open.
func TestChoicesOfForms(t *testing.T) {
	for _, f := range Functions() {
		if f.Choices != f.Narrow.Choices {
			t.Errorf("%s: %s, but %s: %s", f.Name, f.Choices, f.Narrow.Name, f.Narrow.Choices)
		}
	}
}

func TestChoiceNames(t *testing.T) {
	for _, c := range AllChoices() {
		if got, err := ParseChoice(c.String()); got != c || err != nil {
			t.Errorf("%s is read as %s, %v", c, got, err)
		}
	}
	if _, err := ParseChoice("luck"); err == nil {
		t.Error("an unknown word is taken")
	}
}

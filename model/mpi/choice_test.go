package mpi

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

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
		checktest.Equal(t, want, got, name, "has the form")
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
		checktest.Equal(t, f.Narrow.Choices, f.Choices, f.Name, "but", f.Narrow.Name)
	}
}

func TestChoiceNames(t *testing.T) {
	for _, c := range AllChoices() {
		checktest.Equal(t, c, musttest.Get(ParseChoice(c.String()))(t), "is read as")
	}
	if _, err := ParseChoice("luck"); err == nil {
		t.Error("an unknown word is taken")
	}
}

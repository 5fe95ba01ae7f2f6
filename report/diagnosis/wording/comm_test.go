package wording

import (
	"testing"

	"laggard/analysis/progress"
	"laggard/internal/checktest"
	"laggard/model"
	"laggard/report"
)

// TestComm: a communicator is named by its members and the call that made it, and by its ID too if that call made several with
// these members.
func TestComm(t *testing.T) {
	ref := func(id uint64, kind model.CommKind, ranks ...int) model.CommRef {
		return model.CommRef{ID: id, Kind: kind, Known: true, Members: model.NewRankSet(ranks...)}
	}
	split, dup, open := &model.State{Call: "MPI_Comm_split"}, &model.State{Call: "MPI_Comm_dup"}, &model.State{Call: "MPI_File_open"}
	var many []int
	for r := range 20 {
		many = append(many, 2*r)
	}
	row, column := ref(0xa1, model.Intra, 0, 1), ref(0xa2, model.Intra, 1, 3)
	one, two := ref(0xb1, model.Intra, 0, 1, 2), ref(0xb2, model.Intra, 0, 1, 2)
	wide, file := ref(0xc1, model.Intra, many...), ref(0xd1, model.File, 0, 1)
	names := NewNames([]progress.Maker{
		{On: row, State: split}, {On: column, State: split},
		{On: one, State: dup}, {On: two, State: dup}, {On: wide, State: split}, {On: file, State: open},
	},
		func(s *model.State) report.Site {
			if s == open {
				return report.Site{}
			}
			return report.Site{File: "/src/grid.c", Line: 21}
		})
	for _, c := range []struct {
		on   model.CommRef
		want string
	}{
		{row, "the communicator of ranks 0-1 from MPI_Comm_split (grid.c:21)"},
		{column, "the communicator of ranks 1,3 from MPI_Comm_split (grid.c:21)"},
		{one, "the communicator b1 of ranks 0-2 from MPI_Comm_dup (grid.c:21)"},
		{two, "the communicator b2 of ranks 0-2 from MPI_Comm_dup (grid.c:21)"},
		{wide, "the communicator of 20 ranks from MPI_Comm_split (grid.c:21)"},
		{file, "the file of ranks 0-1 from MPI_File_open"},
		{ref(0xe1, model.Window, 0, 1), "window e1 of 2 ranks"},
		{ref(1, model.World, 0, 1), "MPI_COMM_WORLD"},
		{model.CommRef{ID: 5}, "an unknown communicator"},
	} {
		checktest.Equal(t, c.want, names.Comm(c.on))
	}
}

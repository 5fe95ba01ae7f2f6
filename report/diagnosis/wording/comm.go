package wording

import (
	"fmt"

	"laggard/model"
)

// Comm names a communicator, window or file.
func Comm(c model.CommRef) string {
	kind := "communicator"
	switch {
	case c.Kind == model.Self:
		return "MPI_COMM_SELF"
	case !c.Known:
		return "an unknown communicator"
	case c.Several:
		return "the MPI_COMM_WORLD of " + c.Members.Phrase()
	case c.Kind == model.World:
		return "MPI_COMM_WORLD"
	case c.Kind == model.Window:
		kind = "window"
	case c.Kind == model.File:
		kind = "file"
	}
	return fmt.Sprintf("%s %x of %d ranks", kind, c.ID, c.Members.Len())
}

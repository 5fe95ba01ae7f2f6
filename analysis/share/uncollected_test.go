package share

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
	"laggard/model/runfiles"
)

// TestUncollectedDir: a run that keeps its files on the nodes may have some there as long as none are here.
func TestUncollectedDir(t *testing.T) {
	x := &runfiles.Index{Dir: "run", Manifest: &model.Manifest{RunID: "1a", LiveDir: "/dev/shm"}}
	checktest.Equal(t, "/dev/shm/laggard-1a", UncollectedDir(x))
	checktest.Equal(t, "no rank left data here: their files may still be in /dev/shm/laggard-1a on their nodes; "+
		"when the job is over, laggard collect run there fetches them", UncollectedText(x))
	x.Manifest.LiveDir = ""
	checktest.Equal(t, "", UncollectedDir(x), "of a run that kept nothing there")
	checktest.Equal(t, "", UncollectedDir(nil))
}

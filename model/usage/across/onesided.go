package across

// windows is what a rank does to the memory of others.
type windows struct {
	held  []lock // locks that are open at the end
	waits []lock // calls that wait for a lock at the end
}

// lock is a lock of a window, or the wish for one.
type lock struct {
	step   int32
	comm   int32 // index into Digest.comms, of the window
	target int   // rank in the window, -1 all
}

type lockKey struct {
	window uint64
	target int
}

func (d *digester) addWindows() {}

func (j *job) checkWindows() {}

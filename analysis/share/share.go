package share

import (
	"laggard/model/runfiles"
	"laggard/reduce"
)

// Share is what one analysis rank reads of a run directory. Only analysis rank
// 0 lists the directory; each file is read by one analysis rank, or by those
// among which a large one is divided.
type Share struct {
	Comm  reduce.Comm
	Tree  *reduce.Tree
	Index *runfiles.Index // of the slots of this share
}

var (
	listings = reduce.JSON[*runfiles.Listing]()
	censuses = reduce.JSONMonoid(runfiles.MergeCensuses)
	claims   = reduce.JSONMonoid(runfiles.MergeClaims)
)

// Find scans this analysis rank's share of a run directory. All analysis ranks
// call it together; an error, such as [model.ErrNoRun], is the same at all.
func Find(dir string, c reduce.Comm, t *reduce.Tree) (*Share, error) {
	listing, err := List(dir, c, t)
	if err != nil {
		return nil, err
	}
	return OfListing(listing, c, t)
}

// List lists a run directory, at analysis rank 0 for all. All analysis ranks call it
// together, and get the same.
func List(dir string, c reduce.Comm, t *reduce.Tree) (listing *runfiles.Listing, err error) {
	if c.Rank() == 0 {
		listing, err = runfiles.List(dir)
	}
	return reduce.Broadcast(t, listings, listing, err)
}

// OfListing is Find in a run directory that was listed.
func OfListing(listing *runfiles.Listing, c reduce.Comm, t *reduce.Tree) (*Share, error) {
	part := listing.ScanPart(c.Rank(), c.Size())
	census, err := reduce.AllReduce(t, censuses, part.TakeCensus(), nil)
	if err != nil {
		return nil, err
	}
	verdict := census.DecideRun(listing.Manifest)
	mine := part.BestClaims(verdict)
	if verdict.Twice.Len() > 0 {
		if mine, err = reduce.AllReduce(t, claims, mine, nil); err != nil {
			return nil, err
		}
	}
	return &Share{Comm: c, Tree: t, Index: part.BuildIndex(verdict, mine)}, nil
}

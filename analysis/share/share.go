package share

import (
	"laggard/model"
	"laggard/reduce"
)

// Share is what one analysis rank reads of a run directory. Only analysis rank
// 0 lists the directory; each file is read by one analysis rank, or by those
// among which a large one is divided.
type Share struct {
	Comm  reduce.Comm
	Tree  *reduce.Tree
	Index *model.Index // of the slots of this share
}

var (
	listings = reduce.JSON[*model.Listing]()
	censuses = reduce.Monoid[model.Census]{
		Codec: reduce.JSON[model.Census](),
		Merge: func(a, b model.Census) (model.Census, error) { return model.MergeCensuses(a, b), nil },
	}
	claims = reduce.Monoid[model.Claims]{
		Codec: reduce.JSON[model.Claims](),
		Merge: func(a, b model.Claims) (model.Claims, error) { return model.MergeClaims(a, b), nil },
	}
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
func List(dir string, c reduce.Comm, t *reduce.Tree) (listing *model.Listing, err error) {
	if c.Rank() == 0 {
		listing, err = model.List(dir)
	}
	return reduce.Broadcast(t, listings, listing, err)
}

// OfListing is Find in a run directory that was listed.
func OfListing(listing *model.Listing, c reduce.Comm, t *reduce.Tree) (*Share, error) {
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

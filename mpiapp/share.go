package main

import (
	"encoding/json"

	"laggard/model"
	"laggard/model/progress"
	"laggard/reduce"
)

// share is what one analysis rank reads of a run directory. Only analysis rank
// 0 lists the directory; each file is read by one analysis rank, or by those
// among which a large one is divided.
type share struct {
	dir   string
	comm  reduce.Comm
	tree  *reduce.Tree
	index *model.Index
	kept  *progress.Keeper // the ranks, as far as they will be asked again
}

func asJSON[T any]() reduce.Codec[T] {
	return reduce.Codec[T]{
		Encode: func(v T) ([]byte, error) { return json.Marshal(v) },
		Decode: func(b []byte) (v T, err error) { return v, json.Unmarshal(b, &v) },
	}
}

var (
	listings = asJSON[*model.Listing]()
	censuses = reduce.Monoid[model.Census]{
		Codec: asJSON[model.Census](),
		Merge: func(a, b model.Census) (model.Census, error) { return model.MergeCensuses(a, b), nil },
	}
	claimed = reduce.Monoid[model.Claims]{
		Codec: asJSON[model.Claims](),
		Merge: func(a, b model.Claims) (model.Claims, error) { return model.MergeClaims(a, b), nil },
	}
)

// find scans this share of the directory, and agrees with the others on what
// belongs to the run.
func (s *share) find() error {
	var listing *model.Listing
	var err error
	if s.comm.Rank() == 0 {
		listing, err = model.List(s.dir)
	}
	if listing, err = reduce.Broadcast(s.tree, listings, listing, err); err != nil {
		return err
	}
	part := listing.Part(s.comm.Rank(), s.comm.Size())
	census, err := reduce.AllReduce(s.tree, censuses, part.Census(), nil)
	if err != nil {
		return err
	}
	verdict := census.Verdict(listing.Manifest)
	claims := part.Claims(verdict)
	if verdict.Twice.Len() > 0 {
		if claims, err = reduce.AllReduce(s.tree, claimed, claims, nil); err != nil {
			return err
		}
	}
	s.index = part.Index(verdict, claims)
	return nil
}

// look finds the share, decodes it some ranks at a time, and tells what all analysis ranks found.
// The summary has only this share.
func (s *share) look() (known facts, sum progress.Summary, err error) {
	if err := s.find(); err != nil {
		return facts{}, sum, err
	}
	f, folded := newFacts(), progress.NewSummariser()
	f.addProblems(s.index.Problems)
	eyes := newObserver()
	s.kept = progress.NewKeeper()
	s.index.Each(func(run *model.Run) {
		f.addProblems(run.Problems)
		for _, r := range run.Ranks {
			eyes.see(r, &f)
			folded.Add(r)
			s.kept.Keep(r)
		}
	})
	eyes.again(s.reread, &f)
	if known, err = reduce.AllReduce(s.tree, factsMonoid, f, nil); err != nil {
		return facts{}, sum, err
	}
	known.Damaged = known.Damaged.Union(s.index.Foreign)
	if known.Holes {
		known.Damaged = known.Damaged.Union(s.index.Missing())
	}
	sum, err = folded.Summary()
	return known, sum, err
}

// reread decodes the ranks of the share once more: the processes may live.
func (s *share) reread(f func(*model.Rank)) {
	s.index.Each(func(run *model.Run) {
		for _, r := range run.Ranks {
			f(r)
		}
	})
}

// infer asks the algorithm of the options, all analysis ranks together; the
// answer is at rank 0.
func (s *share) infer(sum *progress.Summary, o progress.Options) (progress.Partial, error) {
	local, err := progress.NewLocaliser(sum, o)
	var part progress.Partial
	if err == nil {
		s.kept.Each(local.Add)
		part = local.Partial()
	}
	return reduce.Reduce(s.tree, partials, part, err)
}

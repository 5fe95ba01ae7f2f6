package main

import "laggard/reduce"

// concluded puts the question to the analysis ranks and returns what the one that
// concludes, the first, made of it; nil where that one is another process.
func concluded[Q, R any](q Q, analysts int, work func(Q, reduce.Comm) (*R, error)) (*R, error) {
	var result *R
	err := inWorld(analysts, func(c reduce.Comm) error {
		r, err := work(q, c)
		if r != nil {
			result = r // one rank alone has any
		}
		return err
	})
	return result, aboutFlags(err)
}

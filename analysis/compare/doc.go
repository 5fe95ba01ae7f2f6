// Package compare answers what a bad run did that good runs of the same program never did, and where they first part.
//
// Each analysis rank reads its share of every run into profiles (profile.go): what a rank visited in which order, how often
// it went from one call to the next, with whom it exchanged messages, and its latest collectives. Ranks with equal profiles
// are one. At analysis rank 0 the places of all runs get common numbers (package place, places.go), each rank of the bad run
// is put beside ranks of the good runs that are like it (like.go), and what differs becomes findings: places and passages
// (structure.go), iterations (counts.go), messages and collectives (partners.go). What follows from another difference is
// folded into it, and the rest is put in order (order.go). A bad run that was cut off is judged by what it did, and not by
// what it had still to do (remaining.go). Ranks with the same differences are a class (class.go). Shares of the time (shares.go)
// stand beside the findings: they tell what was slow, and not what was done otherwise.
//
// The idea that abnormal states and transitions of a Markov model tell where a run went wrong is AutomaDeD's (DSN 2010).
package compare

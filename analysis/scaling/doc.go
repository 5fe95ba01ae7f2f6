// Package scaling answers whether a run at a large scale behaves as the small, good
// runs of the same program predict, which ranks do not, and at which call sites that
// shows (paper Vrisha, §3–§5). Every rank may be wrong in the same way: ranks are
// compared with the models, not with each other.
//
// Two questions belong together. [Train] makes models of the runs of a [Training];
// [Run] judges the run of a [Question] by them. Each analysis rank reads its share of
// a run with package recorded; the tables merge over the tree, and all analysis ranks
// have the whole. Each then does a part of the fitting (package training) or judges a
// part of the rows (package judge), and analysis rank 0 puts the parts together.
//
// A model has two halves. Kernel canonical correlation analysis (package kcca) sees
// the behaviour as a whole, but holds about one step of scale past training and is
// blind to sites with a small share of the bytes. A scaling model for each call site
// (package regression) sees single sites and reaches further; sites that it cannot
// predict are left out. The verdict says which of them it is by, and whether the run
// is inside the range of the models.
//
// docs/development/scaling.md has the form of the files, and docs/manual/scaling.md says where this fails.
package scaling

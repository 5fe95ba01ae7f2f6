// Package training makes the model of good runs, and reads and writes it. The work
// can be shared: [Fit] does one part of the fitting, a [Part] is a monoid (see
// [MergeParts]), and [Assemble] makes the [Model] of the merged parts. A file holds a
// [Trained]: a model for each source of volumes.
package training

// Package synth makes run directories of any size from recorded ones. It answers
// what laggard says of a job of a million ranks when there is no such machine
// (paper PDI §5, where up to 32,768 processes were diagnosed).
//
// Input is a recorded run, a template, with a few ranks, and a Config: how many
// ranks to make of them, where one of them hangs, and how much they differ.
// Output is a run directory as a recorder leaves it, in the form that
// nodefile.Folder writes, and the Truth: which ranks a diagnosis must name.
//
// A template's models are real. A rank that hangs earlier than its template has
// the history of the template less a way from that place to where the template
// was: all histories remain walks through the program. The others are where the
// hang of that rank holds them: its neighbours in the point-to-point waits that
// lie behind that place, everybody else in the next collective. Counters of
// messages and collectives say the same as the models.
package synth

// Package top shows how fast a job runs, as a terminal that is refreshed, as text or as JSON. [New] makes a [Snapshot] of
// what package slowness found, [Snapshot.Draw] the lines of a screen, and [Terminal] shows them until the user quits.
package top

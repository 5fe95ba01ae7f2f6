// Package floors holds the test that the recorder's folders are floors, as the
// table in recorder/README.md lists them.
package floors

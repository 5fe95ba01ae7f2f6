package main

import (
	"fmt"
	"slices"
	"strings"
)

// recordable are the things that can be recorded, in the order they are named.
var recordable = []string{"progress", "usage", "movement", "volume"}

// belowMPI tells what is seen only from before functions of the C library.
func belowMPI(what string) bool { return what == "movement" || what == "volume" }

// recordList brings a list of things to record into order, each once; progress
// is always among them.
func recordList(wanted []string) ([]string, error) {
	for _, w := range wanted {
		if !slices.Contains(recordable, w) {
			return nil, fmt.Errorf("%q: it is one of %s", w, strings.Join(recordable, ", "))
		}
	}
	list := slices.Clone(recordable)
	return slices.DeleteFunc(list, func(r string) bool { return r != "progress" && !slices.Contains(wanted, r) }), nil
}

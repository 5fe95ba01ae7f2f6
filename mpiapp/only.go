package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"laggard/analysis/progress"
	"laggard/analysis/share"
	"laggard/analysis/slice"
	"laggard/model"
	"laggard/reduce"
)

// parseRanks reads the value of --ranks, nil if there is none.
func parseRanks(text string) (*model.RankSet, error) {
	if text == "" {
		return nil, nil
	}
	set, err := model.ParseRankSet(text)
	if err != nil {
		return nil, usageError{fmt.Errorf("--ranks: %w", err)}
	}
	return &set, nil
}

// parseComm reads the value of --comm, 0 if there is none.
func parseComm(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
	if err != nil || id == 0 {
		return 0, usageError{fmt.Errorf("--comm %q: it is a hexadecimal number, as the report has it", text)}
	}
	return id, nil
}

// aboutFlags makes an error about what a flag asks for a wrong command line. It
// stays one of all analysis ranks, so that only one of them prints it.
func aboutFlags(err error) error {
	shared, ok := errors.AsType[*reduce.RankError](err)
	if !ok {
		return err
	}
	flag := func(text string) error {
		return usageError{&reduce.RankError{Rank: shared.Rank, Err: fmt.Errorf(text, shared.Err)}}
	}
	if _, ok := errors.AsType[*share.RanksError](err); ok {
		return flag("--ranks: %w")
	}
	if _, ok := errors.AsType[*progress.CommError](err); ok {
		return flag("--comm %w")
	}
	if _, ok := errors.AsType[*slice.RankError](err); ok {
		return flag("--rank %w")
	}
	return err
}

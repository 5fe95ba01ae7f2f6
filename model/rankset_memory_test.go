package model_test

import (
	"strings"
	"testing"

	"laggard/model"
	"laggard/model/modeltest"
)

func TestRankSetMemory(t *testing.T) {
	text := strings.Repeat("0-2147483647,", 10_000) + "5"
	if n := modeltest.AllocatedBytes(func() { model.ParseRankSet(text) }); n > 32<<20 {
		t.Errorf("%d bytes allocated for all ranks, named again and again", n)
	}
}

package recorded_test

import (
	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/usagetest"
)

func init() { recorded.Dump = usagetest.Dump }

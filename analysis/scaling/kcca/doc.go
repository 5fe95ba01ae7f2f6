// Package kcca is kernel canonical correlation analysis (paper Vrisha, §3 and §5.2):
// two projections, from the control features and from the behaviour, that correlate
// in good runs. A rank whose two projections do not correlate is flagged.
//
// Input are two matrices with a row for each rank of each run, output a [Model]. A
// [Validator] tries settings in cross validation.
package kcca

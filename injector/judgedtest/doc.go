// Package judgedtest measures how well the confidence of a diagnosis is calibrated: how often diagnoses
// are right, against the confidence that they state. Tests add their cases to the file that
// LAGGARD_JUDGED names; TestCalibration in package injector makes the table in docs/results/calibration.md of them.
package judgedtest

#!/bin/sh
# A suite as a job array of LSF: each job runs one part of the cells.
#
#   bsub -J 'popbench[1-8]' -n 2 -R 'span[hosts=1]' -r -o 'popbench-%J-%I.log' \
#     scripts/lsf/array.sh paper-gp-12d
#   bench merge results/paper-gp-12d      # when all jobs are done
#
# Further arguments go to bench run, e.g. --out FOLDER. The folder must be on a file system that all
# nodes share. Bench gets its part from LSB_JOBINDEX; the indices have to begin at 1.
#
# BENCH is the program: build it once, with go build -o bin/ ./cmd/bench.

set -eu
suite=${1:?usage: bsub -J 'NAME[1-N]' array.sh SUITE [bench run flags]}
shift
# exec, so that bench gets the signals that LSF sends before it kills.
exec "${BENCH:-./bin/bench}" run "$suite" --workers "${LSB_DJOB_NUMPROC:-1}" "$@"

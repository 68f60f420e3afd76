#!/bin/sh
# A suite as a job array of PBS: each job runs one part of the cells.
#
#   qsub -J 1-8 -v SUITE=paper-gp-12d,PARTS=8 scripts/pbs/array.sh
#   bench merge results/paper-gp-12d      # when all jobs are done
#
# PARTS is the size of the array, because PBS tells a job its index but not the size. The indices
# begin at 1. FLAGS has further flags of bench run, e.g. '--out FOLDER'. The folder must be on a file
# system that all nodes share. With Torque, give -t 1-8 and -l nodes=1:ppn=2.
#
# BENCH is the program: build it once, with go build -o bin/ ./cmd/bench.
#
#PBS -N popbench
#PBS -l select=1:ncpus=2:mem=2gb
#PBS -r y
#PBS -j oe

set -eu
cd "${PBS_O_WORKDIR:-.}"
: "${SUITE:?is missing; give -v SUITE=NAME,PARTS=N}" "${PARTS:?is missing; give the size of the array}"
index=${PBS_ARRAY_INDEX:-${PBS_ARRAYID:?is missing; submit an array, with -J 1-N}}
# exec, so that bench gets the signals that PBS sends before it kills.
# shellcheck disable=SC2086 # several flags
exec "${BENCH:-./bin/bench}" run "$SUITE" --shard "$index/$PARTS" --workers "${NCPUS:-${PBS_NUM_PPN:-1}}" ${FLAGS:-}

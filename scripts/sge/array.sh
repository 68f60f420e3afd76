#!/bin/sh
# A suite as an array job of Grid Engine: each task runs one part of the cells.
#
#   qsub -t 1-8 scripts/sge/array.sh paper-gp-12d
#   bench merge results/paper-gp-12d      # when all tasks are done
#
# Further arguments go to bench run, e.g. --out FOLDER. The folder must be on a file system that all
# nodes share. Bench gets its part from SGE_TASK_ID. "smp" is the name of a parallel environment on one
# machine; qconf -spl lists those of your site.
#
# BENCH is the program: build it once, with go build -o bin/ ./cmd/bench.
#
#$ -N popbench
#$ -S /bin/sh
#$ -cwd
#$ -pe smp 2
#$ -r y
#$ -j y

set -eu
suite=${1:?usage: qsub -t 1-N array.sh SUITE [bench run flags]}
shift
# exec, so that bench gets the signals that Grid Engine sends before it kills.
exec "${BENCH:-./bin/bench}" run "$suite" --workers "${NSLOTS:-1}" "$@"

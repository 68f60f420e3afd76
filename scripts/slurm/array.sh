#!/bin/sh
# A suite as a Slurm job array: each task runs one part of the cells.
#
#   sbatch --array=1-8 scripts/slurm/array.sh configs/paper/gp-12d.yaml
#   bench merge results/paper-gp-12d      # when all tasks are done
#
# Further arguments go to bench run, e.g. --out FOLDER. The folder must be on a file system that all
# nodes share. Bench gets its part from SLURM_ARRAY_TASK_ID. If a node fails, Slurm queues its task
# again, and the task continues with the missing cells.
#
# BENCH is the program: build it once, with go build -o bin/ ./cmd/bench.
#
#SBATCH --job-name=popbench
#SBATCH --cpus-per-task=2
#SBATCH --mem=2G
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%x-%A_%a.log

set -eu
suite=${1:?usage: sbatch --array=1-N array.sh SUITE.yaml [bench run flags]}
shift
# exec, so that bench gets the signals that Slurm sends before it kills. bench then stops
# immediately and keeps all finished cells.
exec "${BENCH:-./bin/bench}" run "$suite" --workers "${SLURM_CPUS_PER_TASK:-1}" "$@"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ring_model.sh - check the models of the ring and of delivery with Spin
#
# Each model must pass its whole state space, in worlds small enough for that; each
# broken variant must fail, for a model that cannot fail proves nothing; and each
# statement must be reached in some world, because nothing is proved about the others.
# "unreached: PROCESS N" in a model: exactly so many statements of that process are
# not reached, and the model says why.  The models describe the worlds and variants.
#
# Only a small world and a few broken variants of each model run, those marked with
# "always"; with ETW_WHOLE=1 (make check-models, make check-matrix) all of them do.
# TAP on standard output.

set -u

models=$(cd "$(dirname "$0")/../../../module/model" && pwd)
cc=${CC:-cc}
whole=${ETW_WHOLE:-}
selected=$whole
model=
world=
count=0
failed=0

for tool in spin "$cc"; do
	if ! command -v "$tool" >/dev/null 2>&1; then
		echo "1..0 # SKIP $tool is not installed"
		exit 0
	fi
done

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# result STATUS NAME: print one line; if it failed, also pan's output.
result()
{
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $model: $2"
	else
		echo "not ok $count - $model: $2"
		sed 's/^/# /' "$dir/out"
		failed=1
	fi
}

# search OPTIMISATION OPTION...: run the checker, its output to $dir/out
search()
{
	optimisation=$1
	shift
	rm -f "$dir"/pan*
	(
		cd "$dir" &&
		spin -a "$@" "$models/$model.pml" &&
		"$cc" -w "$optimisation" -DSAFETY -DCOLLAPSE -DMEMLIM=8000 -o pan pan.c &&
		./pan -m20000 -w20
	) >"$dir/out" 2>&1
}

# The whole space was searched and no assertion failed.
passed()
{
	grep -q 'errors: 0$' "$dir/out" &&
	! grep -Eq 'not completed|too small|out of memory|violated' "$dir/out"
}

# An assertion failed, rather than the build or the search.
refuted()
{
	grep -q 'assertion violated' "$dir/out" &&
	grep -q 'errors: 1$' "$dir/out"
}

# statements FILE: "process file:line number" of the statements that pan lists there
statements()
{
	awk '
		/^unreached in/ { process = $NF }
		match($0, /[^\/]*\.pml:[0-9]+, state [0-9]+/) {
			split(substr($0, RSTART, RLENGTH), part, ", state ")
			if (!seen[process, part[1], part[2]]++)
				number[process " " part[1]]++
		}
		END { for (key in number) print key, number[key] }' "$dir/$1"
}

# reach: add to $dir/$model.reach the lines of the model that this world contains, and how
# much of them it leaves unreached.  A search that ends immediately lists all.
reach()
{
	(cd "$dir" && ./pan -m1 -w10 >all 2>&1)
	{
		statements out | sed 's/^/left /'
		statements all | sed 's/^/all /'
	} | awk '
		{ key = $2 " " $3 }
		$1 == "left" { left[key] = $4; next }
		{ print key, left[key] + 0 }' >>"$dir/$model.reach"
}

# covered: the lines that no world reaches are those that the model lists
covered()
{
	[ -n "$whole" ] || return 0
	awk '
		FILENAME ~ /\.reach$/ {
			key = $1 " " $2
			if (!(key in least) || $3 < least[key])
				least[key] = $3
			next
		}
		FNR == 1 { name = FILENAME; sub(/.*\//, "", name) }
		match($0, /unreached: [a-z_0-9, ]*/) {
			n = split(substr($0, RSTART + 11, RLENGTH - 11), note, / *, */)
			for (i = 1; i <= n; i++) {
				split(note[i], word, " ")
				said[word[1] " " name] = word[2]
			}
		}
		END {
			for (key in least) {
				process = key
				sub(/:.*/, "", process)
				sum[process] += least[key]
				if (least[key])
					lines[process] = lines[process] "\n" key ": " least[key]
			}
			for (process in sum)
				if (sum[process] != said[process] + 0)
					print sum[process] " never reached in " process lines[process]
		}' "$dir/$model.reach" "$models"/*.pml >"$dir/out"
	[ -s "$dir/$model.reach" ] && [ ! -s "$dir/out" ]
	result $? "every statement is reached"
}

# pass OPTIMISATION NAME OPTION...
pass()
{
	[ -n "$selected" ] || return 0
	optimisation=$1 name=$2
	shift 2
	# pan lists the statements of an atomic, but neither those of a d_step nor those
	# that spin merges with others (-o3: none).
	search "$optimisation" -o3 -Dd_step=atomic "$@"
	passed
	status=$?
	result "$status" "$name: $(awk '/states, stored/ { print $1 }' "$dir/out") states"
	[ "$status" -ne 0 ] || [ -z "$whole" ] || reach
}

# always COMMAND...: run COMMAND even in the short run
always()
{
	selected=1
	"$@"
	selected=$whole
}

# must_pass NAME OPTION...
must_pass()
{
	pass -O2 "$@"
}

# small_pass NAME OPTION...: like must_pass, for a search shorter than its compilation
small_pass()
{
	pass -O0 "$@"
}

# must_fail NAME OPTION...: in the world of $world
must_fail()
{
	[ -n "$selected" ] || return 0
	name=$1
	shift
	# shellcheck disable=SC2086 # the world is a list of options
	search -O0 $world "$@"
	refuted
	result $? "broken as it should be: $name"
}

# ------------------------------------------------- writers, pool, order
model=ring
always small_pass "one CPU, an interrupt" -DOTHER_ACTIONS=0
must_pass "two CPUs, an interrupt"
must_pass "one CPU, an interrupt and an NMI" -DNMI_ACTIONS=1 -DOTHER_ACTIONS=0
always small_pass "one CPU, an interrupt, events that cannot be read" \
	-DOTHER_ACTIONS=0 -DUNREADABLE=1
must_pass "two CPUs, an interrupt, events that cannot be read" -DUNREADABLE=1
covered

always must_fail "no generation in cur" -DNO_GENERATION=1
must_fail "offset kept in the buffer" -DOFFSET_IN_BUFFER=1
always must_fail "commit without bias" -DNO_BIAS=1
must_fail "BIAS or more is enough" -DAT_LEAST_BIAS=1
must_fail "pool head without tag" -DNO_TAG=1
must_fail "buffers read in the order of delivery" -DNO_ORDER=1
always must_fail "clock read before cur" -DCLOCK_FIRST=1
always must_fail "undo without a look at cur" -DUNREADABLE=1 -DUNDO_BLINDLY=1

# ------------------------------------------------- free buffers on several nodes
model=pool
world=
always small_pass "three users, two nodes"
small_pass "four users" -DUSERS=4
covered

always must_fail "a push counts first" -DCOUNT_FIRST=1
world=-DKEEP=2
must_fail "a claim that does not look again" -DCLAIM_BLINDLY=1

# ------------------------------------------------- flush, CPU hotplug, stop
model=ring_deliver
small_pass "two CPUs, timer" -DWRITES0=2 -DWRITES1=1
must_pass "two CPUs, timer, FLUSH" -DWRITES0=1 -DWRITES1=1 -DFLUSHES=1
always small_pass "one CPU, timer, FLUSH" -DWRITES0=2 -DFLUSHES=1
must_pass "a CPU that dies with a full buffer and returns, timer" -DWRITES1=3 -DHOTPLUG=2
must_pass "two CPUs, one dies and returns, timer" -DWRITES0=1 -DWRITES1=1 -DHOTPLUG=2
small_pass "a CPU that dies, timer, FLUSH" -DWRITES1=2 -DHOTPLUG=1 -DFLUSHES=1
must_pass "a CPU that dies and fails to return, timer, FLUSH" -DWRITES1=1 -DHOTPLUG=3 -DFLUSHES=1
small_pass "two CPUs, timer, STOP" -DWRITES0=1 -DWRITES1=1 -DSTOP=1
must_pass "a CPU that dies and returns, timer, STOP" -DWRITES1=2 -DHOTPLUG=2 -DSTOP=1
small_pass "empty pool, two CPUs, FLUSH" -DEMPTY=1 -DWRITES0=1 -DWRITES1=1 -DFLUSHES=1
small_pass "empty pool, two CPUs, STOP" -DEMPTY=1 -DWRITES0=1 -DWRITES1=1 -DSTOP=1
small_pass "empty pool, two CPUs, one dies" -DEMPTY=1 -DWRITES0=1 -DWRITES1=1 -DHOTPLUG=1
must_pass "empty pool, a CPU that dies and fails to return" -DEMPTY=1 -DWRITES1=2 -DHOTPLUG=3
always small_pass "one CPU, a writer dies, timer" -DWRITES0=4 -DDEATHS=1
must_pass "two CPUs, a writer dies, FLUSH" -DWRITES0=1 -DWRITES1=1 -DDEATHS=1 -DFLUSHES=1
must_pass "a CPU dies in whose buffer a writer died" -DWRITES1=3 -DHOTPLUG=1 -DDEATHS=1
must_pass "two CPUs, a writer dies, STOP" -DWRITES0=2 -DWRITES1=1 -DDEATHS=1 -DSTOP=1
covered

world="-DWRITES0=4 -DDEATHS=1"
always must_fail "a writer dies, nothing marked" -DBROKEN=NO_MARK
world="-DWRITES0=2 -DDEATHS=1"
must_fail "no grace period before marked buffers are abandoned" -DBROKEN=NO_GRACE_DRAIN
world="-DWRITES0=2 -DWRITES1=1"
always must_fail "flush_armed cleared after the look for buffers" -DBROKEN=CLEAR_LATE
must_fail "no grace period before the look (D)" -DBROKEN=NO_GRACE_CLOSE
must_fail "timer queued before flush_armed is set" -DBROKEN=ARM_LATE
must_fail "a flush wanted after the irq_work that starts the timer" -DBROKEN=WANT_LATE
world="-DWRITES0=2 -DFLUSHES=1"
always must_fail "FLUSH does not wait for slots being filled" -DBROKEN=NO_GRACE_DRAIN
world="-DWRITES1=3 -DHOTPLUG=1"
must_fail "a dead CPU's buffer stays open" -DBROKEN=NO_CLOSE_DEAD
must_fail "no kick after a CPU's death" -DBROKEN=NO_KICK_DEAD
world="-DWRITES1=1 -DHOTPLUG=1 -DEMPTY=1"
must_fail "no kick after the death of a CPU that found the pool empty" -DBROKEN=NO_KICK_DEAD
world="-DWRITES1=2 -DHOTPLUG=2"
always must_fail "no kick after a CPU's return" -DBROKEN=NO_KICK_UP
must_fail "a CPU that returns forgets its generation" -DBROKEN=LOSE_GENERATION
world="-DWRITES0=1 -DWRITES1=1 -DHOTPLUG=1"
must_fail "irq_work queued on a CPU that is not online" -DBROKEN=RAISE_OFFLINE
world="-DWRITES1=1 -DHOTPLUG=1 -DSTOP=1"
must_fail "irq_work queued on a CPU that is not online, STOP" -DBROKEN=RAISE_OFFLINE
world="-DWRITES0=1 -DWRITES1=1 -DSTOP=1"
must_fail "STOP without a grace period" -DBROKEN=NO_GRACE_STOP
must_fail "STOP does not wait for the irq_work of the last flush" -DBROKEN=NO_GRACE_IRQ
must_fail "STOP closes nothing" -DBROKEN=NO_CLOSE_ALL
must_fail "works ended before the irq_work" -DBROKEN=CANCEL_FIRST
always must_fail "no final drain" -DBROKEN=NO_FINAL_DRAIN

# ------------------------------------------------- queue and consumers
model=consumer
small_pass "two consumers" -DFILLS=6 -DOPENS=2
always small_pass "two consumers that hold two buffers each" -DFILLS=5 -DHELD_MAX=2
small_pass "three consumers" -DFILLS=5 -DCONSUMERS=3
small_pass "two consumers, two buffers kept free" -DFILLS=7 -DSTART=4 -DLOW=2
covered

world="-DFILLS=6"
must_fail "held not looked at when a buffer leaves the queue" -DBROKEN=FORGET_HELD
must_fail "pending not looked at when one is given back" -DBROKEN=FORGET_PENDING
always must_fail "drop not counted" -DBROKEN=DROP_UNCOUNTED
must_fail "drop counted for those who took the buffer" -DBROKEN=DROP_FOR_ALL
must_fail "backlog of all dropped without need" -DBROKEN=DROP_EAGERLY
must_fail "newest buffer dropped" -DBROKEN=DROP_TAIL
always must_fail "closed with buffers held" -DBROKEN=CLOSE_HOLDING
must_fail "closed and still pending" -DBROKEN=CLOSE_PENDING
must_fail "backlog not counted for the first consumer" -DBROKEN=OPEN_UNCOUNTED
must_fail "need forgotten where a drop made no room" -DBROKEN=FORGET_DRY
world="-DFILLS=7 -DSTART=4 -DLOW=2"
must_fail "backlog of all dropped after that of the slower" -DBROKEN=STALE_DRY

# ------------------------------------------------- BUFFERING
model=fifo
must_pass "two CPUs, an interrupt, eviction" -DFLUSHES=0 -DOTHER_FILLS=2
always small_pass "pushes refused by a queue that is too small" -DFLUSHES=0 -DCELLS=1
must_pass "two CPUs, an interrupt, snapshot" -DTASK_FILLS=1 -DIRQ_FILLS=1
small_pass "one CPU, interrupts, snapshot" -DIRQ_FILLS=1 -DOTHER_FILLS=0
small_pass "one CPU, two snapshots" -DTASK_FILLS=4 -DIRQ_FILLS=0 -DOTHER_FILLS=0 -DFLUSHES=2
small_pass "two CPUs, snapshot, out of memory" -DTASK_FILLS=2 -DIRQ_FILLS=0 -DBUFFERS=3
small_pass "one CPU, two snapshots, out of memory" \
	-DTASK_FILLS=4 -DIRQ_FILLS=0 -DOTHER_FILLS=0 -DFLUSHES=2 -DBUFFERS=3
covered

world="-DFLUSHES=0"
always must_fail "pop without an entry" -DPOP_UNASKED=1
must_fail "entry read after head has moved" -DREAD_LATE=1
must_fail "cell stored, not exchanged" -DPUSH_STORES=1
must_fail "eviction not counted" -DEVICT_UNCOUNTED=1
must_fail "STOP forgets the queue" -DNO_DISCARD=1
world="-DFLUSHES=0 -DCELLS=1"
must_fail "push into a full queue" -DPUSH_UNASKED=1
must_fail "refused buffer not counted" -DREFUSED_UNCOUNTED=1
world="-DTASK_FILLS=1 -DIRQ_FILLS=0 -DOTHER_FILLS=1"
always must_fail "tail moved before the cell is stored" -DTAIL_FIRST=1
must_fail "snapshot gives no spare buffers" -DNO_EXCHANGE=1

# ------------------------------------------------- counters that wrap
model=ring_wrap
world=
always small_pass "generations: 2^n buffers" -DWORLD=1 -DBOUND=8
always must_fail "one buffer more" -DWORLD=1 -DBOUND=9
must_fail "generations by sign: 2^(n-1) + 2 buffers" -DWORLD=1 -DBOUND=6 -DBY_SIGN=1
small_pass "generations by sign: one less" -DWORLD=1 -DBOUND=5 -DBY_SIGN=1
always small_pass "snapshot: 2^(n-1) - 1 generations either way" -DWORLD=4 -DBOUND=3
must_fail "one generation more" -DWORLD=4 -DBOUND=4
must_fail "snapshot by the distance from the last one" -DWORLD=4 -DBOUND=3 -DNO_BASE=1
always small_pass "tag: 2^n - 1 operations in an interruption" -DWORLD=2 -DBITS=2 -DBOUND=3
must_fail "one operation more" -DWORLD=2 -DBITS=2 -DBOUND=4
small_pass "generation in cur: 2^n - 1 buffers in an interruption" -DWORLD=3 -DBITS=2 -DBOUND=3
must_fail "one buffer more" -DWORLD=3 -DBITS=2 -DBOUND=4
covered

# missed NAME WORLD SWITCH...: fails with store buffers that drain in any order
missed()
{
	name=$1 on=$2
	shift 2
	must_fail "$on without $name" "-DWORLD=$on" "$@"
}

# free_on_tso NAME WORLD SWITCH...: like missed, but passes if they drain in order
free_on_tso()
{
	missed "$@"
	name=$1 on=$2
	shift 2
	small_pass "$on without $name, TSO" "-DWORLD=$on" -DTSO=1 "$@"
}

# both WORLD: passes with all barriers, on both machines
both()
{
	small_pass "$1" "-DWORLD=$1"
	small_pass "$1, TSO" "-DWORLD=$1" -DTSO=1
}

model=ring_order
always both RING
both FIFO
always free_on_tso "A" RING -DNO_A=1
free_on_tso "B" RING -DNO_B=1
free_on_tso "C" FIFO -DNO_C=1
covered

model=ring_order_rcu
both TIMER
always both TABLE
both SNAPSHOT
both SLOTS
always missed "D" TIMER -DNO_D_GRACE=1
missed "D, TSO" TIMER -DNO_D_GRACE=1 -DTSO=1
free_on_tso "E" TABLE -DNO_E=1
free_on_tso "A" TABLE -DNO_A=1
always missed "the grace period of E" TABLE -DNO_E_GRACE=1
missed "the grace period of E, TSO" TABLE -DNO_E_GRACE=1 -DTSO=1
free_on_tso "F" SNAPSHOT -DNO_F=1
missed "the grace period of F" SNAPSHOT -DNO_F_GRACE=1
missed "the grace period of F, TSO" SNAPSHOT -DNO_F_GRACE=1 -DTSO=1
free_on_tso "G of the slots" SLOTS -DNO_G=1
free_on_tso "G of a registration" SLOTS -DNO_G_REG=1
covered

echo "1..$count"
exit $failed

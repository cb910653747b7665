# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What to look for in a kernel's log. Sourced by selftests/run.sh and by
# selftests/fuzz/guest.sh, in the VM.
# shellcheck disable=SC2034

# What a kernel says when something went wrong in it.
bad_log='WARNING|BUG:|BUG at|\bBUG\b.*(KASAN|KFENCE|KCSAN)|Oops|Call Trace|cut here|refcount_t|rcu.*(stall|self-detected)'
bad_log+='|(K[ACM]SAN|UBSAN|KFENCE):|general protection fault|possible (recursive|circular|irq|deadlock|unsafe)'
bad_log+='|blocked for more than|soft lockup|hard LOCKUP|scheduling while atomic|sleeping function'
bad_log+='|INFO: (task|lockdep|rcu|trying)|corruption|suspicious RCU|bad page|Bad page|kmemleak|unable to handle'
bad_log+='|use-after-free|double free|page allocation failure|Kernel panic|stack-protector|invalid opcode'
# And what is no such thing though it looks like it.
harmless='Spectre V|perf: interrupt took too long|traps: |module verification failed'
# Fault injection makes kmemleak's own memory fail too.
harmless+='|kmemleak: Cannot allocate a scan area'
# The frame-pointer unwinder's of an NMI in the midst of a switch of tasks, when
# the stack is not that of the current one: its limit, whoever asks for a stack.
harmless+="|kernel stack regs at .* has bad 'bp' value"
# The same unwinder's, of an NMI that came before the one before it had left its stack.
harmless+='|stack recursion on stack type '

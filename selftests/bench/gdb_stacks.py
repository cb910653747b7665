# SPDX-License-Identifier: GPL-2.0-only
"""
gdb_stacks.py - a script for gdb: run a program, and write its stack at each system call

The file named by ETW_STACKS gets a line for each: the thread, and the addresses, innermost first.
ETW_SAMPLES of them are enough; the program then ends.
"""
import os

import gdb

ENOSYS = 38		# what rax is where a system call begins


def frames():
	found = []
	frame = gdb.newest_frame()
	while frame and frame.is_valid():
		# Not what was inlined, nor functions that gdb knows were left by a jump
		if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
			found.append(frame.pc())
		# The loader's has no tables, and gdb would take the arguments for callers.
		if frame.name() in ('_start', '_dl_start_user'):
			break
		try:
			frame = frame.older()
		except gdb.error:
			break
	return found


def main():
	left = int(os.environ['ETW_SAMPLES'])
	for command in ('set pagination off', 'set confirm off', 'set debuginfod enabled off',
			'set startup-with-shell off', 'set backtrace past-main on',
			'set backtrace limit unlimited',
			'handle all nostop noprint pass', 'catch syscall'):
		gdb.execute(command, to_string=True)
	with open(os.environ['ETW_STACKS'], 'w', encoding='ascii') as out:
		gdb.execute('run', to_string=True)
		while left and gdb.selected_inferior().pid:
			if int(gdb.parse_and_eval('(long)$rax')) == -ENOSYS:
				tid = gdb.selected_thread().ptid[1]
				out.write(f'{tid} {",".join(map(str, frames()))}\n')
				left -= 1
			gdb.execute('continue', to_string=True)
	# It may have no end of its own.
	if gdb.selected_inferior().pid:
		gdb.execute('kill', to_string=True)


main()

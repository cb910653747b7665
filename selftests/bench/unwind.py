#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
unwind.py SAMPLES - stacks that etw unwinds, frame by frame against those that gdb finds

Runs as root where etw.ko is loaded. Debian's own python3, perl, node and coreutils make system
calls under gdb, which walks their stacks at each; a session records the same calls with
copies of the stacks. Prints for each program how many are equal, how many etw says are cut, and how
many differ; fails if fewer than 99 of 100 are equal.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ETW = os.path.join(os.environ.get('ETW_BUILD', os.path.join(HERE, '../../build')), 'etw')
LEAST = 0.99
KERNEL = 1 << 63
PYTHON = '''
import json, os, re
def walk(depth, path):
	if depth:
		return walk(depth - 1, path)
	for name in sorted(os.listdir(path)):
		re.sub("[a-z]", lambda m: str(os.stat(path) and m), name)
while True:
	walk(12, "/usr/include/linux")
'''
PERL = '''
use File::Find;
sub deeper { my $n = shift; $n ? deeper($n - 1) : find(sub { -s $_ }, "/usr/include") }
deeper(10) while 1;
'''
NODE = '''
const fs = require("fs");
function deeper(n) { n ? deeper(n - 1) : fs.readdirSync("/usr/include").forEach(f => fs.statSync("/usr/include/" + f)); }
setInterval(() => [3, 1, 2].sort((a, b) => { deeper(10); return a - b; }), 1);
'''
# What runs, a script for it, and the part of the samples. Without a shell gdb knows no quotes.
PROGRAMS = [
	(['/usr/bin/python3'], PYTHON, 4),
	(['/usr/bin/perl'], PERL, 4),
	(['/usr/bin/node'], NODE, 4),
	(['/usr/bin/ls', '-lR', '/usr/include'], None, 8),
	(['/usr/bin/du', '-a', '/usr/include'], None, 8),
]


def gdb_stacks(path):
	stacks = collections.defaultdict(list)
	with open(path, encoding='ascii') as lines:
		for line in lines:
			tid, frames = line.split()
			stacks[int(tid)].append([int(frame) for frame in frames.split(',')])
	return stacks


def etw_stacks(file):
	"""The addresses of the program, and whether more are missing, by thread"""
	stacks, now = collections.defaultdict(list), None
	dump = subprocess.run([ETW, 'dump', '--stack', file], stdout=subprocess.PIPE, text=True,
			      errors='replace', check=True)
	for line in dump.stdout.splitlines():
		event = re.match(r'\S+ \S+ \[\d+\] .*-\d+/(\d+) tracepoint:raw_syscalls:sys_enter ', line)
		frame = re.match(r' +(0x[0-9a-f]{16})', line)
		if event:
			now = [[], False]
			stacks[int(event[1])].append(now)
		elif frame and now and not line.endswith('(inlined)') and int(frame[1], 16) < KERNEL:
			now[0].append(int(frame[1], 16))
		elif line.startswith(' ') and now and 'not known' in line:
			now[1] = True
	return stacks


def record(command, samples, folder):
	stacks, file = os.path.join(folder, 'stacks'), os.path.join(folder, 'trace.etl')
	environment = {**os.environ, 'ETW_STACKS': stacks, 'ETW_SAMPLES': str(samples)}
	name = os.path.basename(os.path.realpath(command[0]))
	subprocess.run([ETW, 'record', '-p', 'tracepoint:raw_syscalls:sys_enter', '--exe', name,
			'--with', 'user-stack', '--buffer-size', '1024', '--max-buffers', '64', '-o', file,
			'--', 'timeout', '-k', '5', '1200', 'gdb', '-nx', '-q', '-batch',
			'-x', os.path.join(HERE, 'gdb_stacks.py'), '--args', *command],
		       env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
		       stderr=subprocess.DEVNULL, check=False)
	return gdb_stacks(stacks), etw_stacks(file)


def compare(command, script, samples):
	equal = cut = other = 0
	with tempfile.TemporaryDirectory(dir='/run') as folder:
		if script:
			command = [*command, os.path.join(folder, 'script')]
			with open(command[-1], 'w', encoding='ascii') as file:
				file.write(script)
		wanted, got = record(command, samples, folder)
	for tid, stacks in wanted.items():
		# What etw has no event of counts, too.
		lacking = [[[], False]] * (len(stacks) - len(got[tid]))
		for want, (have, is_cut) in zip(stacks, got[tid] + lacking):
			same = want[:len(have)] == have
			if same and is_cut:
				cut += 1
			elif same and len(want) == len(have):
				equal += 1
			else:
				other += 1
				if other <= 3:
					print('#', command[0], 'gdb', [hex(x) for x in want])
					print('#', command[0], 'etw', [hex(x) for x in have], is_cut)
	return equal, cut, other


def main():
	samples, total, good = int(sys.argv[1]), 0, 0
	for command, script, part in PROGRAMS:
		equal, cut, other = compare(command, script, samples // part)
		number = equal + cut + other
		total += number
		good += equal
		print(f'{os.path.basename(command[0])}: {number} stacks: {equal} equal, {cut} cut, '
		      f'{other} different', flush=True)
	print(f'{good} of {total} stacks are frame by frame those of gdb')
	return 0 if total >= samples * LEAST and good >= total * LEAST else 1


sys.exit(main())

// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib_python - the Python module etw: runs selftests/languages/python_vm.py, which has the
 * tests. TIMEOUT: 600
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PYTHON	"/usr/bin/python3"

int main(void)
{
	const char *build = getenv("ETW_BUILD");
	char library[4096], module[4096], script[4096];

	if (access(PYTHON, X_OK)) {
		puts("1..0 # SKIP no " PYTHON ": install the package python3");
		return 0;
	}
	build = build ? build : "build";
	snprintf(library, sizeof(library), "%s", build);
	snprintf(module, sizeof(module), "%s/../user/python", build);
	snprintf(script, sizeof(script), "%s/../selftests/languages/python_vm.py", build);
	if (access(script, R_OK)) {
		puts("1..0 # SKIP no selftests/languages beside the folder of the programs");
		return 0;
	}
	setenv("ETW_BUILD", build, 1);
	setenv("LD_LIBRARY_PATH", library, 1);
	setenv("PYTHONPATH", module, 1);
	setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
	/* The virtual machine has no locale. */
	setenv("PYTHONUTF8", "1", 1);
	execl(PYTHON, PYTHON, script, NULL);
	perror("execl " PYTHON);
	return 1;
}

// SPDX-License-Identifier: MIT
/*
 * sample_bpf.c - load the BPF program, and be its provider "Sample-Bpf" for some seconds
 *
 *	sudo build/samples/sample_bpf 10 &
 *	sudo etw watch -p '*Sample-Bpf' --show 'WaitedNs > 1000000'
 *
 * Usage: sample_bpf [SECONDS]; without it, until Ctrl-C.
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "sample_bpf.h"

/* The compiled program lies beside this one. */
static struct bpf_object *object_open(void)
{
	char self[PATH_MAX] = "", path[PATH_MAX + 20];

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return NULL;
	snprintf(path, sizeof(path), "%s/sample_bpf.bpf.o", dirname(self));
	return bpf_object__open_file(path, NULL);
}

static int object_start(struct bpf_object *object, struct etw_bpf_use *use)
{
	struct bpf_program *program;
	int err = bpf_object__load(object);

	if (!err)
		err = etw_bpf_start(use);
	if (err)
		return err;
	/* The links last as long as this process. */
	bpf_object__for_each_program(program, object)
		if (!bpf_program__attach(program))
			return -errno;
	return 0;
}

int main(int argc, char **argv)
{
	struct bpf_object *object = object_open();
	struct etw_bpf_use use;
	int err;

	if (!object) {
		fprintf(stderr, "sample_bpf: cannot open sample_bpf.bpf.o: %s\n", strerror(errno));
		return 1;
	}
	err = ETW_BPF_OPEN(sample, object, &use);
	if (err) {
		fprintf(stderr, "sample_bpf: cannot make the provider: %s\n", strerror(-err));
		return 1;
	}
	err = object_start(object, &use);
	if (err) {
		fprintf(stderr, "sample_bpf: cannot start the BPF programs: %s\n", strerror(-err));
		etw_bpf_close(&use);
		return 1;
	}
	printf("events go %s\n", use.number ? "straight into the sessions" : "through a ring buffer");
	fflush(stdout);
	if (argc > 1)
		sleep(atoi(argv[1]));
	else
		pause();
	etw_bpf_close(&use);
	bpf_object__close(object);
	return 0;
}

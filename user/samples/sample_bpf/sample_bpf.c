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

static int object_start(struct bpf_object *object, __u32 number)
{
	struct bpf_program *program;
	int err = etw_bpf_set_number(object, "sample", number);

	if (!err)
		err = bpf_object__load(object);
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
	struct bpf_object *object;
	__u32 number;
	int handle;
	int err = ETW_BPF_REGISTER(sample, &handle, &number);

	if (err) {
		fprintf(stderr, "sample_bpf: cannot make the provider: %s%s\n", strerror(-err),
			err == -EOPNOTSUPP ? "; /sys/module/etw/parameters/bpf says why" : "");
		return 1;
	}
	object = object_open();
	if (!object) {
		fprintf(stderr, "sample_bpf: cannot open sample_bpf.bpf.o: %s\n", strerror(errno));
		return 1;
	}
	err = object_start(object, number);
	if (err) {
		fprintf(stderr, "sample_bpf: cannot start the BPF programs: %s\n", strerror(-err));
		return 1;
	}
	if (argc > 1)
		sleep(atoi(argv[1]));
	else
		pause();
	bpf_object__close(object);
	etw_bpf_unregister(handle);
	return 0;
}

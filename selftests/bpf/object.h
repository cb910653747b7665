/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * object.h - the objects of the BPF programs, for vm/bpf; after <bpf/libbpf.h>
 */
#ifndef ETW_SELFTEST_BPF_OBJECT_H
#define ETW_SELFTEST_BPF_OBJECT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/vm_dev.h"

#define BPF_TEST_STATE	"/sys/module/etw/parameters/bpf"

/* Which programs may call etw.ko, as it says itself */
static inline bool bpf_test_state_has(const char *word)
{
	char text[100] = "";
	FILE *f = fopen(BPF_TEST_STATE, "re");
	bool found = f && fgets(text, sizeof(text), f) && strncmp(text, "none", 4) &&
		     strstr(text, word);

	if (f)
		fclose(f);
	return found;
}

/* A provider that was enabled is listed until the session stops. */
static inline bool bpf_test_registered(int fd, struct etw_guid guid)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = guid };

	return !vm_ioctl(fd, ETW_IOC_PROVIDER_QUERY, &q) && q.reg_count;
}

static inline struct bpf_object *bpf_test_open(const char *name)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/selftests/bpf/%s.bpf.o", vm_build(), name);
	return bpf_object__open_file(path, NULL);
}

/* The memory of an object's map, shared with the programs */
static inline void *bpf_test_memory(struct bpf_object *object, const char *name, size_t *size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	void *memory;

	if (!map)
		return NULL;
	*size = (bpf_map__value_size(map) + 4095) & ~4095UL;
	memory = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	return memory == MAP_FAILED ? NULL : memory;
}

/* A variable of a loaded object, through the map */
static inline void *bpf_test_variable(struct bpf_object *object, const char *section,
				      const char *name)
{
	const struct btf *btf = bpf_object__btf(object);
	int id = btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC), i;
	const struct btf_type *type = btf__type_by_id(btf, id);
	const struct btf_var_secinfo *var = id < 0 ? NULL : btf_var_secinfos(type);
	size_t size;
	char *memory;

	for (i = 0; var && i < btf_vlen(type); i++, var++) {
		if (strcmp(btf__name_by_offset(btf, btf__type_by_id(btf, var->type)->name_off),
			   name))
			continue;
		memory = bpf_test_memory(object, section, &size);
		return memory ? memory + var->offset : NULL;
	}
	return NULL;
}

static inline bool bpf_test_attach(struct bpf_object *object, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, name);

	/* The link lasts as long as this process, or the test's child. */
	return program && bpf_program__attach(program);
}

#endif /* ETW_SELFTEST_BPF_OBJECT_H */

/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.c - debug information from a server that the user names
 *
 * The library comes with elfutils, and brings HTTP with it: who does not ask for a server does not
 * load it. It takes its servers from a variable only, which distributions set to theirs; here it
 * says what the user has asked for and nothing else.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debuginfod.h"
#include "elf_functions.h"

struct debuginfod {
	char *url;
	bool tried;
	void *library, *client;
	void *(*begin)(void);
	void (*end)(void *client);
	int (*find)(void *client, const unsigned char *build_id, int len, char **path);
};

struct debuginfod *debuginfod_new(const char *url)
{
	struct debuginfod *server = calloc(1, sizeof(*server));

	if (server)
		server->url = strdup(url);
	if (server && server->url)
		return server;
	free(server);
	return NULL;
}

void debuginfod_free(struct debuginfod *server)
{
	if (!server)
		return;
	if (server->client)
		server->end(server->client);
	/* The library stays: what it brings with it cannot be unloaded. */
	free(server->url);
	free(server);
}

static void load(struct debuginfod *server)
{
	server->tried = true;
	server->library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!server->library)
		return;
	*(void **)&server->begin = dlsym(server->library, "debuginfod_begin");
	*(void **)&server->end = dlsym(server->library, "debuginfod_end");
	*(void **)&server->find = dlsym(server->library, "debuginfod_find_debuginfo");
	if (server->begin && server->end && server->find &&
	    !setenv("DEBUGINFOD_URLS", server->url, 1))
		server->client = server->begin();
}

/* What a server sends is believed no more than what lies here. */
int debuginfod_find(struct debuginfod *server, const uint8_t *build_id, size_t len)
{
	uint8_t own[64];
	int fd;

	if (!server->tried)
		load(server);
	if (!server->client)
		return -1;
	fd = server->find(server->client, build_id, (int)len, NULL);
	if (fd >= 0 && (elf_build_id(fd, own, sizeof(own)) != len || memcmp(own, build_id, len))) {
		close(fd);
		fd = -1;
	}
	return fd < 0 ? -1 : fd;
}

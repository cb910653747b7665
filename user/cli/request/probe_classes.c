/* SPDX-License-Identifier: MIT */
/*
 * probe_classes.c - probes that a class of trace events has on kernels that lack an event
 *
 * Linux 6.3 got events of what sockets send and receive. Before, the functions of the protocols
 * say how much was to be sent or received, and their returns how much was, or the error.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "probe_classes.h"
#include "base/name_guid.h"
#include "bridge/probe_functions.h"

#define FUNCTIONS_MAX	8

static const struct {
	const char *class;
	const char *lacks;		/* this event */
	struct {
		const char *function, *fields;
	} functions[FUNCTIONS_MAX];
} stand_ins[] = {
	{ "net", TRACE_EVENT_PREFIX "sock:sock_send_length",
	  { { "tcp_sendmsg", "sk,size" }, { "tcp_sendpage", "sk,size" },
	    { "udp_sendmsg", "sk,len" }, { "udpv6_sendmsg", "sk,len" } } },
	{ "net", TRACE_EVENT_PREFIX "sock:sock_recv_length",
	  { { "tcp_recvmsg", "sk,len" }, { "udp_recvmsg", "sk,len" },
	    { "udpv6_recvmsg", "sk,len" } } },
};

static bool has(const struct trace_set *set, const char *event)
{
	struct etw_guid guid;

	return !etw_guid_from_name(event, strlen(event), &guid) && trace_set_has(set, &guid);
}

/* A call and its return */
static int add_function(struct trace_set *set, const char *function, const char *fields)
{
	char name[128];
	int err;

	if (!probe_function_find(function))
		return 0;
	snprintf(name, sizeof(name), "kprobe:%s(%s)", function, fields);
	err = trace_set_add(set, name);
	snprintf(name, sizeof(name), "kretprobe:%s", function);
	return err ? err : trace_set_add(set, name);
}

int probe_classes_add(struct trace_set *set, const char *class, size_t len)
{
	unsigned int i, k;
	int err = 0;

	for (i = 0; i < sizeof(stand_ins) / sizeof(*stand_ins); i++) {
		if (strlen(stand_ins[i].class) != len || memcmp(stand_ins[i].class, class, len) ||
		    has(set, stand_ins[i].lacks))
			continue;
		for (k = 0; !err && k < FUNCTIONS_MAX && stand_ins[i].functions[k].function; k++)
			err = add_function(set, stand_ins[i].functions[k].function,
					   stand_ins[i].functions[k].fields);
	}
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * scenario.c - programs such as a user of the device would write
 *
 * "op" or "op:field=choice,field=choice": other fields have their defaults. Each command
 * succeeds in at least one scenario, and new programs build on them.
 */
#define _GNU_SOURCE
#include "fuzz.h"

static const char *const scenarios[] = {
	"start register enable consume:flags=2048 burst flush audit consumer_stat stat query stop",
	"start register enable consume:flags=2048 burst:count=5 audit_map audit_map take take give read",
	"start:buffer_kb=1 register enable burst:count=5,size=18 burst:count=5 update:max_buffers=5 "
		"consume:flags=2048 burst:count=5,size=18 consume burst:count=5,size=18 flush audit stop audit",
	"start:mode=2 register enable burst:count=5,size=18 flush consume:flags=2048 audit "
		"burst:count=5,size=18 flush audit_map take flush stop",
	"start:mode=3,min_buffers=3 register enable burst:count=5,size=18 burst:count=5,size=18 flush "
		"flush stat stop",
	"register:flags=1,name=1 start enable:timeout_ms=1 notify notify enable:control=1 notify "
		"enable enable:control=2 notify unregister notify",
	"start register:flags=1 enable:timeout_ms=3 poll epoll:keep=1 notify provider:name_out=0 "
		"providers sessions enable:filters=16 enable:filters=32 provider",
	"start enable register:name=16 write:flags=15 write:data=16 write:data=2096 write:data=4194 "
		"write:flags=12,data=8432 consume:flags=2048 flush audit unregister",
	"start:clock=2 start:clock=3 start:mode=1,clock=1 register enable enable:session=0 "
		"enable:session=1 burst flush:handle=0 flush:handle=1 flush stat:consumers=0 stop stop",
	"start enable:provider=6 t_register t_enabled t_write t_write:context=1,count=2 "
		"t_write:context=2,count=2,transfer=1 consume:flags=2048 flush audit t_unregister",
	"t_register:flags=1 start enable:provider=6,timeout_ms=2 enable:provider=6,control=2 "
		"enable:provider=6,control=1,timeout_ms=3 t_register:index=1,flags=13 enable:provider=0 "
		"t_unregister:index=1 t_unregister",
	"t_activity:control=1 t_activity:control=3 t_activity:control=4 t_activity start "
		"enable:provider=6 t_register t_write t_write:transfer=1 fork t_write flush",
	"start enable:provider=6 t_register t_gate t_register:index=2,flags=3 enable t_unregister:index=2",
	"map_area touch register start enable touch fork:how=1,calls=3 write burst touch unmap close touch",
	"start consume:flags=2048 register enable burst:count=5 take map_ring touch touch:write=1 "
		"protect:prot=2 remap touch advise give unmap close stop touch",
	"register start enable fork:how=0,calls=4 write unregister notify register fork:how=5 register fork:how=5 "
		"write fork:how=6,calls=3 register write kill fork:how=4,calls=3 burst flush",
	"start register enable fork:how=2 start query write fork:how=3,calls=3 write provider "
		"enable:filters=16 fork:how=7 kill pass_fd dup close drop_rights start register write",
	"start consume consume pass_fd stop read audit poll epoll take consumer_stat close",
	"start enable enable:provider=1 start enable start enable start enable start enable "
		"start enable start enable start enable start enable register write sessions",
	"many:what=0,count=5 many:what=1,count=3 start many:what=2,count=3 many:what=4,count=4 flush sessions providers",
	"open register odd_ioctl odd_ioctl:cmd=1 odd_call:which=0 odd_call:which=5 odd_call:which=6 fcntl fcntl:arg=1 cpu:mask=1 cpu:mask=2 sleep",
	"start enable:property=2447 register write write:flags=12 burst consume:flags=2048 flush audit "
		"start enable:provider=6,property=2447 t_register t_write t_write:context=1 t_write:context=2 "
		"consume:flags=2048 flush audit write:stack=0,stack_count=4 flush audit",
	"start register enable:filters=256 write enable:filters=272 enable:filters=288 enable:filters=304 "
		"enable:filters=320 write enable:filters=336,property=4 write enable:filters=352 "
		"enable:filters=368,property=4 write enable:filters=28928 write provider consume:flags=2048 flush audit",
	"start register:flags=1 enable:filters=480 notify enable:filters=496 notify enable:filters=448 "
		"write enable:filters=464 write:desc.id=1 burst enable:filters=1000,control=2 notify "
		"enable:filters=2016 write provider enable:filters=3024,control=2 notify flush",
	"start register:flags=2 enable classic:logger_id=1 classic:logger_id=1,kind=1,options=0 "
		"classic:logger_id=1,kind=2,options=43,instance=0 capture:flags=0 capture:flags=1,period_s=1 "
		"consume:flags=2048 flush audit",
	"start register:flags=1 set enable:property=32 write write:data=6384 consume:flags=2048 flush audit "
		"disallow disallowed:guids=0,capacity=2 groups group disallow:count=0 enable "
		"enable:filters=384 write:data=2288 enable:filters=400,property=4 write:data=2288 set:flags=1 "
		"write:data=6384 flush audit unregister",
	"start register set:traits=32 enable write notify stop set:slot=0",
	"start enable:provider=6 t_register t_typed t_set:flags=1,types=1 t_typed t_typed:hardirq=1 t_set "
		"t_set t_typed consume:flags=2048 flush audit t_unregister",
	"start enable:provider=6 t_register t_set:flags=1,types=1 flush "
		"t_typed:count=2,pieces[1].type=3,pieces[1].size=8 consume:flags=2048 flush audit",
	"start enable:property=2048 fork:how=3,calls=3 open register write consume:flags=2048 flush audit",
	"start enable:provider=4 enable:provider=4,control=2,timeout_ms=3 fork fork:how=5 "
		"consume:flags=2048 flush audit enable:provider=4,control=1 flush",
	"start enable missed:flags=1 missed missed:flags=0 consume:flags=2048 flush audit stop missed:flags=0",
	"start:mode=18 system system:flags=1,enable=5 system:flags=1,enable=0 system flush stop",
	"start bpf bpf:seed=5 bpf:seed=9,count=1 bpf:guid=1,count=3 enable enable:provider=1 capture:flags=0 "
		"provider flush close bpf:guid=2",
	"start register set:flags=1 enable events events:seed=7,count=20 events:seed=9 consume:flags=2048 "
		"enable:property=2 events:seed=3,count=9 flush audit unregister",
	"register access_set access_query access_query:flags=1 access_remove access_remove",
	"start:handle=0 start register:flags=1 enable:any=1,all=1,level=2 write:desc.keyword=1 "
		"write:desc.level=3 burst:level=1,keyword=2 enable:property=16,any=1 write unregister enable:control=1",
};

unsigned int scenario_count(void)
{
	return sizeof(scenarios) / sizeof(scenarios[0]);
}

static const struct op *op_by_name(const char *name)
{
	unsigned int i;

	for (i = 0; i < fuzz_op_count; i++)
		if (!strcmp(fuzz_ops[i]->name, name))
			return fuzz_ops[i];
	return NULL;
}

/* "field=choice,..." */
static bool set_args(struct call *c, const struct op *op, char *text)
{
	char *item, *save = NULL, *value;
	unsigned int i, n = op_fields(op);

	for (item = strtok_r(text, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		value = strchr(item, '=');
		if (!value)
			return false;
		*value++ = 0;
		for (i = 0; i < n && strcmp(op->fields[i].name, item); i++)
			;
		if (i == n)
			return false;
		c->args[i] = (struct arg){ ARG_PICK, strtoull(value, NULL, 0) };
	}
	return true;
}

/* i below scenario_count(). */
void scenario_get(struct prog *p, unsigned int i)
{
	char *text = strdup(scenarios[i]);
	char *word, *args, *save = NULL;
	const struct op *op;
	bool ok = text;

	memset(p, 0, sizeof(*p));
	for (word = text ? strtok_r(text, " ", &save) : NULL; word && ok && p->count < CALLS_MAX;
	     word = strtok_r(NULL, " ", &save)) {
		args = strchr(word, ':');
		if (args)
			*args++ = 0;
		op = op_by_name(word);
		if (op)
			p->calls[p->count].op = op->id;
		ok = op && (!args || set_args(&p->calls[p->count], op, args));
		p->count++;
		if (!ok)
			finding("scenario %u is not well-formed: %s", i, word);
	}
	free(text);
}

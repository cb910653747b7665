// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen.c - generates programs, from scratch or from others
 *
 * Most fields keep their defaults, so that most calls reach deep code; a few change at a
 * time.
 */
#define _GNU_SOURCE
#include "fuzz.h"

static uint64_t random_value(void)
{
	switch (rnd_below(5)) {
	case 0: return rnd_below(16);
	case 1: return rnd_below(256);
	case 2: return 1ull << rnd_below(64);
	case 3: return rnd_below(65536);
	}
	return rnd();
}

/* Choose a place: mostly valid memory, because a bad pointer ends a call early. */
static uint64_t random_place(void)
{
	return one_in(3) ? rnd_below(PLACES) : one_in(2) ? 1 : 0;
}

static void random_arg(struct arg *a, const struct field *f)
{
	a->mode = one_in(6) ? ARG_RAW : ARG_PICK;
	a->value = harmless(random_value());
	switch (f->kind) {
	case KIND_PLACE:
		a->mode = ARG_PICK;
		a->value = random_place() + PLACES * rnd_below(7);
		break;
	case KIND_NAME:
	case KIND_OUT:
	case KIND_FILTERS:
	case KIND_ENTRIES:
		if (a->mode == ARG_PICK)
			a->value = random_place() | rnd_below(16) << 4;
		break;
	case KIND_PIECES:
		if (a->mode == ARG_PICK)
			a->value = random_place() | (uint64_t)rnd_below(1 << 20) << 4;
		break;
	case KIND_FD:
	case KIND_HANDLE:
	case KIND_SLOT:
	case KIND_INDEX:
		if (a->mode == ARG_PICK && !one_in(8))
			a->value &= 0x7f;
		break;
	case KIND_RESERVED:
	case KIND_SIZE:
		/* These end a call early, so choose them rarely. */
		if (!one_in(4))
			*a = (struct arg){ 0 };
		break;
	default:
		break;
	}
}

static void mutate_args(struct call *c, unsigned int chances)
{
	const struct op *op = op_by_id(c->op);
	unsigned int n = op_fields(op), i;

	while (chances--) {
		i = rnd_below(n);
		if (one_in(5))
			c->args[i] = (struct arg){ 0 };
		else if (c->args[i].mode == ARG_RAW && one_in(2))
			c->args[i].value = harmless(c->args[i].value ^ 1ull << rnd_below(64));
		else
			random_arg(&c->args[i], &op->fields[i]);
	}
}

static const struct op *random_op(void)
{
	static unsigned int total;
	unsigned int i, at;

	if (!total)
		for (i = 0; i < fuzz_op_count; i++)
			total += fuzz_ops[i]->weight;
	at = rnd_below(total);
	for (i = 0; at >= fuzz_ops[i]->weight; i++)
		at -= fuzz_ops[i]->weight;
	return fuzz_ops[i];
}

static void gen_call(struct call *c, const struct op *op)
{
	unsigned int n = op_fields(op), i;

	memset(c, 0, sizeof(*c));
	c->op = op->id;
	for (i = 0; i < n; i++) {
		bool rare = op->fields[i].kind == KIND_PLACE || op->fields[i].kind == KIND_FD;

		if (one_in(rare ? 12 : 4))
			random_arg(&c->args[i], &op->fields[i]);
	}
	if (one_in(12))
		c->flags |= CALL_COMPAT;
	if (one_in(8))
		c->fail_nth = 1 + rnd_below(one_in(3) ? 40 : 8);
}

/* Make room for a call at i; false: the program is full. */
static bool insert(struct prog *p, unsigned int i)
{
	if (p->count >= CALLS_MAX)
		return false;
	memmove(&p->calls[i + 1], &p->calls[i], (p->count - i) * sizeof(p->calls[0]));
	p->count++;
	return true;
}

void prog_remove_call(struct prog *p, unsigned int i)
{
	p->count--;
	memmove(&p->calls[i], &p->calls[i + 1], (p->count - i) * sizeof(p->calls[0]));
	memset(&p->calls[p->count], 0, sizeof(p->calls[0]));
}

static void append(struct prog *p, unsigned int id)
{
	if (p->count < CALLS_MAX)
		gen_call(&p->calls[p->count++], op_by_id(id));
}

/* What nearly every other call needs: a session, a registration, events */
static void gen_setup(struct prog *p)
{
	static const uint8_t usual[] = { 1, 9, 8, 15, 50, 5, 52 };
	unsigned int i;

	for (i = 0; i < sizeof(usual); i++) {
		if (one_in(6))
			continue;
		append(p, usual[i]);
		if (!one_in(3))	/* the default use */
			memset(p->calls[p->count - 1].args, 0, sizeof(p->calls[0].args));
		if (!one_in(6))
			p->calls[p->count - 1].fail_nth = 0;
	}
	/* Do not wait for an event that may not come. */
	if (p->count && one_in(2))
		for (i = 0; i < p->count; i++)
			if (p->calls[i].op == 15)
				p->calls[i].args[3] = (struct arg){ ARG_PICK, O_NONBLOCK };
}

static void spread_threads(struct prog *p)
{
	unsigned int first = rnd_below(p->count + 1), i;

	p->flags |= PROG_THREADED;
	for (i = 0; i < p->count; i++)
		p->calls[i].thread = i < first ? 0 : rnd_below(THREADS);
}

static void random_flags(struct prog *p)
{
	p->flags = 0;
	for (unsigned int i = 0; i < p->count; i++)
		p->calls[i].thread = 0;
	if (one_in(4))
		spread_threads(p);
	if (one_in(6))
		p->flags |= PROG_FLIP;
}

void gen_prog(struct prog *p)
{
	unsigned int n = 6 + rnd_below(30);

	memset(p, 0, sizeof(*p));
	if (!one_in(8))
		gen_setup(p);
	else
		scenario_get(p, rnd_below(scenario_count()));
	while (n--)
		append(p, random_op()->id);
	random_flags(p);
}

/* Insert calls of another program. */
static void mix_in(struct prog *p, const struct prog *other)
{
	unsigned int from = rnd_below(other->count), n = 1 + rnd_below(6), at = rnd_below(p->count + 1);

	for (; n && from < other->count && insert(p, at); n--, from++, at++)
		p->calls[at] = other->calls[from];
}

/*
 * Repeat one call many times, each time with the next allocation failing or with the next
 * choice for a field.
 */
static void sweep(struct prog *p, unsigned int i)
{
	const struct op *op = op_by_id(p->calls[i].op);
	unsigned int field = rnd_below(op_fields(op)), n = 3 + rnd_below(12), k;
	bool fail = one_in(2), pointer = false;
	unsigned int first = fail && one_in(3) ? 1 + rnd_below(20) : 1;

	switch (op->fields[field].kind) {
	case KIND_NAME:
	case KIND_OUT:
	case KIND_PIECES:
	case KIND_FILTERS:
	case KIND_ENTRIES:
		pointer = true;
		break;
	default:
		break;
	}
	for (k = 0; k < n && insert(p, i); k++) {
		p->calls[i] = p->calls[i + 1];
		if (fail)
			p->calls[i].fail_nth = first + k;
		else if (pointer && one_in(2))
			p->calls[i].args[field] = (struct arg){ ARG_PICK, (uint64_t)k << 4 };
		else
			p->calls[i].args[field] = (struct arg){ ARG_PICK, k };
	}
}

static void mutate_once(struct prog *p, const struct prog *other)
{
	unsigned int i = rnd_below(p->count), j;

	switch (rnd_below(18)) {
	case 0:
	case 1:
	case 2:
		j = rnd_below(p->count + 1);
		if (insert(p, j))
			gen_call(&p->calls[j], random_op());
		break;
	case 3:
		if (p->count > 1)
			prog_remove_call(p, i);
		break;
	case 4:	/* repeat it */
		if (insert(p, i))
			p->calls[i] = p->calls[i + 1];
		break;
	case 5:
		if (other && other->count)
			mix_in(p, other);
		break;
	case 6: {
		struct call c = p->calls[i];

		j = rnd_below(p->count);
		p->calls[i] = p->calls[j];
		p->calls[j] = c;
		break;
	}
	case 7:
	case 8:
		p->calls[i].fail_nth = one_in(3) ? 0 : 1 + rnd_below(one_in(3) ? 60 : 10);
		break;
	case 9:
		p->calls[i].flags ^= CALL_COMPAT;
		break;
	case 10:
		random_flags(p);
		break;
	case 11:
	case 12:
		sweep(p, i);
		break;
	default:
		mutate_args(&p->calls[i], 1 + rnd_below(3));
	}
}

static void append_prog(struct prog *p, const struct prog *other)
{
	unsigned int i;

	for (i = 0; other && i < other->count && p->count < CALLS_MAX; i++) {
		p->calls[p->count] = other->calls[i];
		p->calls[p->count++].thread = p->flags & PROG_THREADED ? rnd_below(THREADS) : 0;
	}
}

/* A process costs a hundred times as much as a call: keep only a few per program. */
static void cut_costs(struct prog *p)
{
	unsigned int i, spent = 0;

	for (i = 0; i < p->count; i++) {
		spent += op_by_id(p->calls[i].op)->cost;
		if (op_by_id(p->calls[i].op)->cost && spent > 12)
			prog_remove_call(p, i--);
	}
}

/*
 * Programs in the corpus are minimised to a few calls.  A process costs more than they
 * do, so it runs several such pieces, often on a common basis.
 */
void gen_mutate(struct prog *p, const struct prog *(*pick)(void))
{
	unsigned int want = 8 + rnd_below(40), n = 2 + rnd_below(10);
	static struct prog whole;

	memset(&whole, 0, sizeof(whole));
	if (p->count < 12 && one_in(2))
		gen_setup(&whole);
	whole.flags = p->flags;
	append_prog(&whole, p);
	while (whole.count < want)
		append_prog(&whole, pick());
	*p = whole;
	while (n-- && p->count)
		mutate_once(p, pick());
	cut_costs(p);
	if (!p->count)
		gen_prog(p);
}

/* Replace a value by one that the kernel compared it with. */
bool gen_hint(struct prog *p)
{
	unsigned int tries, i, n;

	for (tries = 0; shared->hint_count && tries < 50; tries++) {
		const struct hint *h = &shared->hints[rnd_below(shared->hint_count)];
		struct call *c;

		if (h->call >= p->count)
			continue;
		c = &p->calls[h->call];
		n = op_fields(op_by_id(c->op));
		i = rnd_below(n);
		if (op_by_id(c->op)->fields[i].kind == KIND_PLACE ||
		    op_by_id(c->op)->fields[i].kind == KIND_FD)
			continue;
		/* Only raw numbers can be recognised. */
		if (c->args[i].mode == ARG_RAW && c->args[i].value != h->seen)
			continue;
		c->args[i] = (struct arg){ ARG_RAW, harmless(h->wanted + (one_in(4) ? 1 : 0)) };
		return true;
	}
	return false;
}

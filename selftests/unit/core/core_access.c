/* SPDX-License-Identifier: MIT */
/* core_access - access lists: valid entries, and the rights that lists grant */
#include "lib/tap.h"
#include "core/access.h"

#define EVERYONE	ETW_ACCESS_EVERYONE, 0, 0
#define USER(id)	ETW_ACCESS_USER, 0, (id)
#define GROUP(id)	ETW_ACCESS_GROUP, 0, (id)
#define CAPABILITY(id)	ETW_ACCESS_CAPABILITY, 0, (id)
#define ALLOW(rights, ...)	{ ETW_ACCESS_ALLOW, __VA_ARGS__, (rights) }
#define DENY(rights, ...)	{ ETW_ACCESS_DENY, __VA_ARGS__, (rights) }

#define PERFMON		38

/* A caller with one group and one capability. */
struct caller {
	u32 uid, gid, capability;
	unsigned int asked;
};

static struct caller alice = { 1000, 100, 99, 0 }, operator = { 0, 0, PERFMON, 0 };

static bool names(const struct etw_access_entry *entry, const void *context)
{
	struct caller *who = (struct caller *)(uintptr_t)context;

	who->asked++;
	switch (entry->who) {
	case ETW_ACCESS_EVERYONE:
		return true;
	case ETW_ACCESS_USER:
		return entry->id == who->uid;
	case ETW_ACCESS_GROUP:
		return entry->id == who->gid;
	default:
		return entry->id == who->capability;
	}
}

#define grants(who, rights, ...) ({					\
	const struct etw_access_entry list_[] = { __VA_ARGS__ };	\
									\
	etw_access_grants(list_, sizeof(list_) / sizeof(list_[0]), rights, names, who); })

/*
 * B158: by default the operator may do all, others only provide. B159: providing needs no
 * grant.
 */
static void test_default(void)
{
	static const u32 control[] = {
		ETW_RIGHT_QUERY, ETW_RIGHT_CREATE_REALTIME, ETW_RIGHT_CREATE_ONDISK,
		ETW_RIGHT_GUID_ENABLE, ETW_RIGHT_ACCESS_REALTIME,
	};
	static const u32 provide[] = {
		ETW_RIGHT_REGISTER_GUIDS, ETW_RIGHT_LOG_EVENT, ETW_RIGHT_JOIN_GROUP,
	};
	unsigned int i;

	for (i = 0; i < sizeof(control) / sizeof(control[0]); i++)
		ok(!etw_access_grants(etw_access_builtin, ETW_ACCESS_BUILTIN, control[i], names,
				      &alice) &&
		   etw_access_grants(etw_access_builtin, ETW_ACCESS_BUILTIN, control[i], names,
				     &operator), "right 0x%x is the operator's", control[i]);
	for (i = 0; i < sizeof(provide) / sizeof(provide[0]); i++)
		ok(etw_access_grants(etw_access_builtin, ETW_ACCESS_BUILTIN, provide[i], names,
				     &alice), "right 0x%x is everyone's", provide[i]);
	ok(etw_access_grants(etw_access_builtin, ETW_ACCESS_BUILTIN, ETW_RIGHT_ALL, names,
			     &operator), "all at once are the operator's");
	ok(!etw_access_grants(etw_access_builtin, ETW_ACCESS_BUILTIN, ETW_RIGHT_REGISTER_KERNEL,
			      names, &operator), "nobody may use a kernel module's GUID");
	for (i = 0; i < ETW_ACCESS_BUILTIN; i++)
		ok(etw_access_entry_ok(&etw_access_builtin[i]), "entry %u can be meant", i);
}

static void test_order(void)
{
	ok(!grants(&alice, 1, DENY(1, EVERYONE), ALLOW(1, EVERYONE)), "denied, then allowed");
	ok(grants(&alice, 1, ALLOW(1, EVERYONE), DENY(1, EVERYONE)), "allowed, then denied");
	ok(grants(&alice, 1, DENY(2, EVERYONE), ALLOW(1, EVERYONE)), "another right denied");
	ok(!grants(&alice, 3, ALLOW(1, EVERYONE), DENY(2, USER(1000)), ALLOW(2, EVERYONE)),
	   "one of two denied before it was allowed");
	ok(grants(&alice, 3, ALLOW(1, USER(1000)), ALLOW(2, GROUP(100))), "two entries together");
	ok(!grants(&alice, 7, ALLOW(1, USER(1000)), ALLOW(2, GROUP(100))), "and not a third");
	ok(!grants(&alice, 1, ALLOW(1, USER(1001)), ALLOW(1, GROUP(101))), "others' entries");
	ok(grants(&alice, 1, DENY(1, USER(1001)), DENY(1, CAPABILITY(PERFMON)),
		  ALLOW(1, EVERYONE)), "others denied");
	ok(!grants(&operator, 1, DENY(1, CAPABILITY(PERFMON)), ALLOW(1, EVERYONE)),
	   "a capability denied");
	/* A uid is not a gid of the same number. */
	ok(!grants(&alice, 1, ALLOW(1, USER(100)), ALLOW(1, GROUP(1000))), "ids of each sort");
}

/* B86: joining a group needs a right of its own. */
static void test_join(void)
{
	ok(!grants(&alice, ETW_RIGHT_JOIN_GROUP, DENY(ETW_RIGHT_JOIN_GROUP, USER(1000)),
		   ALLOW(ETW_RIGHT_ALL, EVERYONE)), "denied to a user");
	ok(grants(&operator, ETW_RIGHT_JOIN_GROUP, DENY(ETW_RIGHT_JOIN_GROUP, USER(1000)),
		  ALLOW(ETW_RIGHT_ALL, EVERYONE)), "but not to others");
	ok(grants(&alice, ETW_RIGHT_REGISTER_GUIDS, DENY(ETW_RIGHT_JOIN_GROUP, USER(1000)),
		  ALLOW(ETW_RIGHT_ALL, EVERYONE)), "who may still register");
}

static void test_empty(void)
{
	ok(!etw_access_grants(NULL, 0, 1, names, &operator), "an empty list grants nothing");
	alice.asked = 0;
	grants(&alice, 1, ALLOW(2, USER(1)), DENY(4, GROUP(1)), ALLOW(1, EVERYONE),
	       DENY(1, EVERYONE));
	ok(alice.asked == 1, "only relevant ids are queried");
}

static bool good(u8 type, u8 who, u16 reserved, u32 id, u32 rights)
{
	struct etw_access_entry entry = { type, who, reserved, id, rights };

	return etw_access_entry_ok(&entry);
}

static void test_entries(void)
{
	ok(good(0, 0, 0, 0, 1) && good(1, 1, 0, 0, 0x1fff) && good(0, 2, 0, 0xfffffffe, 2) &&
	   good(1, 3, 0, 63, 4), "valid entries");
	ok(!good(2, 0, 0, 0, 1) && !good(255, 0, 0, 0, 1), "neither allow nor deny");
	ok(!good(0, 4, 0, 0, 1) && !good(0, 255, 0, 0, 1), "unknown sort");
	ok(!good(0, 0, 1, 0, 1), "reserved");
	ok(!good(0, 0, 0, 1, 1), "everyone has no id");
	ok(!good(0, 1, 0, 0xffffffff, 1) && !good(0, 2, 0, 0xffffffff, 1), "the invalid id");
	ok(!good(0, 3, 0, 64, 1), "no such capability");
	ok(!good(0, 0, 0, 0, 0), "no rights");
	ok(!good(0, 0, 0, 0, 0x4000) && !good(0, 0, 0, 0, 0x80000001), "unknown rights");
}

int main(void)
{
	test_default();
	test_order();
	test_join();
	test_empty();
	test_entries();
	return done_testing();
}

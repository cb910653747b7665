// SPDX-License-Identifier: GPL-2.0-only
/*
 * features.c - what generated macros do, apart from the bytes they write
 *
 * C and C++; compiled by unit/mc/mc_header.sh against the headers of names.man and
 * types.man, together with features2.c.  The functions of libetw that headers use are
 * replaced by our own.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <evntprov.h>

#ifdef __cplusplus
extern "C" {
#endif
static ULONG fake_register(LPCGUID id, PENABLECALLBACK callback, PVOID context, PREGHANDLE handle);
static ULONG fake_unregister(REGHANDLE handle);
static ULONG ETW_UNUSED fake_set(REGHANDLE handle, EVENT_INFO_CLASS what, PVOID data, ULONG size);
static ULONG fake_write(REGHANDLE handle, PCEVENT_DESCRIPTOR event, LPCGUID activity,
			LPCGUID related, ULONG count, PEVENT_DATA_DESCRIPTOR data);
static BOOLEAN fake_enabled(REGHANDLE handle, PCEVENT_DESCRIPTOR event);
static void count_call(ULONG code, UCHAR level, PVOID context);
#ifdef __cplusplus
}
#endif

#define MCGEN_EVENTREGISTER fake_register
#define MCGEN_EVENTUNREGISTER fake_unregister
#define MCGEN_EVENTSETINFORMATION fake_set
#define MCGEN_EVENTWRITETRANSFER fake_write
#define MCGEN_EVENTENABLED fake_enabled
#define MCGEN_PRIVATE_ENABLE_CALLBACK_V2(source, code, level, any, all, filter, context) \
	count_call(code, level, context)
#define MCGEN_CALLOUT(handle, descriptor, count, data)	\
	(callouts++, callout_count = (count), (void)(handle), (void)(descriptor), (void)(data))
static unsigned int callouts, callout_count;
#ifdef WITH_BIT_SET
#define _mcgen_EVENT_BIT_SET(EnableBits, BitPosition)	\
	(bits_asked++, ((EnableBits)[(BitPosition) / 32] >> (BitPosition) % 32 & 1) != 0)
static unsigned int bits_asked;
#endif

#include "names.h"
#include "types.h"
#include "names.h"
#include "types.h"
#include "mc/features.h"

static int bad, checks;

#define CHECK(x) \
	do { \
		checks++; \
		if (!(x)) { \
			printf("line %d: %s\n", __LINE__, #x); \
			bad = 1; \
		} \
	} while (0)

static struct {
	unsigned int registers, unregisters, sets, writes, calls;
	const GUID *guid;
	PENABLECALLBACK callback;
	PVOID context, told_context;
	EVENT_INFO_CLASS last_set;
	ULONG set_result, set_size, count, told_code, first_type, first_size;
	REGHANDLE handle;
	const GUID *activity;
	EVENT_DESCRIPTOR event;
} seen;

static ULONG fake_register(LPCGUID id, PENABLECALLBACK callback, PVOID context, PREGHANDLE handle)
{
	seen.registers++;
	seen.guid = id;
	seen.callback = callback;
	seen.context = context;
	*handle = 77 + seen.registers;
	return ERROR_SUCCESS;
}

static ULONG fake_unregister(REGHANDLE handle)
{
	seen.unregisters++;
	seen.handle = handle;
	return ERROR_SUCCESS;
}

static ULONG fake_set(REGHANDLE handle, EVENT_INFO_CLASS what, PVOID data, ULONG size)
{
	(void)handle;
	seen.sets++;
	seen.last_set = what;
	seen.set_size = size;
	(void)data;
	return what == EventProviderSetTraits ? seen.set_result : ERROR_SUCCESS;
}

static ULONG fake_write(REGHANDLE handle, PCEVENT_DESCRIPTOR event, LPCGUID activity,
			LPCGUID related, ULONG count, PEVENT_DATA_DESCRIPTOR data)
{
	(void)related;
	seen.writes++;
	seen.handle = handle;
	seen.event = *event;
	seen.activity = activity;
	seen.count = count;
	seen.first_type = data[0].Reserved;
	seen.first_size = data[0].Size;
	return 5;
}

/* Of a forked child: only errors are wanted. */
static BOOLEAN fake_enabled(REGHANDLE handle, PCEVENT_DESCRIPTOR event)
{
	return handle && event->Level <= 2;
}

static void count_call(ULONG code, UCHAR level, PVOID context)
{
	(void)level;
	seen.calls++;
	seen.told_code = code;
	seen.told_context = context;
}

static unsigned int evaluated;

static unsigned int value(void)
{
	evaluated++;
	return 1;
}

/* Level and keyword as ETW passes them to a callback */
static void enable(PVOID context, UCHAR level, ULONGLONG any, ULONGLONG all)
{
	McGenControlCallbackV2(NULL, EVENT_CONTROL_CODE_ENABLE_PROVIDER, level, any, all, NULL,
			       context);
}

static void disable(PVOID context)
{
	McGenControlCallbackV2(NULL, EVENT_CONTROL_CODE_DISABLE_PROVIDER, 0, 0, 0, NULL, context);
}

static void check_registering(void)
{
	CHECK(EventRegister4_Test_Mc_Names() == ERROR_SUCCESS && seen.registers == 1);
	CHECK(!memcmp(seen.guid, &TestNames, sizeof(GUID)) && seen.context == &TestNames_Context);
	CHECK(TestNames_Context.RegistrationHandle == 78 && _4_Test_Mc_NamesHandle == 78);
	CHECK(EventRegister4_Test_Mc_Names() == ERROR_SUCCESS && seen.registers == 1);
	CHECK(seen.sets == 0);
	CHECK(features_other_handle() == 78);	/* the other file has the same context */
	CHECK(EventUnregister4_Test_Mc_Names() == ERROR_SUCCESS && seen.unregisters == 1);
	CHECK(seen.handle == 78 && TestNames_Context.RegistrationHandle == 0);
	CHECK(EventUnregister4_Test_Mc_Names() == ERROR_SUCCESS && seen.unregisters == 1);
	CHECK(EventRegisterByGuidTest_Mc_Types(TestNames) == ERROR_SUCCESS);
	CHECK(!memcmp(seen.guid, &TestNames, sizeof(GUID)) && seen.context == &TestTypes_Context);
	CHECK(EventUnregisterTest_Mc_Types() == ERROR_SUCCESS);
	/* A provider without events */
	CHECK(EventRegisterTest_Mc_Empty() == ERROR_SUCCESS);
	enable(&TestEmpty_Context, 0, ~0ULL, 0);
	CHECK(TestEmpty_Context.EnableBitsCount == 0 && Test_Mc_EmptyEnableBits[0] == 0);
	CHECK(EventUnregisterTest_Mc_Empty() == ERROR_SUCCESS);
}

static void check_traits(void)
{
	USHORT size;

	memcpy(&size, TestTraits_Traits, sizeof(size));
	CHECK(size == sizeof(TestTraits_Traits) - 1);
	memset(&seen, 0, sizeof(seen));
	CHECK(EventRegister_TestTraits() == ERROR_SUCCESS);
	CHECK(!memcmp(seen.guid, &TestTraits_ControlGuid, sizeof(GUID)));
#if MCGEN_HAVE_EVENTSETINFORMATION
	CHECK(seen.sets == 1 && seen.last_set == EventProviderSetTraits && seen.set_size == size);
#else
	CHECK(seen.sets == 0);
#endif
	CHECK(EventRegister_TestTraits() == ERROR_INVALID_PARAMETER && seen.registers == 1);
	CHECK(EventUnregister_TestTraits() == ERROR_SUCCESS && TestTraits_Handle == 0);
#if MCGEN_HAVE_EVENTSETINFORMATION
	/* Refused: descriptors have types all the same. */
	seen.set_result = ERROR_ACCESS_DENIED;
	CHECK(EventRegister_TestTraits() == ERROR_SUCCESS && seen.sets == 3);
	CHECK(seen.last_set == EventProviderUseDescriptorType);
	CHECK(EventUnregister_TestTraits() == ERROR_SUCCESS);
#endif
	enable(&TestTraits_Context, 0, 1, 0);
#if TestTraits_EventWriteActivity
	EventWriteTraited(NULL, 1);
#else
	EventWriteTraited(1);
#endif
	CHECK(seen.writes == 1 && seen.count == 2);
#if MCGEN_HAVE_EVENTSETINFORMATION
	CHECK(seen.first_type == EVENT_DATA_DESCRIPTOR_TYPE_PROVIDER_METADATA &&
	      seen.first_size == size);
#else
	CHECK(seen.first_type == 0 && seen.first_size == 0);
#endif
	disable(&TestTraits_Context);
}

/* "Numbers" has 16 arguments: the same one for each, but for the pointer. */
#define CALL(macro, ...) macro(__VA_ARGS__)
#define SIXTEEN(x) x, x, x, x, x, x, x, x, x, x, x, x, x, NULL, x, x

static void check_evaluation(void)
{
	memset(&seen, 0, sizeof(seen));
	evaluated = 0;
#if TestTypes_EventWriteActivity
	const GUID id = { 1, 2, 3, { 4 } };

	CHECK(CALL(EventWriteNumbers, &id, SIXTEEN((unsigned char)value())) == 0 && evaluated == 0);
	enable(&TestTypes_Context, 0, ~0ULL, 0);
	CHECK(CALL(EventWriteNumbers, &id, SIXTEEN((unsigned char)value())) == 5 && evaluated == 15);
	CHECK(seen.activity == &id && seen.count == 17);
	CHECK(EventWriteNothing(&id) == 5 && seen.activity == &id && seen.count == 1);
#else
	CHECK(CALL(EventWriteNumbers, SIXTEEN((unsigned char)value())) == 0 && evaluated == 0);
	enable(&TestTypes_Context, 0, ~0ULL, 0);
	CHECK(CALL(EventWriteNumbers, SIXTEEN((unsigned char)value())) == 5 && evaluated == 15);
	CHECK(!seen.activity && seen.count == 17 && seen.event.Id == 2);
	CHECK(EventWriteNothing() == 5 && seen.count == 1 && seen.event.Id == 1);
	EventWriteNothing();		/* also as a statement */
	disable(&TestTypes_Context);
	CHECK(EventWriteNothing() == 0 && seen.writes == 3);
	CHECK(EventWriteNothing_AssumeEnabled() == 5 && seen.writes == 4);
#endif
	disable(&TestTypes_Context);
#ifdef WITH_CALLOUT
	CHECK(callouts == seen.writes + 1 && callout_count == 1);
#else
	CHECK(callouts == 0 && callout_count == 0);
#endif
}

static void check_bits(void)
{
	/* Error, warning, informational, verbose, and always: a bit for each */
	CHECK(sizeof(Test_Mc_TypesLevels) == 5 && TestTypes_Context.EnableBitsCount == 5);
	enable(&TestTypes_Context, 3, ~0ULL, 0);
	CHECK(EventEnabledNothing() && EventEnabledNumbers() && !EventEnabledObjects());
	CHECK(!EventEnabledStrings() && !EventEnabledStrings5() && EventEnabledFixed());
	CHECK(Test_Mc_TypesEnableBits[0] == 0x13);
	CHECK(MCGEN_ENABLE_CHECK(TestTypes_Context, Numbers));
	CHECK(!MCGEN_ENABLE_CHECK(TestTypes_Context, Strings5));
	disable(&TestTypes_Context);
	CHECK(Test_Mc_TypesEnableBits[0] == 0 && !EventEnabledFixed());
	CHECK(!MCGEN_ENABLE_CHECK(TestTypes_Context, Fixed));
	/* Any and all of the keywords; of "Clash": its own two and its channel's */
	enable(&TestNames_Context, 0, TEST_IO, 0);
	CHECK(EventEnabledClash() &&
	      !EventEnabledTestNames_EVENT_0x3_2_8_4_0_0_8000800000000000());
	enable(&TestNames_Context, 0, TEST_IO, TEST_IO | 0x10);
	CHECK(!EventEnabledClash());
	CHECK(EventEnabledTestNames_EVENT_0xffff_ff_0_0_0_0_0());
	enable(&TestNames_Context, 0, TEST_OP_KEYWORD, 0x800000000001);
	CHECK(EventEnabledClash());
	seen.calls = 0;
	McGenControlCallbackV2(NULL, EVENT_CONTROL_CODE_CAPTURE_STATE, 0, 0, 0, NULL,
			       &TestNames_Context);
	CHECK(EventEnabledClash() && seen.calls == 1);	/* it changes nothing */
	CHECK(seen.told_code == EVENT_CONTROL_CODE_CAPTURE_STATE);
	CHECK(seen.told_context == &TestNames_Context);
	CHECK(features_other_enabled());
	disable(&TestNames_Context);
	CHECK(!features_other_enabled());
#ifdef WITH_BIT_SET
	CHECK(bits_asked > 10);
#endif
}

static void check_contexts(void)
{
	McGenContext_Test_Mc_Types a;	/* by the provider's name, or by its symbol */
	McGenContext_TestTypes b, *same = &a;

	memset(&seen, 0, sizeof(seen));
	memset(&a, 0xAA, sizeof(a));
	CHECK(EventRegisterTest_Mc_Types_ForContext(&a) == ERROR_SUCCESS);
	CHECK(seen.context == &a.Context && a.Context.RegistrationHandle == 78);
	CHECK(Test_Mc_TypesHandle_ForContext(same) == 78);
	CHECK(EventRegisterByGuidTest_Mc_Types_ForContext(TestNames, &b) == ERROR_SUCCESS);
	CHECK(!memcmp(seen.guid, &TestNames, sizeof(GUID)));
	enable(&a.Context, 0, ~0ULL, 0);
	CHECK(EventEnabledNothing_ForContext(&a) && !EventEnabledNothing_ForContext(&b));
	CHECK(!EventEnabledNothing());
#if !TestTypes_EventWriteActivity
	CHECK(EventWriteNothing_ForContext(&a) == 5 && seen.handle == 78);
	CHECK(EventWriteNothing_ForContext(&b) == 0 && seen.writes == 1);
	CHECK(EventWriteNothing_ForContextAssumeEnabled(&b) == 5 && seen.handle == 79);
#else
	CHECK(EventWriteNothing_ForContext(&a, NULL) == 5 && seen.handle == 78);
#endif
	CHECK(EventUnregisterTest_Mc_Types_ForContext(&a) == ERROR_SUCCESS && seen.unregisters == 1);
	CHECK(EventUnregisterTest_Mc_Types_ForContext(&b) == ERROR_SUCCESS && seen.handle == 79);
}

/* A child is enabled as libetw says, once its callback was called, as that says. */
static void check_fork(void)
{
	McGenContext_TestTypes own;
	int status = 1;
	pid_t child;

	CHECK(EventRegister4_Test_Mc_Names() == ERROR_SUCCESS);
	CHECK(EventRegister_TestTraits() == ERROR_SUCCESS);
	CHECK(EventRegisterTest_Mc_Types_ForContext(&own) == ERROR_SUCCESS);
	CHECK(EventRegisterTest_Mc_Types_ForContext(&own) == ERROR_SUCCESS);	/* anew */
	CHECK(EventUnregister_TestTraits() == ERROR_SUCCESS);
	enable(&own.Context, 0, ~0ULL, 0);
	fflush(stdout);
	child = fork();
	if (!child) {
		bad = 0;
		CHECK(_4_Test_Mc_NamesEnableBits[0] && (TestNames_Context.Flags & _mcgen_FORKED));
		CHECK(own.EnableBits[0] && (own.Context.Flags & _mcgen_FORKED));
		CHECK(!(TestTraits_Context.Flags & _mcgen_FORKED));
		CHECK(EventEnabledClash());
		CHECK(!EventEnabledTestNames_EVENT_0x3_2_8_4_0_0_8000800000000000());
		CHECK(EventEnabledNothing_ForContext(&own) && !EventEnabledObjects_ForContext(&own));
		CHECK(MCGEN_ENABLE_CHECK(TestNames_Context, Clash));
		CHECK(!MCGEN_ENABLE_CHECK(own.Context, Objects));
		enable(&TestNames_Context, 0, 0x800000000000, 0);
		CHECK(EventEnabledTestNames_EVENT_0x3_2_8_4_0_0_8000800000000000());
		CHECK(EventEnabledClash() && features_other_enabled());
		disable(&TestNames_Context);
		CHECK(!EventEnabledClash() && _4_Test_Mc_NamesEnableBits[0] == 0);
		fflush(stdout);
		_exit(bad);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	CHECK(!EventEnabledClash() && EventEnabledNothing_ForContext(&own));
	CHECK(EventUnregister4_Test_Mc_Names() == ERROR_SUCCESS);
	CHECK(EventUnregisterTest_Mc_Types_ForContext(&own) == ERROR_SUCCESS);
	CHECK(!_mcgen_Registered.First);
}

/* A handle that ended elsewhere: its context, registered anew, is listed once. */
static void check_listed_once(void)
{
	CHECK(EventRegisterTest_Mc_Types() == ERROR_SUCCESS);
	CHECK(EventRegister4_Test_Mc_Names() == ERROR_SUCCESS);
	Test_Mc_TypesHandle = 0;
	CHECK(EventRegisterTest_Mc_Types() == ERROR_SUCCESS);
	CHECK(_mcgen_Registered.First == &TestTypes_Context);
	CHECK(TestTypes_Context.Next == &TestNames_Context && !TestNames_Context.Next);
	_4_Test_Mc_NamesHandle = 0;
	Test_Mc_TypesHandle = 0;
	CHECK(EventRegisterTest_Mc_Types() == ERROR_SUCCESS);
	CHECK(TestTypes_Context.Next == &TestNames_Context && !TestNames_Context.Next);
	CHECK(EventRegister4_Test_Mc_Names() == ERROR_SUCCESS);
	CHECK(EventUnregisterTest_Mc_Types() == ERROR_SUCCESS);
	CHECK(EventUnregister4_Test_Mc_Names() == ERROR_SUCCESS);
	CHECK(!_mcgen_Registered.First);
}

static int lock_taken[2];

static void *hold_lock(void *arg)
{
	pthread_mutex_lock(&_mcgen_Registered.Lock);
	CHECK(write(lock_taken[1], "", 1) == 1);
	poll(NULL, 0, 100);
	pthread_mutex_unlock(&_mcgen_Registered.Lock);
	return arg;
}

/* A fork while another thread registers the program's first provider */
static void check_first_fork(void)
{
	pthread_t thread;
	int status = 1;
	pid_t child;
	char byte;

	CHECK(!pipe(lock_taken) && !pthread_create(&thread, NULL, hold_lock, NULL));
	CHECK(read(lock_taken[0], &byte, 1) == 1);
	fflush(stdout);
	child = fork();
	if (!child)
		_exit(pthread_mutex_trylock(&_mcgen_Registered.Lock) != 0);
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	CHECK(!pthread_join(thread, NULL));
	close(lock_taken[0]);
	close(lock_taken[1]);
}

static void check_constants(void)
{
	static const GUID read = { 0x0c5f8a11, 0x2b3c, 0x4d5e,
				   { 0x9f, 0x60, 0x71, 0x82, 0x93, 0xa4, 0xb5, 0xd1 } };

	CHECK(TestNames_CHANNEL_S == 8 && TEST_OP == 16 && TestNames_CHANNEL_D_1 == 17);
	CHECK(TestNames_CHANNEL_S_KEYWORD == 1ULL << 63 && TEST_OP_KEYWORD == 1ULL << 62);
	CHECK(TEST_CHATTY == 17 && TEST_READ == 1 && TEST_READ_BEGIN == 11 && TEST_END == 12);
	CHECK(TEST_IO == 1 && TEST_RED == 1 && Clash_value == 1);
	CHECK(!memcmp(&ReadId, &read, sizeof(read)));
	CHECK(MSG_provider == 0x90000001u && MSG_chatty == 0x50000011);
	CHECK(MSG_event3 == 0x00020003);
}

int main(void)
{
	check_first_fork();
	check_registering();
	check_traits();
	check_evaluation();
	check_bits();
	check_contexts();
	check_fork();
	check_listed_once();
	check_constants();
	printf("%d checks\n", checks);
	return bad || checks < 60;
}
